import type { Executions } from "../../aws/stepfunctions/executions.ts";
import { type BuildVersionDeps, buildVersion } from "../../services/builds/build-version.ts";
import { buildUnderLease } from "../../services/execution/build-under-lease.ts";
import { refuseJob } from "../../services/execution/refuse-job.ts";
import type { ResolveAndExecuteDeps } from "../../services/execution/resolve-and-execute.ts";
import type { JobHandler, RunJobDeps } from "../../services/execution/run-job.ts";
import { runPreview } from "../../services/execution/run-preview.ts";
import { runScript } from "../../services/execution/run-script.ts";
import { buildFlow } from "../../services/flows/definitions/build.ts";
import type { FinishFlowDeps } from "../../services/flows/lifecycle/finish.ts";
import { continueParkedFlow } from "../../services/flows/lifecycle/reconcile.ts";
import { type StartFlowDeps, startFlow } from "../../services/flows/lifecycle/start.ts";
import { resumeParentTask } from "../../services/flows/runtime/resume-parent-task.ts";
import { runInlineScript } from "../../services/flows/runtime/run-inline-script.ts";
import { releaseSlot } from "../../services/jobs/concurrency/concurrency.ts";

type JobHandlerDeps = ResolveAndExecuteDeps & BuildVersionDeps & StartFlowDeps & FinishFlowDeps & { executions: Executions };

/** Connects each kind of job with the use case that runs it, and the end of a job with those who wait for it. */
export function jobHandlers(deps: JobHandlerDeps): Pick<RunJobDeps, "handlers" | "onJobEnded"> {
  const start: JobHandler = (job) => startFlow(deps, job);
  const refuse: JobHandler = (job) => refuseJob(deps, job);
  return {
    handlers: {
      script: (job, input) => runScript(deps, job, input),
      preview: (job) => runPreview(deps, job),
      dependencies: (job) => buildUnderLease(deps, job, buildVersion(deps, job)),
      flow: start,
      flowpreview: start,
      flowdependencies: (job) => buildUnderLease(deps, job, buildFlow(deps, job)),
      flowscript: (job, input) => runInlineScript(deps, job, input),
      appdependencies: refuse,
      appscript: refuse,
      deploymentcallback: refuse,
      flownode: refuse,
      identity: refuse,
      script_hub: refuse,
      singlestepflow: refuse,
    },
    onJobEnded: [
      (ended) => resumeParentTask(deps, ended),
      (ended) => releaseSlot(deps, ended),
      // After its slot is free: the flow may need the slot at once.
      (ended) => continueParkedFlow(deps, ended),
    ],
  };
}
