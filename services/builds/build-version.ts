import { findRunner } from "../../contract/languages.ts";
import type { UnstoredCode } from "../../core/builds/packages/overrides.ts";
import type { RunningJob } from "../../core/jobs/record/job.ts";
import { type Ending, failedEnding, noRunnerEnding } from "../../core/jobs/record/lifecycle.ts";
import { type BuildState, chooseLock, scriptLockObject, scriptVersionObject } from "../../core/scripts/version.ts";
import { sendBuildWaiters } from "../jobs/queue/build-waiters.ts";
import { loadJson } from "../jobs/values/values.ts";
import { bundleObjectKey, loadScriptVersion, requireScriptVersion } from "../scripts/load.ts";
import { recordBuild } from "../scripts/settle-build.ts";
import type { Uses } from "../uses.ts";
import { type ArtefactResult, buildArtefact, buildBundle } from "./artefact.ts";

export type BuildVersionDeps = Uses<"jobs" | "objects" | "storage" | "queue" | "functions" | "target" | "registries">;

/**
 * Runs a `dependencies` job: builds a version, records the outcome and sends the jobs that waited for it. Each step is idempotent: the artefact
 * is found again, the state is the same, and a repeated message runs a job once.
 */
export async function buildVersion(deps: BuildVersionDeps, job: RunningJob): Promise<Ending> {
  const { objects } = deps;
  const { workspace, hash = "" } = job;
  const runnable = requireScriptVersion(await objects.get(scriptVersionObject.key(workspace, hash)), hash);
  const { runner, path } = runnable;
  if (!runner) throw new Error(`Version ${hash} has no runner.`);
  const { sent, bundle } = await loadScriptVersion(deps, workspace, hash);
  const resolved = bundle
    ? await buildBundle(deps, { workspace, runner, bundle, s3Key: bundleObjectKey(workspace, bundle.sha256) })
    : await buildArtefact(deps, { workspace, runner, path, content: sent.content, lock: sent.lock || undefined, job });
  const built = resolved.ok ? { ...resolved, lock: chooseLock(sent.lock, resolved.lock) ?? "" } : resolved;
  const state: BuildState = built.ok
    ? { state: "ready", key: built.key, sha256: built.sha256, job: job.id }
    : { state: "failed", job: job.id, error: built.error };
  await objects.put({ ...scriptLockObject.key(workspace, hash), value: built.ok ? { lock: built.lock } : { lockErrorLogs: built.log } });
  await recordBuild(objects, runnable, state);
  await sendBuildWaiters(deps, workspace, hash);
  return toEnding(built);
}

/** Runs a `dependencies` job of code that is not stored: its lock is the result. Equal code has the same artefact, so a repeated build is quick. */
export async function buildUnstored(deps: BuildVersionDeps, job: RunningJob): Promise<Ending> {
  const { workspace, language, code } = job;
  const { content, at, sources, dependencyFiles, tempScripts } = (code ? await loadJson(deps, job, code) : {}) as Partial<UnstoredCode> & {
    content?: string;
  };
  if (!language || content === undefined) throw new Error(`The job ${job.id} has no code.`);
  const runner = findRunner(language, content);
  if (!runner) return noRunnerEnding(language);
  const path = at || `${job.permissionedAs}/preview`;
  return toEnding(
    await buildArtefact(deps, { workspace, runner, path, content, job, overrides: { sources, dependencyFiles, tempScripts } }),
  );
}

/** Returns the end of a `dependencies` job: the lock, or the failure of its build. */
function toEnding(built: ArtefactResult): Ending {
  const ending: Ending = built.ok
    ? { state: "succeeded", resultJson: JSON.stringify({ lock: built.lock }) }
    : failedEnding({ name: "DependencyError", message: built.error });
  return { ...ending, log: built.log };
}
