import { logins } from "../../../aws/cognito/logins.ts";
import { dataKeys } from "../../../aws/kms/data-keys.ts";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { oauthRoutes as routes } from "../../../contract/routes/people/oauth.ts";
import { basePath } from "../../shared/edge/base-path.ts";
import type { ApiRoutes } from "../../shared/edge/domain-api.ts";
import { on } from "../../shared/edge/edge.ts";
import { json, type Reply, text } from "../../shared/reply/reply.ts";
import { isFromOwnOrigin, loginCookie, readLoginCookie, sessionCookie } from "../../shared/request/credentials.ts";
import { deps as peopleDeps } from "../deps.ts";

const deps = { ...peopleDeps, logins, dataKeys };

/** Loaded on first use, so that the function starts faster. */
const importFederatedLogin = () => import("../../../services/identity/sign-in/federated-login.ts");

const redirect = (to: string, cookies: string[]): Reply => ({
  ...text(303, "Continue at the URL in the header Location.", { Location: to, "Cache-Control": "no-store" }),
  multiValueHeaders: { "Set-Cookie": cookies },
});
const sessionCookies = (token: string) => [sessionCookie(token, limits.sessionMs / 1000), loginCookie("", 0)];

export const oauth: ApiRoutes = [
  on(routes.listLogins, async () => {
    const listed = deps.logins.all.map(({ name, displayName }) => ({ type: name, ...(displayName ? { display_name: displayName } : {}) }));
    return json(200, { oauth: listed });
  }),
  on(routes.beginLogin, async ({ params: { client }, query }) => {
    const { beginLogin } = await importFederatedLogin();
    const { location, pending } = await beginLogin(deps, client, query.return_to);
    return redirect(location, [loginCookie(pending, limits.loginMs / 1000)]);
  }),
  on(routes.completeLogin, async ({ params: { client }, body, headers, address }) => {
    if (!isFromOwnOrigin(headers)) throw new SvcError("login.otherSite", {});
    const { completeLogin } = await importFederatedLogin();
    const { token } = await completeLogin(deps, client, body, { cookie: readLoginCookie(headers), address });
    return { ...text(200, token), multiValueHeaders: { "Set-Cookie": sessionCookies(token) } };
  }),
  on(routes.returnFromLogin, async ({ params: { client }, query, headers, address }) => {
    const { completeLogin } = await importFederatedLogin();
    const { token, returnTo = `${basePath()}/` } = await completeLogin(deps, client, query, { cookie: readLoginCookie(headers), address });
    return redirect(returnTo, sessionCookies(token));
  }),
];
