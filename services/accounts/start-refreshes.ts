import { dueRefreshObject } from "../../core/accounts/account.ts";
import type { Uses } from "../uses.ts";

/** The number of accounts that one tick has refreshed. Others follow a minute later, in the order of their times. */
const PER_TICK = 500;
/** The number of accounts that one call of function `objects` refreshes concurrently. */
const PER_CALL = 10;

/** Makes function `objects`, which may open secrets, refresh the tokens that are due. Returns their number. */
export async function startDueRefreshes(deps: Uses<"isolation" | "objects" | "functions" | "nowMs">): Promise<number> {
  const { pk, sk: until } = dueRefreshObject.key(deps.nowMs(), "\uffff", 0);
  const found = await deps.objects.list(pk, { between: ["0", until], limit: PER_TICK });
  const read = await Promise.all(
    found.map((stored) => deps.isolation.attempt("refreshAccounts", stored.sk, () => dueRefreshObject.parse(stored))),
  );
  const due = read.flatMap((each) => (each.ok ? [{ workspace: each.value.of, account: each.value.account }] : []));
  for (let at = 0; at < due.length; at += PER_CALL) await deps.functions.startRefreshing({ refresh: due.slice(at, at + PER_CALL) });
  return due.length;
}
