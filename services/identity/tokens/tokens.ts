import { randomUUID } from "node:crypto";
import { defined, mapDefined } from "../../../contract/defined.ts";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import type { NewToken, TruncatedTokenJson } from "../../../contract/routes/people/tokens.ts";
import { toIsoTime } from "../../../contract/utilities/iso-time.ts";
import { type StoredObject, unchangedSince, write } from "../../../core/objects/write.ts";
import type { Actor, Person, WorkspaceCaller } from "../../../core/people/actor.ts";
import { createTokenValue, type TokenRecord, tokenObject, userTokenObject } from "../../../core/people/token.ts";
import { toTokenBadge } from "../../../core/people/token-expiry.ts";
import { namesRunOf, parseScope } from "../../../core/permissions/scopes.ts";
import type { ObjectStore } from "../../../ports/object-store.ts";
import type { Uses } from "../../uses.ts";
import { buildExpiryUpdate, buildExpiryWrites, buildTokenRemovals } from "./token-expiry.ts";

type Owner = Pick<TokenRecord, "email" | "username" | "superAdmin">;
/** Housekeeping deletes an expired token within minutes. DynamoDB deletes it this long after its end if housekeeping does not run. */
const TTL_AFTER_MS = 7 * 24 * 3600_000;

/** Builds the writes that create a token, and returns its value, which is not stored. Throws `token.unknownScope`. */
export function buildTokenWrites(owner: Owner, request: NewToken & { session?: boolean }, nowMs: number) {
  const { value, hash, prefix } = createTokenValue(owner.email);
  const expiresAtMs = request.expiration ? Date.parse(request.expiration) : undefined;
  const record: TokenRecord = {
    hash,
    prefix,
    email: owner.email,
    username: owner.username,
    superAdmin: owner.superAdmin,
    ...(request.label ? { label: request.label } : {}),
    ...(request.workspace_id ? { workspace: request.workspace_id } : {}),
    ...(request.scopes ? { scopes: checkScopes(request.scopes) } : {}),
    ...(request.read_only ? { readOnly: true } : {}),
    ...(request.session ? { session: true } : {}),
    createdAtMs: nowMs,
    lastUsedAtMs: nowMs,
    ...defined({ expiresAtMs }),
  };
  const rest = {
    value: record,
    version: randomUUID(),
    ...defined({ expiresAtS: mapDefined(expiresAtMs, (atMs) => Math.ceil((atMs + TTL_AFTER_MS) / 1000)) }),
  };
  return {
    value,
    prefix,
    writes: [
      write.put({ ...tokenObject.key(hash), ...rest }, "absent"),
      write.put({ ...userTokenObject.key(owner.email, prefix, hash), ...rest }, "absent"),
      ...buildExpiryWrites(record),
    ],
  };
}

function checkScopes(scopes: string[]): string[] {
  for (const scope of scopes) if (!parseScope(scope)) throw new SvcError("token.unknownScope", { scope });
  return [...new Set(scopes)];
}

/**
 * Creates a token for the caller and returns its value. Throws `token.unknownScope`, `token.tooWide` from a token that expires earlier, and `token.notForJobs` because a job's rights end with
 * the job and a token's would not.
 */
export async function createToken({ objects, nowMs }: Uses<"objects" | "nowMs">, actor: Actor, request: NewToken): Promise<string> {
  const { email, username, superAdmin, workspace } = requirePerson(actor);
  checkExpiration(actor, request.expiration);
  // A bound token can only create tokens for its own workspace. Scoped tokens cannot create any.
  const bound = workspace === undefined ? request : { ...request, workspace_id: workspace };
  const { value, writes } = buildTokenWrites({ email, username, superAdmin }, bound, nowMs());
  await objects.transactWrite(writes);
  return value;
}

/** Throws `token.tooWide` if a caller whose token expires would create a token that is valid for longer. */
export function checkExpiration(actor: Actor, expiration: string | null | undefined): void {
  const endsAtMs = expiration ? Date.parse(expiration) : Number.POSITIVE_INFINITY;
  if (actor.kind === "person" && endsAtMs > (actor.tokenExpiresAtMs ?? Number.POSITIVE_INFINITY)) throw new SvcError("token.tooWide", {});
}

/** Counts the valid tokens of a user that reach a workspace, without sessions. */
export async function countTokens({ objects, nowMs }: Uses<"objects" | "nowMs">, email: string, workspace: string): Promise<number> {
  const stored = await objects.list(userTokenObject.partitionKey(email), { beginsWith: "token#" });
  const reaches = ({ session, workspace: bound = workspace, expiresAtMs }: TokenRecord) =>
    !session && bound === workspace && (expiresAtMs ?? Number.POSITIVE_INFINITY) > nowMs();
  return userTokenObject.parseReadable(stored).filter(reaches).length;
}

