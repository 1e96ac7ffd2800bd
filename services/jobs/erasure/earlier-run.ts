import { SvcError } from "../../../contract/errors.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import type { RemovedJob } from "../../../ports/job-store.ts";
import type { Uses } from "../../uses.ts";

/**
 * Holds the record of the run that a restarted flow continues until the restarted flow is removed, because its journal refers to results of that
 * run. Idempotent. Throws `flow.notRestarted` if the earlier run has expired.
 */
export async function holdEarlierRun({ jobs }: Uses<"jobs">, { id, flow, expiresAtMs }: Job): Promise<void> {
  const origin = flow?.restartedFrom;
  if (origin === undefined || (await jobs.holdRecord(origin, id, expiresAtMs))) return;
  throw new SvcError("flow.notRestarted", { id: origin, reason: "it has expired" });
}

/** Lets the record of a run expire when the last flow that continued it is removed. Idempotent. */
export async function releaseEarlierRun(
  { jobs, nowMs }: Uses<"jobs" | "nowMs">,
  { id, restartedFrom }: Pick<RemovedJob, "id" | "restartedFrom">,
): Promise<void> {
  if (restartedFrom === undefined) return;
  await jobs.releaseRecord(restartedFrom, id);
  const origin = await jobs.get(restartedFrom, { expired: true });
  // A step expires with its flow, which may still exist.
  const around = origin?.step && origin.parent !== undefined ? await jobs.get(origin.parent, { expired: true }) : undefined;
  if (origin && !around) await jobs.expireRecord(origin.id, nowMs());
}
