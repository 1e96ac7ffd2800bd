import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Queue } from "../../aws/sqs/queue.ts";
import { type EndedJob, hasEnded, type RunningJob } from "../../core/jobs/job.ts";
import { keys } from "../../core/objects/keys.ts";
import type { BuildState, Runnable } from "../../core/scripts/version.ts";
import { endWith, type FinishJobDeps } from "../jobs/lifecycle/finish.ts";
import { loadVersion, versionOf } from "../scripts/load.ts";
import { artefactFor, type BuildDeps } from "./artefact.ts";

export interface BuildVersionDeps extends BuildDeps, FinishJobDeps {
  queue: Queue;
}

/** Under this key stand the jobs that wait for a version's build. */
export const waitersOf = (workspace: string, hash: string) => `wait#${workspace}#${hash}`;

/**
 * Does a `dependencies` job: builds a version, records how it went, and sends the jobs that waited for it. Each step may be
 * repeated: the artefact is found again, the state is the same, a message sent twice runs a job once.
 */
export async function buildVersion(deps: BuildVersionDeps, job: RunningJob): Promise<EndedJob | undefined> {
  const { objects } = deps;
  const { workspace, hash = "" } = job;
  const runnable = versionOf(await objects.get(keys.version(workspace, hash)), hash);
  const { sent } = await loadVersion(deps, workspace, hash);
  if (!runnable.runner) throw new Error(`Version ${hash} has no runner.`);
  const built = await artefactFor(deps, {
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
  await sendWaiting(deps, workspace, hash);
  return endWith(
    deps,
    job,
    built.ok
      ? { state: "succeeded", resultJson: JSON.stringify({ lock: built.lock }) }
      : { state: "failed", resultJson: JSON.stringify({ error: { name: "DependencyError", message: built.error } }) },
    built.log,
  );
}

/**
 * How far a version's build is. One whose job ended without saying how, canceled or lost for good, is recorded as failed by whoever
 * sees it first: nobody waits for it any longer.
 */
export async function settleBuild(
  deps: Pick<BuildVersionDeps, "objects" | "jobs" | "queue">,
  { workspace, hash, build, ...rest }: Runnable,
): Promise<BuildState> {
  if (build.state !== "pending") return build;
  const { objects, jobs } = deps;
  const job = await jobs.get(build.job);
  if (job && !hasEnded(job)) return build;
  // Its outcome is recorded before it ends: only now is it certain that there is none.
  const now = versionOf(await objects.get(keys.version(workspace, hash)), hash).build;
  if (now.state !== "pending") return now;
  const error = `The job ${build.job} that builds it ${job ? `was ${job.state === "canceled" ? "canceled" : "lost"}` : "is gone"}. Save the script again.`;
  const failed: BuildState = { state: "failed", job: build.job, error };
  await objects.put({ ...keys.versionLock(workspace, hash), value: { lockErrorLogs: `${error}\n` } });
  await recordBuild(objects, { workspace, hash, build, ...rest }, failed);
  await sendWaiting(deps, workspace, hash);
  return failed;
}

/** Writes a build's outcome to the version and, while it is the newest, to the script's head. */
async function recordBuild(objects: ObjectTable, { workspace, path, hash }: Runnable, build: BuildState): Promise<void> {
  for (const key of [keys.version(workspace, hash), keys.scriptHead(workspace, path)]) {
    await objects.update({ ...key, build }, { version: hash });
  }
}

/** Sends every job that waits for this version. One that registers later sees the recorded state itself. */
export async function sendWaiting(
  { jobs, queue }: Pick<BuildVersionDeps, "jobs" | "queue">,
  workspace: string,
  hash: string,
): Promise<void> {
  const parent = waitersOf(workspace, hash);
  const refs = (await jobs.children(parent, "")).map(({ ref }) => ref);
  for (const job of await jobs.getMany(refs)) await queue.send(job);
  for (const ref of refs) await jobs.deleteItem(parent, ref);
}
