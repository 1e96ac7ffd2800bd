import type { ObjectTable } from "../../aws/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { NewToken, TruncatedTokenJson } from "../../contract/routes/people.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { newTokenValue, type TokenRecord, tokenRecordSchema } from "../../core/people/token.ts";

interface Collaborators {
  objects: ObjectTable;
  nowMs: () => number;
}

/** The parts of a transaction that make a token, and its value: the only time that it is known. */
export function tokenWrites(owner: { email: string; username: string; superAdmin: boolean }, asked: NewToken, nowMs: number) {
  const { value, hash, prefix } = newTokenValue();
  const expiresAtMs = asked.expiration ? Date.parse(asked.expiration) : undefined;
  const record: TokenRecord = {
    hash,
    prefix,
    ...owner,
    ...(asked.label ? { label: asked.label } : {}),
    ...(asked.workspace_id ? { workspace: asked.workspace_id } : {}),
    createdAtMs: nowMs,
    lastUsedAtMs: nowMs,
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  };
  const ttl = expiresAtMs === undefined ? {} : { expiresAtS: Math.ceil(expiresAtMs / 1000) };
  return {
    value,
    writes: [
      write.put({ ...keys.token(hash), value: record, ...ttl }, "absent"),
      write.put({ ...keys.userToken(owner.email, prefix, hash), value: record, ...ttl }, "absent"),
    ],
  };
}

/** Throws `token.notForJobs`: a job's rights end with the job, a token of its own would not. */
export async function createToken({ objects, nowMs }: Collaborators, actor: Actor, asked: NewToken): Promise<string> {
  if (actor.kind === "job") throw new SvcError("token.notForJobs", {});
  // A bound token makes no token that reaches further than itself.
  const bound = actor.workspace === undefined ? asked : { ...asked, workspace_id: actor.workspace };
  const { email, username, superAdmin } = actor;
  const { value, writes } = tokenWrites({ email, username, superAdmin }, bound, nowMs());
  await objects.transact(writes);
  return value;
}

export async function listTokens(
  { objects, nowMs }: Collaborators,
  actor: Actor,
  { page = 1, per_page = limits.perPage }: { page?: number | undefined; per_page?: number | undefined },
): Promise<TruncatedTokenJson[]> {
  const stored = await objects.list(`USER#${actor.email.toLowerCase()}`, { beginsWith: "token#" });
  const size = Math.min(per_page, limits.maxPerPage);
  const start = (Math.max(page, 1) - 1) * size;
  return stored
    .map(({ value }) => tokenRecordSchema.parse(value))
    .filter((record) => record.expiresAtMs === undefined || record.expiresAtMs > nowMs())
    .sort((a, b) => b.createdAtMs - a.createdAtMs || a.hash.localeCompare(b.hash))
    .slice(start, start + size)
    .map((record) => ({
      token_prefix: record.prefix,
      created_at: new Date(record.createdAtMs).toISOString(),
      last_used_at: new Date(record.lastUsedAtMs).toISOString(),
      read_only: false,
      email: record.email,
      ...(record.label === undefined ? {} : { label: record.label }),
      ...(record.workspace === undefined ? {} : { workspace_id: record.workspace }),
      ...(record.expiresAtMs === undefined ? {} : { expiration: new Date(record.expiresAtMs).toISOString() }),
    }));
}

/**
 * Deletes the token that begins so, and answers the first characters of it that may be shown: somebody may send the whole value.
 * Throws `token.notFound`, `token.ambiguous`, `token.notForJobs`.
 */
export async function deleteToken({ objects }: Collaborators, actor: Actor, sent: string): Promise<string> {
  const prefix = sent.slice(0, limits.tokenPrefixChars);
  if (actor.kind === "job") throw new SvcError("token.notForJobs", {});
  const found = await objects.list(`USER#${actor.email.toLowerCase()}`, { beginsWith: `token#${prefix}` });
  const [only, second] = found;
  if (!only) throw new SvcError("token.notFound", { prefix });
  if (second) throw new SvcError("token.ambiguous", { prefix });
  const { hash } = tokenRecordSchema.parse(only.value);
  await objects.transact([write.remove(keys.token(hash)), write.remove({ pk: only.pk, sk: only.sk })]);
  return prefix;
}
