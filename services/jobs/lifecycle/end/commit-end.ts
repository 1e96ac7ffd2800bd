import { type EndedJob, hasEnded, type Job } from "../../../../core/jobs/record/job.ts";
import { reportFailure } from "../../../../core/telemetry/telemetry.ts";
import type { Uses } from "../../../uses.ts";
import { storeCacheEntry } from "../../cache/cache.ts";
import { buildFollowUp } from "../follow-ups.ts";
import { buildEnd } from "./build-end.ts";
import type { StagedEnd } from "./staged-end.ts";

/** Writes the end of a job to its record. Returns `undefined` if the job has changed since it was read: then another caller has ended it or will. */
export async function commitEnd(deps: Uses<"followUps" | "jobs" | "nowMs">, job: Job, end: StagedEnd): Promise<EndedJob | undefined> {
  const reusable = end.isReusable ? noteReusable(deps, job) : undefined;
  const [changed] = await Promise.all([writeEnd(deps, job, end), reusable]);
  return changed && hasEnded(changed) ? changed : undefined;
}

async function writeEnd(deps: Uses<"followUps" | "jobs" | "nowMs">, job: Job, end: StagedEnd): Promise<Job | undefined> {
  const followUp = await buildFollowUp(deps, job, end.state);
  const { change, condition } = buildEnd(deps.jobs, job, { ...end, fields: { ...end.fields, ...followUp } }, deps.nowMs());
  return deps.jobs.updateWith(job.id, change, condition, end.children ?? []);
}

/** Equal runs may use the cached result from now on. If the entry cannot be written, they run. */
async function noteReusable({ jobs, nowMs }: Uses<"jobs" | "nowMs">, job: Job): Promise<void> {
  await storeCacheEntry({ jobs }, job, nowMs()).catch((error: unknown) =>
    reportFailure("The result could not be cached", error, { job: job.id }),
  );
}
