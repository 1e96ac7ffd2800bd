import { laterMs } from "../../../contract/utilities/iso-time.ts";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import type { Uses } from "../../uses.ts";
import { nextCheckMs } from "../lifecycle/next-check.ts";
import { eraseJob } from "./erase-job.ts";

/** Erases the content of a synchronous run as its script specifies: at once, or in `afterS` seconds by housekeeping. */
export async function eraseAfterReply(deps: Uses<"jobData" | "jobs" | "storage" | "nowMs">, id: string, afterS: number): Promise<void> {
  const { jobs, nowMs } = deps;
  const job = await jobs.get(id);
  if (!job) return;
  // A flow that has answered early is still running, and is erased after its end.
  if (!hasEnded(job)) {
    if (!(await jobs.update(id, { eraseAfterS: afterS }, { attr: "state", eq: job.state }))) await eraseAfterReply(deps, id, afterS);
    return;
  }
  if (afterS <= 0) {
    await eraseJob(deps, job);
    return;
  }
  const eraseAtMs = laterMs(nowMs(), afterS);
  const dueAtMs = Math.min(eraseAtMs, nextCheckMs(job, nowMs()));
  await jobs.update(id, { eraseAtMs, ...jobs.dueAt(id, dueAtMs) }, { attr: "state", eq: job.state });
}
