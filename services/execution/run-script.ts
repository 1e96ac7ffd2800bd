import type { RunningJob } from "../../core/jobs/record/job.ts";
import { failedEnding, noRunnerEnding } from "../../core/jobs/record/lifecycle.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { scriptVersionObject } from "../../core/scripts/version.ts";
import { waitForBuild } from "../jobs/queue/build-waiters.ts";
import { requireScriptVersion } from "../scripts/load.ts";
import { settleBuild } from "../scripts/settle-build.ts";
import { toPreprocessor } from "./arguments/check-arguments.ts";
import { decideEnd, type JobEnding } from "./endings/job-ending.ts";
import { type ResolveAndExecuteDeps, resolveAndExecute } from "./resolve-and-execute.ts";
import type { JobInput } from "./run-job.ts";

/** Versions whose build has ended do not change, so a warm worker reads each once. */
const builtVersions = new Map<string, Runnable>();
const MAX_BUILT_VERSIONS = 500;

/** Runs a job of a saved script, or returns it to the queue until its version is built. Throws `script.versionNotFound`. */
export async function runScript(deps: ResolveAndExecuteDeps, job: RunningJob, input: JobInput): Promise<JobEnding | undefined> {
  const { hash = "" } = job;
  const load = async () => requireScriptVersion(await deps.objects.get(scriptVersionObject.key(job.workspace, hash)), hash);
  const runnable = builtVersions.get(hash) ?? (await load());
  const build = await settleBuild(deps, runnable);
  switch (build.state) {
    case "none":
      return decideEnd(job, noRunnerEnding(runnable.language));
    case "pending":
      return waitForBuild(deps, job, async () => (await load()).build.state === "pending");
    case "failed":
      return decideEnd(job, failedEnding({ name: "DependencyError", message: build.error }));
    case "ready": {
      if (builtVersions.size >= MAX_BUILT_VERSIONS) builtVersions.clear();
      builtVersions.set(hash, runnable);
      if (!runnable.runner) return decideEnd(job, noRunnerEnding(runnable.language));
      const { runner, params, paramTypes, dedicated, cacheIgnoresPaths: ignorePaths } = runnable;
      const preprocessor = toPreprocessor(runnable);
      const executable = { runner, artefact: build, params, paramTypes, preprocessor, dedicated, ignorePaths, checked: runnable };
      return resolveAndExecute(deps, job, executable, input);
    }
  }
}
