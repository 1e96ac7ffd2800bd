import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { write } from "../../../core/objects/write.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { isSuperAdmin, type PersonRecord } from "../../../core/people/person.ts";
import { hashToken, isJobToken, tokenObject, userTokenObject } from "../../../core/people/token.ts";
import { buildAuditItem } from "../../audit/audit.ts";
import type { Uses } from "../../uses.ts";
import { joinWorkspaces } from "../../workspaces/auto-invite.ts";
import { buildTokenRemovals } from "../tokens/token-expiry.ts";
import { buildTokenWrites, checkExpiration } from "../tokens/tokens.ts";
import { buildUserAddedWrites, loadPerson, updatePerson } from "../users.ts";
import { type PasswordAttempt, verifyPassword } from "./verify-password.ts";

const buildSessionOptions = (nowMs: number) => ({
  label: "session",
  session: true,
  expiration: new Date(nowMs + limits.sessionMs).toISOString(),
});

/**
 * Checks a password and returns the token of a new session. The reply does not reveal whether the address is unknown, the user is disabled
 * or the password is wrong, and the user pool is called in each case. Throws `login.refused`, `login.throttled`, `login.noPasswords`,
 * `engine.busy`.
 */
export async function signIn(deps: Uses<"objects" | "people" | "nowMs" | "instanceEventsUrl">, attempt: PasswordAttempt): Promise<string> {
  const person = await verifyPassword(deps, attempt);
  if (!person) throw new SvcError("login.refused", {});
  return openSession(deps, person, { operation: "users.login", address: attempt.address });
}

/** The method of sign-in, for the audit log. */
export interface SignInOrigin {
  operation: "users.login" | "oauth.login";
  /** The caller's network address. */
  address: string;
  /** The external provider. */
  client?: string;
}

/**
 * Opens a session and returns its token, with an entry in the audit log of the instance. At the first sign-in the person joins the
 * workspaces that invite new users automatically.
 */
export async function openSession(
  deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">,
  person: PersonRecord,
  origin: SignInOrigin,
): Promise<string> {
  const { objects, nowMs } = deps;
  if (person.joining) {
    await joinWorkspaces(deps, person.email);
    // The call that creates the user may have died after it stored the password. It then sends no event, so this one does.
    const complete = ({ joining: _, passwordUntilMs: __, ...joined }: PersonRecord) => joined;
    await updatePerson(deps, person.email, complete, async (read) =>
      read.passwordUntilMs === undefined ? [] : buildUserAddedWrites(deps, read),
    );
  }
  const { operation, ...parameters } = origin;
  const { value, prefix, writes } = buildTokenWrites(
    { ...person, superAdmin: isSuperAdmin(person) },
    buildSessionOptions(nowMs()),
    nowMs(),
  );
  const entry = { username: person.email, operation, action_kind: "Created" as const, resource: prefix, parameters };
  await objects.transactWrite([...writes, write.put(buildAuditItem(entry, nowMs()))]);
  return value;
}

/** Ends the session of a token. Tokens of other kinds are not deleted: signing out in a browser must not stop programs. */
export async function signOut({ objects }: Uses<"objects">, token: string | undefined): Promise<void> {
  if (!token || isJobToken(token)) return;
  const found = await objects.get(tokenObject.key(hashToken(token)));
  const record = found && tokenObject.parse(found);
  if (!record?.session) return;
  await objects.transactWrite(buildTokenRemovals(record));
}

/**
 * Replaces a session's token by a new one; returns `undefined` if the old one is valid for `ifWithinS` seconds or longer. The old one ends
 * in the same transaction, so only one of two concurrent calls succeeds. Throws `token.notForJobs`, `token.changedMeanwhile`, and
 * `auth.forbidden` for tokens that are not sessions.
 */
export async function refreshSession({ objects, nowMs }: Uses<"objects" | "nowMs">, actor: Actor, ifWithinS: number | undefined) {
  if (actor.kind === "job") throw new SvcError("token.notForJobs", {});
  const found = await objects.get(tokenObject.key(actor.tokenHash));
  if (!found) throw new SvcError("auth.invalid", {});
  const record = tokenObject.parse(found);
  // The holder of a token that expires must not be able to extend it.
  if (!record.session) throw new SvcError("auth.forbidden", { action: "users.refreshToken: only session tokens can be refreshed" });
  if (ifWithinS !== undefined && (record.expiresAtMs ?? Number.POSITIVE_INFINITY) - nowMs() >= ifWithinS * 1000) return undefined;
  const { person } = await loadPerson({ objects }, record.email);
  const { scopes, workspace: workspace_id, readOnly: read_only } = record;
  const { value, writes } = buildTokenWrites(
    { ...person, superAdmin: isSuperAdmin(person) },
    { ...buildSessionOptions(nowMs()), scopes, workspace_id, read_only },
    nowMs(),
  );
  const refused = await objects.transactWrite([...buildTokenRemovals(record, "present"), ...writes]);
  if (refused !== undefined) throw new SvcError("token.changedMeanwhile", {});
  return value;
}

/**
 * Replaces the caller's password and ends the caller's other sessions. It requires the old password, so that a stolen session cannot become
 * permanent. Throws `token.notForJobs`, `login.throttled`, `user.oldPassword`, `user.invalidPassword`, and `token.tooWide` for a restricted
 * token, because a sign-in with the new password has no such restriction.
 */
export async function setPassword(
  deps: Uses<"objects" | "people" | "nowMs">,
  actor: Actor,
  { password, old, address }: { password: string; old: string | undefined; address: string },
) {
  const { objects, people } = deps;
  if (actor.kind === "job") throw new SvcError("token.notForJobs", {});
  if (actor.workspace !== undefined || actor.scopes) throw new SvcError("token.tooWide", {});
  const isRight = old !== undefined && (await verifyPassword(deps, { email: actor.email, password: old, address }));
  if (!isRight) throw new SvcError("user.oldPassword", {});
  await people.ensureUser(actor.email, password);
  for (const object of await objects.list(userTokenObject.partitionKey(actor.email), { beginsWith: "token#" })) {
    const record = userTokenObject.parse(object);
    if (!record.session || record.hash === actor.tokenHash) continue;
    await objects.transactWrite(buildTokenRemovals(record));
  }
}

/** Creates a token of another user, for a superadmin. Throws `user.notFound`, `token.notForJobs`, `token.tooWide`. */
export async function impersonate(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  actor: Actor,
  email: string,
  request: { label?: string | null | undefined; expiration?: string | null | undefined; workspace_id?: string | null | undefined },
): Promise<string> {
  if (actor.kind === "job") throw new SvcError("token.notForJobs", {});
  checkExpiration(actor, request.expiration);
  const { person, stored } = await loadPerson({ objects }, email);
  const label = request.label || `impersonated by ${actor.email}`;
  const { value, writes } = buildTokenWrites({ ...person, superAdmin: isSuperAdmin(person) }, { ...request, label }, nowMs());
  const refused = await objects.transactWrite([write.check(stored, "present"), ...writes]);
  if (refused !== undefined) throw new SvcError("user.notFound", { email });
  return value;
}
