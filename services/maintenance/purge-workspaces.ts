import pMap from "p-map";
import { defined } from "../../contract/defined.ts";
import { buildMachinePrefix } from "../../contract/deployment/stack-names.ts";
import { objectFolders, workspaceFolders } from "../../contract/retention.ts";
import { buildListPartitions, type Job } from "../../core/jobs/record/job.ts";
import type { ObjectKey } from "../../core/objects/write.ts";
import { accessObject } from "../../core/permissions/access.ts";
import { UnreadableRecordError } from "../../core/records/record-format.ts";
import { toNextRunId } from "../../core/schedules/next-run.ts";
import { scheduleObject } from "../../core/schedules/schedule.ts";
import { findWorkspace } from "../../core/stored-objects.ts";
import {
  DELETED_REASON,
  type DeletedWorkspace,
  deletedWorkspaceObject,
  isPurged,
  isRemovableItem,
  needsPurge,
} from "../../core/workspaces/deleted.ts";
import type { PageEnd } from "../../ports/job-store.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { buildMachineTags } from "../../statemachines/machine-name.ts";
import { cancelWorkspaceJobs } from "../jobs/cancel/cancel-workspace-jobs.ts";
import { removeJob } from "../jobs/erasure/remove-job.ts";
import { removeHttpRoutes } from "../triggers/http-route-entries.ts";
import { requestConnections } from "../triggers/sources.ts";
import type { Uses } from "../uses.ts";

export type PurgeDeps = Uses<
  | "followUps"
  | "onJobCanceled"
  | "jobData"
  | "isolation"
  | "jobs"
  | "objects"
  | "storage"
  | "concurrency"
  | "scanObjects"
  | "queue"
  | "stateMachines"
  | "nowMs"
  | "pause"
  | "maxRetryMs"
  | "stack"
>;

const JOBS_AT_ONCE = 200;
const ITEMS_AT_ONCE = 16;
const TASK = "purgeDeleted";

/**
 * Removes the data of deleted workspaces until `untilMs` (epoch ms), and returns the number of completely removed workspaces. Each step finds its
 * own remaining work and may be repeated: the next tick continues where this one stopped or died. Each workspace gets a part of the time, and a
 * failed removal does not stop the others.
 */
export async function purgeDeletedWorkspaces(deps: PurgeDeps, untilMs: number): Promise<number> {
  const { objects, nowMs } = deps;
  let purged = 0;
  const all = await objects.list(deletedWorkspaceObject.partitionKey());
  for (const [index, stored] of all.entries()) {
    const now = Date.now();
    const ownUntilMs = now + Math.max(0, untilMs - now) / (all.length - index);
    await deps.isolation.attempt(TASK, stored.sk, async () => {
      const deleted = deletedWorkspaceObject.parse(stored);
      const state = needsPurge(deleted, nowMs()) ? await runPurgePass(deps, deleted, ownUntilMs) : deleted;
      if (!isPurged(state)) return;
      // The access item refuses late calls of the deleted workspace, so it is removed last but one.
      await objects.deleteItem(accessObject.key(deleted.id));
      await objects.deleteItem(deletedWorkspaceObject.key(deleted.id));
      purged += 1;
    });
  }
  return purged;
}

/** Runs a pass, or a part of one, over everything that a workspace stored. It reads at least one page, so that each call makes progress. */
async function runPurgePass(deps: PurgeDeps, deleted: DeletedWorkspace, untilMs: number): Promise<DeletedWorkspace> {
  const { objects, storage, stateMachines, stack, scanObjects: scan } = deps;
  const { id } = deleted;
  const inTime = () => Date.now() < untilMs;
  let state: DeletedWorkspace = { ...deleted, pass: deleted.pass ?? { beganMs: deps.nowMs() } };
  const keep = async (next: DeletedWorkspace) => {
    await objects.put({ ...deletedWorkspaceObject.key(id), value: next });
    state = next;
  };
  if (!state.pass?.cursor) {
    await cancelWorkspaceJobs(deps, id, { by: "svc", reason: DELETED_REASON, force: true });
    // The requests remain after the entries of the sources, so that their mappings, rules and subscriptions are removed.
    await requestConnections(objects, id);
    if (!(await removeJobs(deps, id, inTime))) return state;
    await removeHttpRoutes(objects, id);
    const schedules = await objects.list(scheduleObject.partitionKey(id));
    for (const { sk: path } of schedules) await deps.jobs.deleteItem(toNextRunId(id, path), "schedule");
    if (!(await stateMachines.deleteStateMachines(buildMachinePrefix(stack, id), buildMachineTags(stack, id), inTime))) return state;
    for (const folder of [...Object.values(objectFolders), ...workspaceFolders]) {
      if (!(await storage.deletePrefix(`${folder}/${id}/`, inTime))) return state;
    }
  }
  for (let cursor = state.pass?.cursor; ; ) {
    const { items, next } = await scan(cursor);
    const access = accessObject.key(id);
    await removeAll(
      objects,
      items.filter((item) => findWorkspace(item) === id && item.pk !== access.pk),
    );
    const beganMs = state.pass?.beganMs ?? deps.nowMs();
    if (!next) {
      const { pass: _, ...rest } = state;
      await keep({ ...rest, passedMs: beganMs });
      return state;
    }
    await keep({ ...state, pass: { beganMs, cursor: next } });
    if (!inTime()) return state;
    cursor = next;
  }
}

/** Removes a workspace's jobs. Returns true when no job is left. */
async function removeJobs(deps: PurgeDeps, workspace: string, inTime: () => boolean): Promise<boolean> {
  const { jobs, nowMs } = deps;
  let left = 0;
  for (const partition of buildListPartitions(workspace)) {
    let after: PageEnd | undefined;
    do {
      const page = await jobs.list({ index: "list", partition, limit: JOBS_AT_ONCE, ...defined({ after }) });
      for (const { id } of page.entries) {
        const job = await loadJobToRemove(deps, id);
        if (job && isRemovableItem(job, nowMs())) await removeJob(deps, job);
        else if (job) left += 1;
        if (!inTime()) return false;
      }
      after = page.after;
    } while (after);
  }
  return left === 0;
}

/** Loads a job. An unreadable job is removed at once, because its state is unknown; the workspace's objects in S3 are removed later. */
async function loadJobToRemove({ jobs }: PurgeDeps, id: string): Promise<Job | undefined> {
  try {
    return await jobs.get(id, { expired: true });
  } catch (error) {
    if (!(error instanceof UnreadableRecordError)) throw error;
    for (const { ref } of await jobs.listChildren(id, "")) if (ref !== "job") await jobs.deleteItem(id, ref);
    await jobs.deleteItem(id, "job");
    return undefined;
  }
}

async function removeAll(objects: ObjectStore, found: ObjectKey[]): Promise<void> {
  await pMap(found, ({ pk, sk }) => objects.deleteItem({ pk, sk }), { concurrency: ITEMS_AT_ONCE });
}
