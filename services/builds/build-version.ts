import type { ObjectTable } from "../../aws/object-table.ts";
import type { Queue } from "../../aws/queue.ts";
import type { EndedJob, RunningJob } from "../../core/jobs/job.ts";
import { keys } from "../../core/objects/keys.ts";
import type { BuildState, Runnable } from "../../core/scripts/version.ts";
import { endWith, type Finishing } from "../jobs/finish.ts";
import { loadVersion, versionOf } from "../scripts/load.ts";
import { artefactFor, type Building } from "./artefact.ts";

export interface BuildingVersions extends Building, Finishing {
  queue: Queue;
}

/** Under this key stand the jobs that wait for a version's build. */
export const waitersOf = (workspace: string, hash: string) => `wait#${workspace}#${hash}`;

/**
 * Does a `dependencies` job: builds a version, records how it went, and sends the jobs that waited for it. Each step may be
 * repeated: the artefact is found again, the state is the same, a message sent twice runs a job once.
 */
export async function buildVersion(building: BuildingVersions, job: RunningJob): Promise<EndedJob | undefined> {
  const { objects } = building;
  const { workspace, hash = "" } = job;
  const runnable = versionOf(await objects.get(keys.version(workspace, hash)), hash);
  const { sent } = await loadVersion(building, workspace, hash);
  if (!runnable.runner) throw new Error(`Version ${hash} has no runner to be built for.`);
  const built = await artefactFor(building, {
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
  await sendWaiting(building, workspace, hash);
  return endWith(
    building,
    job,
    built.ok
      ? { state: "succeeded", resultJson: JSON.stringify({ lock: built.lock }) }
      : { state: "failed", resultJson: JSON.stringify({ error: { name: "DependencyError", message: built.error } }) },
    built.log,
  );
}

/** Writes a build's outcome to the version and, while it is the newest, to the script's head. */
async function recordBuild(objects: ObjectTable, { workspace, path, hash }: Runnable, build: BuildState): Promise<void> {
  for (const key of [keys.version(workspace, hash), keys.scriptHead(workspace, path)]) {
    await objects.update({ ...key, build }, { mark: hash });
  }
}

/** Sends every job that waits for this version. One that registers later sees the recorded state itself. */
async function sendWaiting({ jobs, queue }: BuildingVersions, workspace: string, hash: string): Promise<void> {
  const parent = waitersOf(workspace, hash);
  for (const { ref } of await jobs.children(parent, "")) {
    await queue.send(workspace, { job: ref, hash });
    await jobs.deleteItem(parent, ref);
  }
}
