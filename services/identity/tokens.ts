import { randomUUID } from "node:crypto";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { NewToken, TruncatedTokenJson } from "../../contract/routes/people/tokens.ts";
import { keys } from "../../core/objects/keys.ts";
import { type StoredObject, write } from "../../core/objects/write.ts";
import type { Actor, Person } from "../../core/people/actor.ts";
import { newTokenValue, type TokenRecord, tokenRecordSchema } from "../../core/people/token.ts";
import { parseScope } from "../../core/permissions/scopes.ts";

export interface TokenDeps {
  objects: ObjectTable;
  nowMs: () => number;
}
type Owner = Pick<TokenRecord, "email" | "username" | "superAdmin">;
const ofUser = (email: string) => `USER#${email.toLowerCase()}`;

/** The parts of a transaction that make a token, and its value: the only time that it is known. Throws `token.unknownScope`. */
export function buildTokenWrites(owner: Owner, asked: NewToken & { session?: boolean }, nowMs: number) {
  const { value, hash, prefix } = newTokenValue(owner.email);
  const expiresAtMs = asked.expiration ? Date.parse(asked.expiration) : undefined;
  const record: TokenRecord = {
    hash,
    prefix,
    email: owner.email,
    username: owner.username,
    superAdmin: owner.superAdmin,
    ...(asked.label ? { label: asked.label } : {}),
    ...(asked.workspace_id ? { workspace: asked.workspace_id } : {}),
    ...(asked.scopes ? { scopes: knownScopes(asked.scopes) } : {}),
    ...(asked.read_only ? { readOnly: true } : {}),
    ...(asked.session ? { session: true } : {}),
    createdAtMs: nowMs,
    lastUsedAtMs: nowMs,
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  };
  const rest = {
    value: record,
    version: randomUUID(),
    ...(expiresAtMs === undefined ? {} : { expiresAtS: Math.ceil(expiresAtMs / 1000) }),
  };
  return {
    value,
    writes: [
      write.put({ ...keys.token(hash), ...rest }, "absent"),
      write.put({ ...keys.userToken(owner.email, prefix, hash), ...rest }, "absent"),
    ],
  };
}

function knownScopes(scopes: string[]): string[] {
  for (const scope of scopes) if (!parseScope(scope)) throw new SvcError("token.unknownScope", { scope });
  return [...new Set(scopes)];
}

/** Throws `token.notForJobs`: a job's rights end with the job, a token of its own would not. */
export async function createToken({ objects, nowMs }: TokenDeps, actor: Actor, asked: NewToken): Promise<string> {
  const { email, username, superAdmin, workspace } = aPerson(actor);
  // A bound token makes no token that reaches further than itself; scoped ones make none at all.
  const bound = workspace === undefined ? asked : { ...asked, workspace_id: workspace };
  const { value, writes } = buildTokenWrites({ email, username, superAdmin }, bound, nowMs());
  await objects.transact(writes);
  return value;
}

/** The caller's tokens, of a bound one those bound to the same workspace. */
export async function listTokens(
  { objects, nowMs }: TokenDeps,
  actor: Actor,
  query: { page?: number | undefined; per_page?: number | undefined; exclude_ephemeral?: boolean | undefined },
): Promise<TruncatedTokenJson[]> {
  const { page = 1, per_page = limits.perPage, exclude_ephemeral: lastingOnly = false } = query;
  const stored = await objects.list(ofUser(actor.email), { beginsWith: "token#" });
  const size = Math.min(per_page, limits.maxPerPage);
  const start = (Math.max(page, 1) - 1) * size;
  return stored
    .map(({ value }) => tokenRecordSchema.parse(value))
    .filter((record) => (record.expiresAtMs === undefined || record.expiresAtMs > nowMs()) && !(lastingOnly && record.session))
    .filter((record) => actor.workspace === undefined || record.workspace === actor.workspace)
    .sort((a, b) => b.createdAtMs - a.createdAtMs || a.hash.localeCompare(b.hash))
    .slice(start, start + size)
    .map((record) => ({
      token_prefix: record.prefix,
      created_at: new Date(record.createdAtMs).toISOString(),
      last_used_at: new Date(record.lastUsedAtMs).toISOString(),
      read_only: record.readOnly ?? false,
      email: record.email,
      ...(record.label === undefined ? {} : { label: record.label }),
      ...(record.scopes === undefined ? {} : { scopes: record.scopes }),
      ...(record.workspace === undefined ? {} : { workspace_id: record.workspace }),
      ...(record.expiresAtMs === undefined ? {} : { expiration: new Date(record.expiresAtMs).toISOString() }),
    }));
}

/**
 * Deletes the token that begins so, and answers the first characters of it that may be shown: somebody may send the whole value.
 * Throws `token.notFound`, `token.ambiguous`, `token.notForJobs`, `token.tooWide`.
 */
export async function deleteToken({ objects }: TokenDeps, actor: Actor, sent: string): Promise<string> {
  const { object, record } = await ownToken(objects, actor, sent);
  await objects.transact([write.remove(keys.token(record.hash)), write.remove(object)]);
  return record.prefix;
}

/** Throws `token.notFound`, `token.ambiguous`, `token.notForJobs`, `token.unknownScope`, `token.tooWide`, `token.changedMeanwhile`. */
export async function updateToken(
  { objects }: TokenDeps,
  actor: Actor,
  sent: string,
  change: { scopes?: string[] | null; label?: string | null },
): Promise<string> {
  const { object, record } = await ownToken(objects, actor, sent);
  const { label, scopes, ...rest } = record;
  const newLabel = "label" in change ? change.label || undefined : label;
  const newScopes = "scopes" in change ? (change.scopes ? knownScopes(change.scopes) : undefined) : scopes;
  const value = { ...rest, ...(newLabel === undefined ? {} : { label: newLabel }), ...(newScopes ? { scopes: newScopes } : {}) };
  const unchanged = object.version === undefined ? ("unversioned" as const) : { version: object.version };
  const version = randomUUID();
  const refused = await objects.transact([
    write.update({ ...keys.token(record.hash), value, version: version }, unchanged),
    write.update({ pk: object.pk, sk: object.sk, value, version: version }, unchanged),
  ]);
  if (refused !== undefined) throw new SvcError("token.changedMeanwhile", {});
  return record.prefix;
}

async function ownToken(objects: ObjectTable, actor: Actor, sent: string): Promise<{ object: StoredObject; record: TokenRecord }> {
  const prefix = sent.slice(0, limits.tokenPrefixChars);
  const [object, second] = await objects.list(ofUser(aPerson(actor).email), { beginsWith: `token#${prefix}` });
  if (!object) throw new SvcError("token.notFound", { prefix });
  if (second) throw new SvcError("token.ambiguous", { prefix });
  const record = tokenRecordSchema.parse(object.value);
  if (actor.workspace !== undefined && record.workspace !== actor.workspace) throw new SvcError("token.tooWide", {});
  return { object, record };
}

function aPerson(actor: Actor): Person {
  if (actor.kind === "job") throw new SvcError("token.notForJobs", {});
  return actor;
}

/** Ends every token of a user. Done again it goes on where it stopped. */
export async function deleteAllTokens({ objects }: Pick<TokenDeps, "objects">, email: string): Promise<void> {
  for (const object of await objects.list(ofUser(email), { beginsWith: "token#" })) {
    await objects.transact([write.remove(keys.token(tokenRecordSchema.parse(object.value).hash)), write.remove(object)]);
  }
}
