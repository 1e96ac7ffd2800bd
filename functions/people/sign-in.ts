import { people } from "../../aws/cognito/people.ts";
import { limits } from "../../contract/limits.ts";
import { signInRoutes as routes } from "../../contract/routes/people/sign-in.ts";
import { refreshSession, setPassword, signIn, signOut } from "../../services/identity/sign-in.ts";
import type { ApiRoutes } from "../shared/domain-api.ts";
import { on } from "../shared/edge.ts";
import { json, text } from "../shared/reply.ts";
import { deps as peopleDeps } from "./deps.ts";

/** The cookie of a session. Scripts of a page cannot read it, and forms of other sites do not send it. */
export function sessionCookie(baseUrl: string, token: string, maxAgeS: number): string {
  const secure = baseUrl.startsWith("https:") ? "; Secure" : "";
  return `token=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeS}${secure}`;
}

const deps = { ...peopleDeps, people };

const cookie = (token: string, maxAgeS: number) => ({ "Set-Cookie": sessionCookie(deps.baseUrl, token, maxAgeS) });
const replyWithSession = (token: string) => text(200, token, cookie(token, limits.sessionMs / 1000));

export const signInHandlers: ApiRoutes = [
  on(routes.login, async ({ body }) => replyWithSession(await signIn(deps, body.email, body.password))),
  on(routes.usersLogin, async ({ body }) => replyWithSession(await signIn(deps, body.email, body.password))),
  on(routes.logout, async ({ auth }) => {
    await signOut(deps, auth.sentToken);
    return text(200, "You are signed out.", cookie("", 0));
  }),
  on(routes.isPasswordLoginDisabled, async () => json(200, !deps.people.hasPasswords())),
  on(routes.isSmtpConfigured, async () => json(200, false)),
  on(routes.refreshToken, async ({ auth, query }) => {
    const fresh = await refreshSession(deps, auth.actor, query.if_expiring_in_less_than_s);
    return fresh === undefined ? text(200, auth.sentToken ?? "") : replyWithSession(fresh);
  }),
  on(routes.setPassword, async ({ auth, body }) => {
    await setPassword(deps, auth.actor, body.password);
    return text(200, "Your password was changed.");
  }),
];
