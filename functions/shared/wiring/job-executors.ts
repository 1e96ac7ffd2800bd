import { scheduleTable } from "../../../aws/dynamodb/schedule-table.ts";
import type { RunningJob } from "../../../core/jobs/record/job.ts";
import type { Ending } from "../../../core/jobs/record/lifecycle.ts";
import { SCHEDULE_CLAIMER } from "../../../core/schedules/next-run.ts";
import { buildUnderLease } from "../../../services/execution/build-under-lease.ts";
import { decideEnd } from "../../../services/execution/endings/job-ending.ts";
import { refuseJob } from "../../../services/execution/endings/refuse-job.ts";
import type { JobClaimer } from "../../../services/execution/handle-job-message.ts";
import type { JobExecutor } from "../../../services/execution/run-job.ts";
import { runScript } from "../../../services/execution/run-script.ts";
import { runInlineScript } from "../../../services/flows/runtime/run-inline-script.ts";
import type { Uses } from "../../../services/uses.ts";
import { jobEndedListeners } from "./job-ended-listeners.ts";

/** Connects each kind of job with the use case that runs it, the end of a job with its listeners, and the first claim of a job with its claimer. */
export function jobExecutors(
  deps: Uses<
    | "followUps"
    | "jobs"
    | "objects"
    | "storage"
    | "concurrency"
    | "queue"
    | "executions"
    | "functions"
    | "dataKeys"
    | "signingKey"
    | "nowMs"
    | "pause"
    | "maxRetryMs"
    | "waitsForMs"
    | "worker"
    | "tenancy"
    | "baseUrl"
    | "internalUrl"
    | "beatUrl"
    | "target"
    | "registries"
  >,
): Uses<"executors" | "onJobEnded"> & { claimers: Record<string, JobClaimer> } {
  // The function of the steps starts and builds no flows, and runs no previews. Each of these is loaded on first use, so that the functions start faster.
  const start: JobExecutor = async (job) => (await import("../../../services/flows/lifecycle/start.ts")).startFlow(deps, job);
  const build = async (job: RunningJob) => (await import("../../../services/flows/definitions/build.ts")).buildFlow(deps, job);
  const lock = async (job: RunningJob) => (await import("../../../services/flows/definitions/lock-flow.ts")).lockFlow(deps, job);
  const preview: JobExecutor = async (job) => (await import("../../../services/execution/run-preview.ts")).runPreview(deps, job);
  const dependencies = async (job: RunningJob) => {
    const { buildUnstored, buildVersion } = await import("../../../services/builds/build-version.ts");
    return job.code ? buildUnstored(deps, job) : buildVersion(deps, job);
  };
  const refuse: JobExecutor = (job) => refuseJob(job);
  const underLease = async (job: RunningJob, building: Promise<Ending>) => decideEnd(job, await buildUnderLease(deps, job, building));
  const running: Uses<"executors" | "onJobEnded"> = {
    executors: {
      script: (job, input) => runScript(deps, job, input),
      preview,
      dependencies: (job) => underLease(job, dependencies(job)),
      flow: start,
      flowpreview: start,
      flowdependencies: (job) => underLease(job, job.code ? lock(job) : build(job)),
      flowscript: (job, input) => runInlineScript(deps, job, input),
      appdependencies: refuse,
      appscript: refuse,
      deploymentcallback: refuse,
      flownode: refuse,
      identity: refuse,
      script_hub: refuse,
      singlestepflow: start,
    },
    onJobEnded: jobEndedListeners(deps),
  };
  const claimDeps = { ...deps, ...running, schedules: scheduleTable };
  const claimers: Record<string, JobClaimer> = {
    // Loaded on first use, so that the functions start faster.
    [SCHEDULE_CLAIMER]: async (message) => (await import("../../../services/schedules/claim-run.ts")).claimScheduledRun(claimDeps, message),
  };
  return { ...running, claimers };
}
