import type { Queue } from "../../aws/sqs/queue.ts";
import type { EndedJob, RunningJob } from "../../core/jobs/job.ts";
import { keys } from "../../core/objects/keys.ts";
import type { BuildState } from "../../core/scripts/version.ts";
import { endJob, type FinishJobDeps } from "../jobs/lifecycle/finish.ts";
import { sendBuildWaiters } from "../jobs/queue/build-waiters.ts";
import { loadScriptVersion, requireScriptVersion } from "../scripts/load.ts";
import { recordBuild } from "../scripts/settle-build.ts";
import { type BuildDeps, buildArtefact } from "./artefact.ts";

export interface BuildVersionDeps extends BuildDeps, FinishJobDeps {
  queue: Queue;
}

/**
 * Runs a `dependencies` job: builds a version, records the outcome and sends the jobs that waited for it. Each step may be repeated:
 * the artefact is found again, the state is the same, and a message that is sent twice runs a job once.
 */
export async function buildVersion(deps: BuildVersionDeps, job: RunningJob): Promise<EndedJob | undefined> {
  const { objects } = deps;
  const { workspace, hash = "" } = job;
  const runnable = requireScriptVersion(await objects.get(keys.version(workspace, hash)), hash);
  const { sent } = await loadScriptVersion(deps, workspace, hash);
  if (!runnable.runner) throw new Error(`Version ${hash} has no runner.`);
  const built = await buildArtefact(deps, {
    workspace,
    runner: runnable.runner,
    path: runnable.path,
    content: sent.content,
    lock: sent.lock || undefined,
    job,
  });
  const state: BuildState = built.ok
    ? { state: "ready", key: built.key, sha256: built.sha256, job: job.id }
    : { state: "failed", job: job.id, error: built.error };
  await objects.put({ ...keys.versionLock(workspace, hash), value: built.ok ? { lock: built.lock } : { lockErrorLogs: built.log } });
  await recordBuild(objects, runnable, state);
  await sendBuildWaiters(deps, workspace, hash);
  return endJob(
    deps,
    job,
    built.ok
      ? { state: "succeeded", resultJson: JSON.stringify({ lock: built.lock }) }
      : { state: "failed", resultJson: JSON.stringify({ error: { name: "DependencyError", message: built.error } }) },
    { log: built.log },
  );
}
