import { isSvcError } from "../../contract/errors.ts";
import type { RefreshCall } from "../../core/accounts/account.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import { type RefreshDeps, refreshAccount } from "./refresh.ts";

/** Refreshes accounts concurrently. Returns the number of successes. A failure is stored with its account. */
export async function refreshAccounts(deps: RefreshDeps, { refresh }: RefreshCall): Promise<number> {
  const done = await Promise.all(
    refresh.map(async (ref) => {
      try {
        await refreshAccount(deps, ref);
        return true;
      } catch (error) {
        // A refusal is stored with its account, and another refresh or the deletion of the account is not a failure.
        if (!isSvcError(error)) reportFailure("The token of an account was not refreshed", error, { account: ref.account });
        return false;
      }
    }),
  );
  return done.filter(Boolean).length;
}