/** Lists the caller's tokens, the newest first, with expired ones until housekeeping deletes them; for a bound token, those of the same workspace. */
export async function listTokens(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  actor: Actor,
  query: { page?: number | undefined; per_page?: number | undefined; exclude_ephemeral?: boolean | undefined },
): Promise<TruncatedTokenJson[]> {
  const { page = 1, per_page = limits.perPage, exclude_ephemeral: lastingOnly = false } = query;
  const stored = await objects.list(userTokenObject.partitionKey(actor.email), { beginsWith: "token#" });
  const size = Math.min(per_page, limits.maxPerPage);
  const start = (Math.max(page, 1) - 1) * size;
  return userTokenObject
    .parseReadable(stored)
    .filter((record) => !(lastingOnly && record.session))
    .filter((record) => actor.workspace === undefined || record.workspace === actor.workspace)
    .sort((a, b) => b.createdAtMs - a.createdAtMs || a.hash.localeCompare(b.hash))
    .slice(start, start + size)
    .map((record) => ({
      token_prefix: record.prefix,
      created_at: new Date(record.createdAtMs).toISOString(),
      last_used_at: new Date(record.lastUsedAtMs).toISOString(),
      read_only: record.readOnly ?? false,
      badge: toTokenBadge(record.expiresAtMs, nowMs()),
      email: record.email,
      ...defined({
        label: record.label,
        scopes: record.scopes,
        workspace_id: record.workspace,
        expiration: mapDefined(record.expiresAtMs, toIsoTime),
      }),
    }));
}

/** Lists the caller's tokens with a scope to run the script or flow at a path, as `listTokens` does, and at most `limits.maxPerPage`. */
export async function listRunTokens(
  deps: Uses<"objects" | "nowMs">,
  { actor, workspace }: WorkspaceCaller,
  { runs, path }: { runs: "scripts" | "flows"; path: string },
): Promise<TruncatedTokenJson[]> {
  // No scope covers tokens, and a job cannot list them.
  if (actor.kind === "job" || actor.scopes) return [];
  const tokens = await listTokens(deps, actor, { per_page: limits.maxPerPage });
  return tokens.filter(
    ({ scopes, workspace_id: bound }) => (bound ?? workspace) === workspace && scopes?.some((scope) => namesRunOf(scope, runs, path)),
  );
}

/**
 * Deletes the caller's token with a given prefix and returns the prefix. `tokenOrPrefix` may be the complete token: only its first characters are used.
 * Throws `token.notFound`, `token.ambiguous`, `token.notForJobs`, `token.tooWide`.
 */
export async function deleteToken({ objects }: Uses<"objects">, actor: Actor, tokenOrPrefix: string): Promise<string> {
  const { record } = await findOwnToken(objects, actor, tokenOrPrefix);
  await objects.transactWrite(buildTokenRemovals(record));
  return record.prefix;
}

/**
 * Changes the scopes or the label of the caller's token with a given prefix, and returns the prefix. Throws `token.notFound`,
 * `token.ambiguous`, `token.notForJobs`, `token.unknownScope`, `token.tooWide`, `token.changedMeanwhile`.
 */
export async function updateToken(
  { objects }: Uses<"objects">,
  actor: Actor,
  tokenOrPrefix: string,
  change: { scopes?: string[] | null; label?: string | null },
): Promise<string> {
  const { object, record } = await findOwnToken(objects, actor, tokenOrPrefix);
  if ("scopes" in change) checkExpiration(actor, record.expiresAtMs === undefined ? null : toIsoTime(record.expiresAtMs));
  const { label, scopes, ...rest } = record;
  const newLabel = "label" in change ? change.label || undefined : label;
  const newScopes = "scopes" in change ? (change.scopes ? checkScopes(change.scopes) : undefined) : scopes;
  const value = { ...rest, ...defined({ label: newLabel, scopes: newScopes }) };
  const unchanged = unchangedSince(object);
  const version = randomUUID();
  const refused = await objects.transactWrite([
    write.update({ ...tokenObject.key(record.hash), value, version }, unchanged),
    write.update({ pk: object.pk, sk: object.sk, value, version }, unchanged),
    ...("label" in change ? await buildExpiryUpdate(objects, value) : []),
  ]);
  if (refused !== undefined) throw new SvcError("token.changedMeanwhile", {});
  return record.prefix;
}

async function findOwnToken(
  objects: ObjectStore,
  actor: Actor,
  tokenOrPrefix: string,
): Promise<{ object: StoredObject; record: TokenRecord }> {
  const prefix = tokenOrPrefix.slice(0, limits.tokenPrefixChars);
  const [object, second] = await objects.list(userTokenObject.partitionKey(requirePerson(actor).email), { beginsWith: `token#${prefix}` });
  if (!object) throw new SvcError("token.notFound", { prefix });
  if (second) throw new SvcError("token.ambiguous", { prefix });
  const record = userTokenObject.parse(object);
  if (actor.workspace !== undefined && record.workspace !== actor.workspace) throw new SvcError("token.tooWide", {});
  return { object, record };
}

function requirePerson(actor: Actor): Person {
  if (actor.kind === "job") throw new SvcError("token.notForJobs", {});
  return actor;
}

/** Returns the caller behind a session, or behind a token that allows everything which they may do. Throws `token.notForJobs`, `token.tooWide`. */
export function requireUnlimitedPerson(actor: Actor): Person {
  const person = requirePerson(actor);
  if (person.workspace !== undefined || person.scopes || person.readOnly) throw new SvcError("token.tooWide", {});
  return person;
}

/** Deletes every token of a user. Repeating it continues where an earlier call stopped. */
export async function deleteAllTokens({ objects }: Uses<"objects">, email: string): Promise<void> {
  for (const object of await objects.list(userTokenObject.partitionKey(email), { beginsWith: "token#" })) {
    await objects.transactWrite(buildTokenRemovals(userTokenObject.parse(object)));
  }
}
