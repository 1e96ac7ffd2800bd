import type { Executions } from "../../../aws/stepfunctions/executions.ts";
import { type BuildVersionDeps, buildVersion } from "../../../services/builds/build-version.ts";
import { buildUnderLease } from "../../../services/execution/build-under-lease.ts";
import { refuseJob } from "../../../services/execution/refuse-job.ts";
import type { ResolveAndExecuteDeps } from "../../../services/execution/resolve-and-execute.ts";
import type { JobHandler, RunJobDeps } from "../../../services/execution/run-job.ts";
import { runPreview } from "../../../services/execution/run-preview.ts";
import { runScript } from "../../../services/execution/run-script.ts";
import { buildFlow } from "../../../services/flows/definitions/build.ts";
import type { FinishFlowDeps } from "../../../services/flows/lifecycle/finish.ts";
import { type StartFlowDeps, startFlow } from "../../../services/flows/lifecycle/start.ts";
import { runInlineScript } from "../../../services/flows/runtime/run-inline-script.ts";
import { jobEndedListeners } from "./job-ended-listeners.ts";

type JobHandlerDeps = ResolveAndExecuteDeps & BuildVersionDeps & StartFlowDeps & FinishFlowDeps & { executions: Executions };

/** Connects each kind of job with the use case that runs it, and the end of a job with its listeners. */
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
    onJobEnded: jobEndedListeners(deps),
  };
}
