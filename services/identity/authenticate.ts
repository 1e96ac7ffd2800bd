import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { findDelegation, getTreeId, type Job } from "../../core/jobs/record/job.ts";
import type { ObjectKey } from "../../core/objects/write.ts";
import { type StoredObject, unchangedSince } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import {
  hashToken,
  isJobToken,
  type JobClaims,
  LAST_USED_EVERY_MS,
  parseOwnerKey,
  type TokenRecord,
  tokenObject,
  userTokenObject,
} from "../../core/people/token.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import type { Uses } from "../uses.ts";
import { buildRightsKeys, identifyActor } from "./identify.ts";
import { verifyJobToken } from "./tokens/job-token.ts";

/** A deleted token, a revoked right and a saved script must take effect at once. This costs half a read unit for each item. */
const CONSISTENT = { consistent: true };

/**
 * Identifies the caller by a token, with the rights in the workspace that the call names, and reads `alsoRead` (such as a script head) from
 * the objects table. All of this takes one round trip, because a token ends in the key of its owner. Throws `auth.missing` and
 * `auth.invalid`.
 */
export async function authenticate(
  { objects, jobs, publicKey, nowMs }: Uses<"jobs" | "objects" | "publicKey" | "nowMs">,
  token: string | undefined,
  { workspace, alsoRead = [] }: { workspace?: string | undefined; alsoRead?: ObjectKey[] } = {},
): Promise<{ actor: Actor; read: (StoredObject | undefined)[] }> {
  if (!token) throw new SvcError("auth.missing", {});
  if (isJobToken(token)) {
    const claims = await verifyJobToken(publicKey, token, nowMs());
    const keys = buildRightsKeys(personKey(claims.sub), workspace);
    const [job, found] = await Promise.all([jobs.get(claims.job), objects.batchGet([...keys, ...alsoRead], CONSISTENT)]);
    if (job?.state !== "running" || job.attempt !== claims.att) throw new SvcError("auth.invalid", {});
    const identity = identifyActor(
      // The group of a job has rights only in the job's workspace. Elsewhere there is no such user.
      { email: claims.sub, superAdmin: claims.sa, workspace, ...(workspace === claims.ws ? { permissionedAs: claims.pa } : {}) },
      found.slice(0, keys.length),
    );
    const startedBy = [job.starter, job.origin].flatMap((email) => email ?? []);
    return { actor: { ...identity, ...jobActorFields(claims, job), startedBy }, read: found.slice(keys.length) };
  }
  const owner = parseOwnerKey(token);
  if (owner === undefined) throw new SvcError("auth.invalid", {});
  const keys = buildRightsKeys(owner, workspace);
  const [stored, ...found] = await objects.batchGet([tokenObject.key(hashToken(token)), ...keys, ...alsoRead], CONSISTENT);
  const record = await requireLiveToken(objects, stored, nowMs());
  const claimed = { email: record.email, superAdmin: record.superAdmin, workspace };
  const identity = identifyActor(claimed, found.slice(0, keys.length));
  return { actor: { ...identity, ...tokenActorFields(record) }, read: found.slice(keys.length) };
}

function jobActorFields({ job: jobId, att: attempt, ws: workspace, pa: permissionedAs }: JobClaims, job: Job) {
  const { parent, root } = job;
  const lineage = { ...defined({ parent, root }), tree: getTreeId(job) };
  const handler = job.isHandler ? { isHandler: true as const } : {};
  const delegatedBy = findDelegation(job);
  return {
    kind: "job" as const,
    jobId,
    attempt,
    workspace,
    permissionedAs,
    ...lineage,
    ...handler,
    ...defined({ delegatedBy }),
  };
}

function tokenActorFields({ hash, prefix, workspace, scopes, readOnly, session, expiresAtMs }: TokenRecord) {
  return {
    kind: "person" as const,
    tokenHash: hash,
    tokenPrefix: prefix,
    ...defined({ tokenExpiresAtMs: session ? undefined : expiresAtMs, workspace, scopes }),
    ...(readOnly ? { readOnly } : {}),
  };
}

async function requireLiveToken(
  objects: Pick<ObjectStore, "update">,
  found: StoredObject | undefined,
  nowMs: number,
): Promise<TokenRecord> {
  if (!found) throw new SvcError("auth.invalid", {});
  const record = tokenObject.parse(found);
  if (record.expiresAtMs !== undefined && record.expiresAtMs <= nowMs) throw new SvcError("auth.invalid", {});
  if (nowMs - record.lastUsedAtMs > LAST_USED_EVERY_MS) {
    const used = { ...record, lastUsedAtMs: nowMs };
    // The condition prevents this write from restoring a token that was just deleted, or scopes that were just changed.
    const unchanged = unchangedSince(found);
    await objects.update({ ...tokenObject.key(record.hash), value: used }, unchanged);
    await objects.update({ ...userTokenObject.key(record.email, record.prefix, record.hash), value: used }, unchanged);
  }
  return record;
}
