import type { People } from "../../aws/cognito/people.ts";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { isSvcError, SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { keys } from "../../core/objects/keys.ts";
import { parseObject } from "../../core/objects/parse-object.ts";
import { write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import type { PersonRecord } from "../../core/people/person.ts";
import { hashToken, isJobToken, tokenRecordSchema } from "../../core/people/token.ts";
import { joinWorkspaces } from "../workspaces/auto-invite.ts";
import { buildTokenWrites } from "./tokens.ts";
import { loadPerson, updatePerson } from "./users.ts";

interface SignInDeps {
  objects: ObjectTable;
  people: People;
  nowMs: () => number;
}

const buildSessionOptions = (nowMs: number) => ({
  label: "session",
  session: true,
  expiration: new Date(nowMs + limits.sessionMs).toISOString(),
});

/**
 * Checks a password and returns the token of a new session. The reply does not reveal whether the address is unknown, the user is disabled
 * or the password is wrong, and the user pool is called in each case. Throws `login.refused`.
 */
export async function signIn({ objects, people, nowMs }: SignInDeps, email: string, password: string): Promise<string> {
  const [isRight, person] = await Promise.all([people.checkPassword(email, password), findPerson(objects, email)]);
  if (!isRight || !person || person.disabled) throw new SvcError("login.refused", {});
  return openSession({ objects, nowMs }, person);
}

/** Opens a session and returns its token. At the first sign-in the person joins the workspaces that invite new users automatically. */
export async function openSession({ objects, nowMs }: Pick<SignInDeps, "objects" | "nowMs">, person: PersonRecord): Promise<string> {
  if (person.joining) {
    await joinWorkspaces({ objects, nowMs }, person.email);
    await updatePerson({ objects }, person.email, ({ joining: _, passwordUntilMs: __, ...joined }) => joined);
  }
  const { value, writes } = buildTokenWrites(person, buildSessionOptions(nowMs()), nowMs());
  await objects.transactWrite(writes);
  return value;
}

/** Returns the user with an e-mail address; `undefined` if there is none. */
export async function findPerson(objects: ObjectTable, email: string): Promise<PersonRecord | undefined> {
  try {
    return (await loadPerson({ objects }, email)).person;
  } catch (error) {
    if (isSvcError(error) && error.code === "user.notFound") return undefined;
    throw error;
  }
}

/** Ends the session of a token. Tokens of other kinds are not deleted: signing out in a browser must not stop programs. */
export async function signOut({ objects }: Pick<SignInDeps, "objects">, token: string | undefined): Promise<void> {
  if (!token || isJobToken(token)) return;
  const found = await objects.get(keys.token(hashToken(token)));
  const record = found && parseObject(tokenRecordSchema, found);
  if (!record?.session) return;
  await objects.transactWrite([
    write.remove(keys.token(record.hash)),
    write.remove(keys.userToken(record.email, record.prefix, record.hash)),
  ]);
}

/**
 * Replaces a session's token by a new one; returns `undefined` if the old one is valid for `ifWithinS` seconds or longer. The old one ends
 * in the same transaction, so only one of two concurrent calls succeeds. Throws `token.notForJobs`, `token.changedMeanwhile`, and
 * `auth.forbidden` for tokens that are not sessions.
 */
export async function refreshSession(
  { objects, nowMs }: Pick<SignInDeps, "objects" | "nowMs">,
  actor: Actor,
  ifWithinS: number | undefined,
) {
  if (actor.kind === "job") throw new SvcError("token.notForJobs", {});
  const found = await objects.get(keys.token(actor.tokenHash));
  if (!found) throw new SvcError("auth.invalid", {});
  const record = parseObject(tokenRecordSchema, found);
  // The holder of a token that expires must not be able to extend it.
  if (!record.session) throw new SvcError("auth.forbidden", { action: "users.refreshToken: only session tokens can be refreshed" });
  if (ifWithinS !== undefined && (record.expiresAtMs ?? Number.POSITIVE_INFINITY) - nowMs() >= ifWithinS * 1000) return undefined;
  const { person } = await loadPerson({ objects }, record.email);
  const { scopes, workspace: workspace_id, readOnly: read_only } = record;
  const { value, writes } = buildTokenWrites(person, { ...buildSessionOptions(nowMs()), scopes, workspace_id, read_only }, nowMs());
  const refused = await objects.transactWrite([
    write.remove(keys.token(record.hash), "present"),
    write.remove(keys.userToken(record.email, record.prefix, record.hash)),
    ...writes,
  ]);
  if (refused !== undefined) throw new SvcError("token.changedMeanwhile", {});
  return value;
}

/**
 * Replaces the caller's password and ends the caller's other sessions. It takes the old password, so that a stolen session cannot become a
 * permanent one. Throws `token.notForJobs`, `user.oldPassword`, `user.invalidPassword`, and `token.tooWide` for a restricted token, because
 * a sign-in with the new password has no such restriction.
 */
export async function setPassword(
  { objects, people }: Pick<SignInDeps, "objects" | "people">,
  actor: Actor,
  { password, old }: { password: string; old: string | undefined },
) {
  if (actor.kind === "job") throw new SvcError("token.notForJobs", {});
  if (actor.workspace !== undefined || actor.scopes) throw new SvcError("token.tooWide", {});
  if (old === undefined || !(await people.checkPassword(actor.email, old))) throw new SvcError("user.oldPassword", {});
  await people.ensureUser(actor.email, password);
  for (const object of await objects.list(keys.userToken(actor.email, "", "").pk, { beginsWith: "token#" })) {
    const record = parseObject(tokenRecordSchema, object);
    if (!record.session || record.hash === actor.tokenHash) continue;
    await objects.transactWrite([write.remove(keys.token(record.hash)), write.remove(object)]);
  }
}

/** Creates a token of another user, for a superadmin. Throws `user.notFound`, `token.notForJobs`. */
export async function impersonate(
  { objects, nowMs }: Pick<SignInDeps, "objects" | "nowMs">,
  actor: Actor,
  email: string,
  request: { label?: string | null | undefined; expiration?: string | null | undefined; workspace_id?: string | null | undefined },
): Promise<string> {
  if (actor.kind === "job") throw new SvcError("token.notForJobs", {});
  const { person, stored } = await loadPerson({ objects }, email);
  const label = request.label || `impersonated by ${actor.email}`;
  const { value, writes } = buildTokenWrites(person, { ...request, label }, nowMs());
  const refused = await objects.transactWrite([write.check(stored, "present"), ...writes]);
  if (refused !== undefined) throw new SvcError("user.notFound", { email });
  return value;
}
