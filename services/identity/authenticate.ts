import type { JobTable } from "../../aws/dynamodb/job-table.ts";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { publicKey } from "../../aws/kms/signing-keys.ts";
import { SvcError } from "../../contract/errors.ts";
import { keys, type ObjectKey } from "../../core/objects/keys.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import {
  hashToken,
  isJobToken,
  type JobClaims,
  LAST_USED_EVERY_MS,
  ownerKeyOf,
  type TokenRecord,
  tokenRecordSchema,
} from "../../core/people/token.ts";
import { identifyActor, rightsKeys } from "./identify.ts";
import { verifyJobToken } from "./job-token.ts";

export interface Authenticator {
  objects: Pick<ObjectTable, "getMany" | "update">;
  jobs: Pick<JobTable, "get">;
  publicKey: typeof publicKey;
  nowMs: () => number;
}

/** A deleted token is dead at once, so is a right that was taken, and a saved script is the newest at once: half a read unit each is what that costs. */
const CONSISTENT = { consistent: true };

/**
 * Who calls, what they may in the workspace that the call names, and whatever else the caller wants to read from the objects table (a
 * run's script head): all in one round trip, because a token ends in the key of its owner. Throws `auth.missing` and `auth.invalid`.
 */
export async function authenticate(
  { objects, jobs, publicKey, nowMs }: Authenticator,
  token: string | undefined,
  { workspace, alsoRead = [] }: { workspace?: string | undefined; alsoRead?: ObjectKey[] } = {},
): Promise<{ actor: Actor; read: (StoredObject | undefined)[] }> {
  if (!token) throw new SvcError("auth.missing", {});
  if (isJobToken(token)) {
    const claims = await verifyJobToken(publicKey, token, nowMs());
    const wanted = rightsKeys(personKey(claims.sub), workspace);
    const [job, found] = await Promise.all([jobs.get(claims.job), objects.getMany([...wanted, ...alsoRead], CONSISTENT)]);
    if (job?.state !== "running" || job.attempt !== claims.att) throw new SvcError("auth.invalid", {});
    const identity = await identifyActor(objects, claims.sub, claims.sa, workspace, found.slice(0, wanted.length));
    const startedBy = [job.starter, job.origin].flatMap((email) => email ?? []);
    return { actor: { ...identity, ...ofJob(claims), startedBy }, read: found.slice(wanted.length) };
  }
  const hint = ownerKeyOf(token);
  const wanted = hint === undefined ? [] : rightsKeys(hint, workspace);
  const [stored, ...found] = await objects.getMany([keys.token(hashToken(token)), ...wanted, ...alsoRead], CONSISTENT);
  const record = await liveToken(objects, stored, nowMs());
  const grants =
    hint === undefined ? await objects.getMany(rightsKeys(personKey(record.email), workspace), CONSISTENT) : found.slice(0, wanted.length);
  const identity = await identifyActor(objects, record.email, record.superAdmin, workspace, grants);
  return { actor: { ...identity, ...ofToken(record) }, read: found.slice(wanted.length) };
}

function ofJob({ job, att, ws, pa }: JobClaims) {
  return { kind: "job" as const, jobId: job, attempt: att, workspace: ws, permissionedAs: pa };
}

function ofToken({ hash, prefix, workspace, scopes, readOnly }: TokenRecord) {
  return {
    kind: "person" as const,
    tokenHash: hash,
    tokenPrefix: prefix,
    ...(workspace === undefined ? {} : { workspace }),
    ...(scopes ? { scopes } : {}),
    ...(readOnly ? { readOnly } : {}),
  };
}

async function liveToken(objects: Pick<ObjectTable, "update">, found: StoredObject | undefined, nowMs: number): Promise<TokenRecord> {
  if (!found) throw new SvcError("auth.invalid", {});
  const record = tokenRecordSchema.parse(found.value);
  if (record.expiresAtMs !== undefined && record.expiresAtMs <= nowMs) throw new SvcError("auth.invalid", {});
  if (nowMs - record.lastUsedAtMs > LAST_USED_EVERY_MS) {
    const used = { ...record, lastUsedAtMs: nowMs };
    // A token that was deleted meanwhile must not come back, nor one whose scopes were changed get its old ones.
    const unchanged = found.version === undefined ? ("unversioned" as const) : { version: found.version };
    await objects.update({ ...keys.token(record.hash), value: used }, unchanged);
    await objects.update({ ...keys.userToken(record.email, record.prefix, record.hash), value: used }, unchanged);
  }
  return record;
}
