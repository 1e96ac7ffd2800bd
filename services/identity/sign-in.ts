import type { People } from "../../aws/cognito/people.ts";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { isSvcError, SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { keys } from "../../core/objects/keys.ts";
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

const session = (nowMs: number) => ({
  label: "session",
  session: true,
  expiration: new Date(nowMs + limits.sessionMs).toISOString(),
});

/**
 * A session's token. Whether the address is unknown, disabled or the password wrong, the answer is one and the same, and the user pool
 * is asked in each case. Throws `login.refused`.
 */
export async function signIn({ objects, people, nowMs }: SignInDeps, email: string, password: string): Promise<string> {
  const [isRight, person] = await Promise.all([people.checkPassword(email, password), findPerson(objects, email)]);
  if (!isRight || !person || person.disabled) throw new SvcError("login.refused", {});
  return openSession({ objects, nowMs }, person);
}

/** The token of a new session. Who has none yet joins the workspaces that ask for new users. */
export async function openSession({ objects, nowMs }: Pick<SignInDeps, "objects" | "nowMs">, person: PersonRecord): Promise<string> {
  if (person.joining) {
    await joinWorkspaces({ objects, nowMs }, person.email);
    await updatePerson({ objects }, person.email, ({ joining: _, ...joined }) => joined);
  }
  const { value, writes } = buildTokenWrites(person, session(nowMs()), nowMs());
  await objects.transact(writes);
  return value;
}

/** `undefined` where there is no such user. */
export async function findPerson(objects: ObjectTable, email: string): Promise<PersonRecord | undefined> {
  try {
    return (await loadPerson({ objects }, email)).person;
  } catch (error) {
    if (isSvcError(error) && error.code === "user.notFound") return undefined;
    throw error;
  }
}

/** Ends the session of this token. Another kind of token stays: signing out of a page must not stop somebody's programs. */
export async function signOut({ objects }: Pick<SignInDeps, "objects">, token: string | undefined): Promise<void> {
  if (!token || isJobToken(token)) return;
  const found = await objects.get(keys.token(hashToken(token)));
  const record = found && tokenRecordSchema.parse(found.value);
  if (!record?.session) return;
  await objects.transact([write.remove(keys.token(record.hash)), write.remove(keys.userToken(record.email, record.prefix, record.hash))]);
}

/**
 * A fresh token in exchange for a session's; `undefined` where the old one lasts longer than `ifWithinS`. The old one ends in the same
 * transaction: of two exchanges at once, one succeeds. Throws `token.notForJobs`, `auth.forbidden` for tokens that are no sessions,
 * `token.changedMeanwhile`.
 */
export async function refreshSession(
  { objects, nowMs }: Pick<SignInDeps, "objects" | "nowMs">,
  actor: Actor,
  ifWithinS: number | undefined,
) {
  if (actor.kind === "job") throw new SvcError("token.notForJobs", {});
  const found = await objects.get(keys.token(actor.tokenHash));
  if (!found) throw new SvcError("auth.invalid", {});
  const record = tokenRecordSchema.parse(found.value);
  // Who holds a token with an end must not be able to move it.
  if (!record.session) throw new SvcError("auth.forbidden", { action: "users.refreshToken: only session tokens can be refreshed" });
  if (ifWithinS !== undefined && (record.expiresAtMs ?? Number.POSITIVE_INFINITY) - nowMs() >= ifWithinS * 1000) return undefined;
  const { person } = await loadPerson({ objects }, record.email);
  const { scopes, workspace: workspace_id, readOnly: read_only } = record;
  const { value, writes } = buildTokenWrites(person, { ...session(nowMs()), scopes, workspace_id, read_only }, nowMs());
  const refused = await objects.transact([
    write.remove(keys.token(record.hash), "present"),
    write.remove(keys.userToken(record.email, record.prefix, record.hash)),
    ...writes,
  ]);
  if (refused !== undefined) throw new SvcError("token.changedMeanwhile", {});
  return value;
}

/**
 * Sets the caller's password; their other sessions end, the one they call with stays. Throws `token.notForJobs`, `user.invalidPassword`, and
 * `token.tooWide` for a token with limits: who signs in with the new password has none of them.
 */
export async function setPassword({ objects, people }: Pick<SignInDeps, "objects" | "people">, actor: Actor, password: string) {
  if (actor.kind === "job") throw new SvcError("token.notForJobs", {});
  if (actor.workspace !== undefined || actor.scopes) throw new SvcError("token.tooWide", {});
  await people.ensure(actor.email, password);
  for (const object of await objects.list(keys.userToken(actor.email, "", "").pk, { beginsWith: "token#" })) {
    const record = tokenRecordSchema.parse(object.value);
    if (!record.session || record.hash === actor.tokenHash) continue;
    await objects.transact([write.remove(keys.token(record.hash)), write.remove(object)]);
  }
}

/** A token of somebody else's, for a superadmin. Throws `user.notFound`, `token.notForJobs`. */
export async function impersonate(
  { objects, nowMs }: Pick<SignInDeps, "objects" | "nowMs">,
  actor: Actor,
  email: string,
  asked: { label?: string | null | undefined; expiration?: string | null | undefined; workspace_id?: string | null | undefined },
): Promise<string> {
  if (actor.kind === "job") throw new SvcError("token.notForJobs", {});
  const { person, stored } = await loadPerson({ objects }, email);
  const label = asked.label || `impersonated by ${actor.email}`;
  const { value, writes } = buildTokenWrites(person, { ...asked, label }, nowMs());
  const refused = await objects.transact([write.check(stored, "present"), ...writes]);
  if (refused !== undefined) throw new SvcError("user.notFound", { email });
  return value;
}
