import { people } from "../../../aws/cognito/people.ts";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { signInRoutes as routes } from "../../../contract/routes/people/sign-in.ts";
import { refreshSession, setPassword, signIn, signOut } from "../../../services/identity/sign-in/sign-in.ts";
import type { ApiRoutes } from "../../shared/edge/domain-api.ts";
import { type Call, on } from "../../shared/edge/edge.ts";
import { json, type Reply, text } from "../../shared/reply/reply.ts";
import { isFromOwnOrigin, sessionCookie } from "../../shared/request/credentials.ts";
import { deps as peopleDeps } from "../deps.ts";

const deps = { ...peopleDeps, people };

const cookie = (token: string, maxAgeS: number) => ({ "Set-Cookie": sessionCookie(token, maxAgeS) });
const replyWithSession = (token: string) => text(200, token, cookie(token, limits.sessionMs / 1000));

/** A page of another site could otherwise sign its visitors in as its own user. */
async function logIn({ body, headers, address }: Pick<Call<typeof routes.login, unknown>, "body" | "headers" | "address">): Promise<Reply> {
  if (!isFromOwnOrigin(headers)) throw new SvcError("login.otherSite", {});
  return replyWithSession(await signIn(deps, { ...body, address }));
}

export const signInHandlers: ApiRoutes = [
  on(routes.login, logIn),
  on(routes.usersLogin, logIn),
  on(routes.beginSession, async ({ auth: { actor, sentToken = "" }, headers }) => {
    // A form of another site could send its own token in the query.
    if (!isFromOwnOrigin(headers)) throw new SvcError("login.otherSite", {});
    if (actor.kind === "job") throw new SvcError("token.notForJobs", {});
    return text(200, "You are signed in with your token.", cookie(sentToken, limits.sessionMs / 1000));
  }),
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
  on(routes.setPassword, async ({ auth, body, address }) => {
    await setPassword(deps, auth.actor, { password: body.password, old: body.old_password ?? undefined, address });
    return text(200, "Your password was changed.");
  }),
];
