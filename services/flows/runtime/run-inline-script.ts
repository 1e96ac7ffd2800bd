import type { RunningJob } from "../../../core/jobs/record/job.ts";
import { noRunnerEnding } from "../../../core/jobs/record/lifecycle.ts";
import { decideEnd, type JobEnding } from "../../execution/endings/job-ending.ts";
import { type ResolveAndExecuteDeps, resolveAndExecute } from "../../execution/resolve-and-execute.ts";
import type { JobInput } from "../../execution/run-job.ts";
import { loadPlan } from "../definitions/load.ts";

/** Runs a job of a flow's inline script, which was built with the flow. */
export async function runInlineScript(deps: ResolveAndExecuteDeps, job: RunningJob, input: JobInput): Promise<JobEnding | undefined> {
  const flow = await deps.jobs.get(job.parent ?? "");
  const script = flow?.flow?.plan && (await loadPlan(deps, flow.flow.plan)).scripts[job.step?.id ?? ""];
  if (!script) return decideEnd(job, noRunnerEnding(job.language ?? "an unknown language"));
  const { runner, params, paramTypes, key, sha256 } = script;
  return resolveAndExecute(deps, job, { runner, artefact: { key, sha256 }, params, paramTypes, dedicated: false }, input);
}
