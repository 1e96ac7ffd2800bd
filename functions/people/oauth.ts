import { logins } from "../../aws/cognito/logins.ts";
import { dataKeys } from "../../aws/kms/data-keys.ts";
import { limits } from "../../contract/limits.ts";
import { oauthRoutes as routes } from "../../contract/routes/people/oauth.ts";
import { readCookie } from "../shared/credentials.ts";
import type { ApiRoutes } from "../shared/domain-api.ts";
import { on } from "../shared/edge.ts";
import { json, type Reply, text } from "../shared/reply.ts";
import { collaborators } from "./collaborators.ts";
import { sessionCookie } from "./sign-in.ts";

const c = { ...collaborators, logins, dataKeys };

/** Loaded with the first login at a provider: the function starts faster without this code. */
const federation = () => import("../../services/identity/federated-login.ts");

/** What ties a sign-in to the browser that began it. It goes to the routes below and nowhere else. */
const PENDING = "svc_login";
function pendingCookie(value: string, maxAgeS: number): string {
  const secure = c.baseUrl.startsWith("https:") ? "; Secure" : "";
  return `${PENDING}=${value}; Path=/api/oauth; HttpOnly; SameSite=Lax; Max-Age=${maxAgeS}${secure}`;
}

const goOn = (to: string, cookies: string[]): Reply => ({
  ...text(303, "Continue at the URL in the header Location.", { Location: to, "Cache-Control": "no-store" }),
  multiValueHeaders: { "Set-Cookie": cookies },
});
const signedIn = (token: string) => [sessionCookie(c.baseUrl, token, limits.sessionMs / 1000), pendingCookie("", 0)];

export const oauth: ApiRoutes = [
  on(routes.listLogins, async () => {
    const listed = c.logins.all.map(({ name, displayName }) => ({ type: name, ...(displayName ? { display_name: displayName } : {}) }));
    return json(200, { oauth: listed });
  }),
  on(routes.beginLogin, async ({ params: { client }, query }) => {
    const { beginLogin } = await federation();
    const { location, pending } = await beginLogin(c, client, query.return_to);
    return goOn(location, [pendingCookie(pending, limits.loginMs / 1000)]);
  }),
  on(routes.completeLogin, async ({ params: { client }, body, headers }) => {
    const { completeLogin } = await federation();
    const { token } = await completeLogin(c, client, body, readCookie(headers, PENDING));
    return { ...text(200, token), multiValueHeaders: { "Set-Cookie": signedIn(token) } };
  }),
  on(routes.returnFromLogin, async ({ params: { client }, query, headers }) => {
    const { completeLogin } = await federation();
    const { token, returnTo = "/" } = await completeLogin(c, client, query, readCookie(headers, PENDING));
    return goOn(returnTo, signedIn(token));
  }),
];
