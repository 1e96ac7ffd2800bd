import type { Context } from "aws-lambda";
import { tokenEndpoints } from "../../aws/http/token-endpoints.ts";
import { accountKeys } from "../../aws/kms/data-keys.ts";
import { accountRoutes as routes } from "../../contract/routes/stored/accounts.ts";
import { refreshCallSchema } from "../../core/accounts/account.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { logInvocation } from "../shared/observe.ts";
import { text } from "../shared/reply/reply.ts";
import { deps as objectDeps } from "./deps.ts";

const deps = { ...objectDeps, tokenEndpoints, accountKeys };

/** Loaded on first use, so that the function starts faster. */
const importAccounts = () => import("../../services/accounts/accounts.ts");
const importRefresh = () => import("../../services/accounts/refresh.ts");

export const accounts: ApiRoutes = [
  on(routes.createAccount, async ({ auth: { actor }, params: { workspace }, body }) => {
    const { createAccount } = await importAccounts();
    return text(200, String(await createAccount(deps, { actor, workspace }, body)));
  }),
  on(routes.refreshAccount, async ({ auth: { actor }, params: { workspace, id } }) => {
    const [{ permitAccount }, { refreshAccount }] = [await importAccounts(), await importRefresh()];
    await permitAccount(deps, { actor, workspace }, Number(id));
    await refreshAccount(deps, { workspace, account: Number(id) });
    return text(200, `The token of account ${id} was refreshed.`);
  }),
  on(routes.disconnect, async ({ auth: { actor }, params: { workspace, id } }) => {
    const { disconnectAccount } = await importAccounts();
    await disconnectAccount(deps, { actor, workspace }, Number(id));
    return text(200, `The account ${id} was removed.`);
  }),
];

/** Refreshes the tokens of a call of housekeeping. */
export async function refreshTokens(event: object, context: Context): Promise<void> {
  const { refreshAccounts } = await import("../../services/accounts/refresh-accounts.ts");
  const call = refreshCallSchema.parse(event);
  const refreshed = await refreshAccounts(deps, call);
  await logInvocation("refreshed", context, { accounts: call.refresh.length, refreshed });
}
