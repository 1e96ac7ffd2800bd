import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { Job } from "../../core/jobs/record/job.ts";
import { firstDueMs } from "../../core/jobs/record/lifecycle.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import type { StoredTrigger } from "../../core/triggers/trigger.ts";
import { heldJobObject } from "../../core/triggers/trigger.ts";
import { buildKeyWrites, findPreviousRun } from "../jobs/queue/create-job-record.ts";
import { type NewJob, prepareJob } from "../jobs/queue/enqueue.ts";
import type { Uses } from "../uses.ts";

/** The trigger was changed between its read and the write that depends on its mode. */
export class TriggerChanged extends Error {
  override readonly name = "TriggerChanged";
}

/** A job that waits for its trigger does not start by itself: this is the longest delay of a job. */
const HELD_MS = limits.maxDelayS * 1000;

interface SuspendedTrigger {
  workspace: string;
  trigger: StoredTrigger;
  /** The item from which the trigger was read. */
  stored: StoredObject;
}

/**
 * Records a job that waits until its trigger is enabled, together with the entry by which it is found then and with its idempotency key. The
 * trigger must still be suspended: otherwise the job would wait after the others were released. Returns the other job if a call with the same key
 * was first. Throws `TriggerChanged`, `job.idTaken` and `idempotency.reused`.
 */
export async function holdJob(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  { workspace, trigger, stored }: SuspendedTrigger,
  request: NewJob,
): Promise<Pick<Job, "id">> {
  const { jobs, objects, nowMs } = deps;
  const { idempotencyKey } = request;
  const scheduledForMs = nowMs() + HELD_MS;
  const job = await prepareJob(deps, { ...request, scheduledForMs });
  const expiresAtS = Math.ceil(scheduledForMs / 1000);
  const refused = await objects.transactWrite([
    write.check(stored, unchangedSince(stored)),
    { raw: { Put: jobs.createParams(job, firstDueMs(job.createdAtMs, scheduledForMs)) } },
    write.put({ ...heldJobObject.key(workspace, trigger.id, job.id), value: { job: job.id }, expiresAtS }),
    ...(idempotencyKey ? buildKeyWrites(idempotencyKey, job.id, nowMs()) : []),
  ]);
  if (refused === undefined) return job;
  if (refused === 0) throw new TriggerChanged(`The trigger ${trigger.path} was changed.`);
  if (refused < 3 || !idempotencyKey) throw new SvcError("job.idTaken", { id: job.id });
  const other = await findPreviousRun(deps, idempotencyKey);
  if (!other) throw new SvcError("write.collided", {});
  return other;
}
