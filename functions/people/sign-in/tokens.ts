import { tokenRoutes as routes } from "../../../contract/routes/people/tokens.ts";
import { scopeList } from "../../../core/permissions/scopes.ts";
import { impersonate } from "../../../services/identity/sign-in/sign-in.ts";
import { createToken, deleteToken, listTokens, updateToken } from "../../../services/identity/tokens/tokens.ts";
import type { ApiRoutes } from "../../shared/edge/domain-api.ts";
import { on } from "../../shared/edge/edge.ts";
import { json, text } from "../../shared/reply/reply.ts";
import { deps } from "../deps.ts";

export const tokens: ApiRoutes = [
  on(routes.createToken, async ({ auth, body }) => text(201, await createToken(deps, auth.actor, body))),
  on(routes.listTokens, async ({ auth, query }) => json(200, await listTokens(deps, auth.actor, query))),
  on(routes.deleteToken, async ({ auth, params }) => {
    const prefix = await deleteToken(deps, auth.actor, params.token_prefix);
    return text(200, `The token ${prefix}… was deleted.`);
  }),
  on(routes.updateTokenScopes, async ({ auth, params, body }) => {
    const prefix = await updateToken(deps, auth.actor, params.token_prefix, { scopes: body.scopes ?? null });
    return text(200, `The scopes of ${prefix}… were replaced.`);
  }),
  on(routes.updateTokenLabel, async ({ auth, params, body }) => {
    const prefix = await updateToken(deps, auth.actor, params.token_prefix, { label: body.label ?? null });
    return text(200, `The label of ${prefix}… was replaced.`);
  }),
  on(routes.impersonate, async ({ auth, body: { impersonate_email, ...options } }) =>
    text(201, await impersonate(deps, auth.actor, impersonate_email, options)),
  ),
  on(routes.listScopes, async () => json(200, scopeList)),
];
