import type { JobTable } from "../../aws/job-table.ts";
import type { publicKey } from "../../aws/keys.ts";
import type { ObjectTable } from "../../aws/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { keys, type ObjectKey } from "../../core/objects/keys.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import type { Actor, JobActor, Person } from "../../core/people/actor.ts";
import { hashToken, isJobToken, LAST_USED_EVERY_MS, tokenRecordSchema } from "../../core/people/token.ts";
import { readJobToken } from "./job-token.ts";

export interface Authenticator {
  objects: Pick<ObjectTable, "getMany" | "update">;
  jobs: Pick<JobTable, "get">;
  publicKey: typeof publicKey;
  nowMs: () => number;
}

/** A deleted token is dead at once, and a saved script is the newest at once: half a read unit each is what that costs. */
const CONSISTENT = { consistent: true };

/**
 * Who calls, and whatever else the caller wants to read from the objects table in the same round trip (a run's script head).
 * Throws `auth.missing` and `auth.invalid`.
 */
export async function authenticate(
  { objects, jobs, publicKey, nowMs }: Authenticator,
  token: string | undefined,
  alsoRead: ObjectKey[] = [],
): Promise<{ actor: Actor; read: (StoredObject | undefined)[] }> {
  if (!token) throw new SvcError("auth.missing", {});
  if (isJobToken(token)) {
    const [actor, read] = await Promise.all([
      jobActor(jobs, publicKey, token, nowMs()),
      alsoRead.length ? objects.getMany(alsoRead, CONSISTENT) : [],
    ]);
    return { actor, read };
  }
  const [record, ...read] = await objects.getMany([keys.token(hashToken(token)), ...alsoRead], CONSISTENT);
  return { actor: await person(objects, record, nowMs()), read };
}

async function jobActor(jobs: Pick<JobTable, "get">, readKey: typeof publicKey, token: string, nowMs: number): Promise<JobActor> {
  const claims = await readJobToken(readKey, token, nowMs);
  const job = await jobs.get(claims.job);
  if (job?.state !== "running" || job.attempt !== claims.att) throw new SvcError("auth.invalid", {});
  return {
    kind: "job",
    email: claims.sub,
    username: claims.usr,
    superAdmin: claims.sa,
    jobId: claims.job,
    attempt: claims.att,
    workspace: claims.ws,
    permissionedAs: claims.pa,
  };
}

async function person(objects: Pick<ObjectTable, "update">, found: StoredObject | undefined, nowMs: number): Promise<Person> {
  if (!found) throw new SvcError("auth.invalid", {});
  const record = tokenRecordSchema.parse(found.value);
  if (record.expiresAtMs !== undefined && record.expiresAtMs <= nowMs) throw new SvcError("auth.invalid", {});
  if (nowMs - record.lastUsedAtMs > LAST_USED_EVERY_MS) {
    const used = { ...record, lastUsedAtMs: nowMs };
    // A token that was deleted meanwhile must not come back.
    await objects.update({ ...keys.token(record.hash), value: used }, "present");
    await objects.update({ ...keys.userToken(record.email, record.prefix, record.hash), value: used }, "present");
  }
  return {
    kind: "person",
    email: record.email,
    username: record.username,
    superAdmin: record.superAdmin,
    tokenHash: record.hash,
    tokenPrefix: record.prefix,
    ...(record.workspace === undefined ? {} : { workspace: record.workspace }),
  };
}
