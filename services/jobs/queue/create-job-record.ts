import type { JobTable } from "../../../aws/dynamodb/job-table.ts";
import type { ObjectTable } from "../../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../../contract/errors.ts";
import { hasEnded, type Job } from "../../../core/jobs/job.ts";
import { firstDueMs } from "../../../core/jobs/lifecycle.ts";
import type { ObjectKey } from "../../../core/objects/keys.ts";
import { write } from "../../../core/objects/write.ts";

/** A call that may come again (`Idempotency-Key`, `webhook-id`): the item that remembers it, and what was asked. */
export interface IdempotencyKey {
  key: ObjectKey;
  fingerprint: string;
  keptMs: number;
}

export interface CreateJobDeps {
  jobs: JobTable;
  objects: Pick<ObjectTable, "get" | "transact" | "remove">;
  nowMs: () => number;
}

/** The job that an earlier call with this key has started. Throws `idempotency.reused` when it asked for something else. */
export async function findPreviousRun({ jobs, objects }: CreateJobDeps, { key, fingerprint }: IdempotencyKey): Promise<Job | undefined> {
  const found = await objects.get(key);
  if (!found) return undefined;
  const known = found.value as { job: string; fingerprint: string };
  const job = await jobs.get(known.job);
  // Its message could not be sent and the record was taken back: nothing has happened yet.
  if (!job) await objects.remove(key);
  else if (known.fingerprint !== fingerprint) throw new SvcError("idempotency.reused", { id: job.id });
  return job;
}

/**
 * Makes a job's record and, in the same transaction, the one of its call. Answers the other job when another call with the same
 * key was first by a moment. Throws `job.idTaken` and `idempotency.reused`.
 */
export async function createJobRecord(deps: CreateJobDeps, job: Job, once: IdempotencyKey | undefined): Promise<Job | undefined> {
  const { jobs, objects, nowMs } = deps;
  const dueMs = hasEnded(job) ? undefined : firstDueMs(job.createdAtMs, job.scheduledForMs);
  if (!once) {
    if (!(await jobs.create(job, dueMs))) throw new SvcError("job.idTaken", { id: job.id });
    return undefined;
  }
  const nowS = Math.floor(nowMs() / 1000);
  const remembered = {
    ...once.key,
    value: { job: job.id, fingerprint: once.fingerprint },
    expiresAtS: nowS + once.keptMs / 1000,
  };
  const refused = await objects.transact([
    write.put(remembered, { absentOrExpiredAtS: nowS }),
    { raw: { Put: jobs.createParams(job, dueMs) } },
  ]);
  if (refused === undefined) return undefined;
  const other = await findPreviousRun(deps, once);
  if (refused === 0 && other) return other;
  throw new SvcError("job.idTaken", { id: job.id });
}
