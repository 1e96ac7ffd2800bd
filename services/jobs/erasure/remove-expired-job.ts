import { defined } from "../../../contract/defined.ts";
import { isFlowJob } from "../../../core/jobs/record/job.ts";
import type { PageEnd, RemovedJob } from "../../../ports/job-store.ts";
import type { Uses } from "../../uses.ts";
import { releaseEarlierRun } from "./earlier-run.ts";
import { removeJobData } from "./remove-job.ts";

/** The number of steps that one read of the index returns, and that expire at the same time. */
const STEPS_AT_ONCE = 25;

/**
 * Removes the rest of a `long` job after the table has removed its expired record: its items, its objects, and the jobs of its steps, whose
 * records then expire in the same way. Idempotent.
 */
export async function removeExpiredJob(deps: Uses<"jobData" | "jobs" | "storage" | "nowMs">, job: RemovedJob): Promise<void> {
  // If a caller chose the id, a later job may have the same one, with items under the same keys.
  if (await deps.jobs.get(job.id, { expired: true })) return;
  // The steps are found by the flow's id, so nothing is lost if this ends halfway and is repeated.
  if (isFlowJob(job)) await expireSteps(deps, job.id);
  await removeJobData(deps, job);
  await releaseEarlierRun(deps, job);
}

/** Lets the records of a flow's steps and of its nested flows expire now, so that nested flows do not wait for the enclosing one. */
async function expireSteps(deps: Uses<"jobData" | "jobs" | "storage" | "nowMs">, flow: string): Promise<void> {
  const { jobs, nowMs } = deps;
  let after: PageEnd | undefined;
  do {
    const page = await jobs.list({ index: "parent", partition: flow, limit: STEPS_AT_ONCE, ...defined({ after }) });
    const expired = await Promise.all(page.entries.map(({ id }) => jobs.expireRecord(id, nowMs(), "step")));
    for (const step of expired) if (step && isFlowJob(step)) await expireSteps(deps, step.id);
    after = page.after;
  } while (after);
}
