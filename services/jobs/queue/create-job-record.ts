import type { Child } from "../../../aws/dynamodb/job-items.ts";
import { SvcError } from "../../../contract/errors.ts";
import { type EndedJob, hasEnded, type Job } from "../../../core/jobs/record/job.ts";
import { firstDueMs } from "../../../core/jobs/record/lifecycle.ts";
import { repeatedCallObject } from "../../../core/jobs/repeated-call.ts";
import type { ObjectKey } from "../../../core/objects/write.ts";
import { type ObjectWrite, unchangedSince, write } from "../../../core/objects/write.ts";
import type { Uses } from "../../uses.ts";
import { nextCheckMs } from "../lifecycle/next-check.ts";

/** The idempotency key of a call (`Idempotency-Key`, `webhook-id`): the item that records the call, and a fingerprint of its arguments. */
export interface IdempotencyKey {
  key: ObjectKey;
  fingerprint: string;
  /** The time for which the call is recorded, in milliseconds. */
  retentionMs: number;
  /** The service chose the key for a stream. Its caller does not know the key yet, so no caller repeats a failed call. */
  ofStream?: true;
  /** Another key of the same call. The call starts nothing if either is known. */
  also?: IdempotencyKey;
}

/** Returns the job that an earlier call with one of these keys has started. Throws `idempotency.reused` if that call had other arguments. */
export async function findPreviousRun(deps: Uses<"jobs" | "objects" | "nowMs">, key: IdempotencyKey): Promise<Job | undefined> {
  return (await findRunOfKey(deps, key)) ?? (key.also && findPreviousRun(deps, key.also));
}

async function findRunOfKey({ jobs, objects }: Uses<"jobs" | "objects">, { key, fingerprint }: IdempotencyKey): Promise<Job | undefined> {
  const found = await objects.get(key);
  if (!found) return undefined;
  const repeatedCall = repeatedCallObject.parse(found);
  const job = await jobs.get(repeatedCall.job);
  // The job no longer exists, so the key is free. It is removed only if unchanged, because an equal call may have used it again since.
  if (!job) await objects.transactWrite([write.remove(key, unchangedSince(found))]);
  else if (repeatedCall.fingerprint !== fingerprint) throw new SvcError("idempotency.reused", { id: job.id });
  return job;
}

/**
 * Creates a job's record and, in the same transaction, the record of its idempotency key and the job's items `children`. Returns the other job
 * if another call with the same key was first. Throws `job.idTaken` and `idempotency.reused`.
 */
export async function createJobRecord(
  deps: Uses<"jobs" | "objects" | "nowMs">,
  job: Job,
  idempotencyKey: IdempotencyKey | undefined,
  children: readonly Child[] = [],
): Promise<Job | undefined> {
  const { jobs, objects, nowMs } = deps;
  const dueMs = hasEnded(job) ? endedDueMs(job) : firstDueMs(job.createdAtMs, job.scheduledForMs);
  const jobWrites = [{ raw: { Put: jobs.createParams(job, dueMs) } }, ...children.map((child) => ({ raw: jobs.putChildParams(child) }))];
  if (!idempotencyKey) {
    const isCreated = children.length === 0 ? await jobs.create(job, dueMs) : (await objects.transactWrite(jobWrites)) === undefined;
    if (!isCreated) throw new SvcError("job.idTaken", { id: job.id });
    return undefined;
  }
  const remembered = buildKeyWrites(idempotencyKey, job.id, nowMs());
  for (let tries = 0; tries < TRIES; tries += 1) {
    const refused = await objects.transactWrite([...remembered, ...jobWrites]);
    if (refused === undefined) return undefined;
    if (refused >= remembered.length) throw new SvcError("job.idTaken", { id: job.id });
    const other = await findPreviousRun(deps, idempotencyKey);
    if (other) return other;
  }
  throw new SvcError("write.collided", {});
}

/** Returns the writes that record the keys of a call with its job, unless another call has recorded one of them. */
export function buildKeyWrites({ key, fingerprint, retentionMs, also }: IdempotencyKey, job: string, nowMs: number): ObjectWrite[] {
  const nowS = Math.floor(nowMs / 1000);
  const record = { ...key, value: { job, fingerprint }, version: job, expiresAtS: nowS + Math.ceil(retentionMs / 1000) };
  return [write.put(record, { absentOrExpiredAtS: nowS }), ...(also ? buildKeyWrites(also, job, nowMs) : [])];
}

/** Returns the time at which housekeeping checks a job that is created as ended. */
function endedDueMs(job: EndedJob): number | undefined {
  const checkAtMs = Math.min(job.eraseAtMs ?? Number.POSITIVE_INFINITY, nextCheckMs(job, job.endedAtMs));
  return Number.isFinite(checkAtMs) ? checkAtMs : undefined;
}

/** The number of attempts to reuse a key whose job no longer exists. Each lost attempt means that an equal call used it first. */
const TRIES = 5;
