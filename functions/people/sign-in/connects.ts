import { tokenEndpoints } from "../../../aws/http/token-endpoints.ts";
import { accountKeys } from "../../../aws/kms/data-keys.ts";
import { defined } from "../../../contract/defined.ts";
import { limits } from "../../../contract/limits.ts";
import { connectRoutes as routes } from "../../../contract/routes/people/connects.ts";
import { loadStoredClients, requireStoredClient } from "../../../services/accounts/clients.ts";
import type { ConnectedTokens } from "../../../services/accounts/connect.ts";
import type { ApiRoutes } from "../../shared/edge/domain-api.ts";
import { on } from "../../shared/edge/edge.ts";
import { json, type Reply, text } from "../../shared/reply/reply.ts";
import { connectCookie, readConnectCookie } from "../../shared/request/credentials.ts";
import { deps as peopleDeps } from "../deps.ts";

const deps = { ...peopleDeps, tokenEndpoints, accountKeys };

/** Loaded on first use, so that the function starts faster. */
const importConnect = () => import("../../../services/accounts/connect.ts");

const NOT_STORED = { "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" };
const withCookie = (reply: Reply, value: string, maxAgeS: number): Reply => ({
  ...reply,
  multiValueHeaders: { "Set-Cookie": [connectCookie(value, maxAgeS)] },
});

function toJson({ refreshToken, expiresInS, scopes }: ConnectedTokens) {
  return {
    refresh_token: refreshToken,
    ...defined({ expires_in: expiresInS, scope: scopes }),
  };
}

export const connects: ApiRoutes = [
  on(routes.listConnects, async () => json(200, Object.keys(await loadStoredClients(deps)).sort())),
  on(routes.getConnect, async ({ params: { client } }) => {
    const { scopes, extra_params } = (await requireStoredClient(deps, client)).connect_config;
    return json(200, { scopes, ...defined({ extra_params }) });
  }),
  on(routes.beginConnect, async ({ auth: { actor }, params: { client }, query }) => {
    const { beginConnect } = await importConnect();
    const scopes = query.scopes?.split(/[ +]+/).filter((scope) => scope !== "");
    const { location, pending } = await beginConnect(deps, actor.email, { client, scopes });
    const reply = text(303, "Continue at the URL in the header Location.", { Location: location, ...NOT_STORED });
    return withCookie(reply, pending, limits.loginMs / 1000);
  }),
  on(routes.completeConnect, async ({ auth: { actor }, params: { client }, body, headers }) => {
    const { completeConnect } = await importConnect();
    const tokens = await completeConnect(deps, client, body, { cookie: readConnectCookie(headers), caller: actor.email });
    return withCookie(json(200, { access_token: tokens.accessToken, ...toJson(tokens) }, NOT_STORED), "", 0);
  }),
  on(routes.returnFromConnect, async ({ params: { client }, query, headers }) => {
    const { completeConnect } = await importConnect();
    const tokens = await completeConnect(deps, client, query, { cookie: readConnectCookie(headers) });
    return withCookie(json(200, { client, ...toJson(tokens) }, NOT_STORED), "", 0);
  }),
];
