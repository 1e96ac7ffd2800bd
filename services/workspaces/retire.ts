import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { isSvcError, SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { hasEnded, SHARDS } from "../../core/jobs/job.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import type { DeletedWorkspace } from "../../core/workspaces/deleted.ts";
import { type CancelDeps, cancel } from "../jobs/cancel/cancel.ts";
import { changeAccess } from "./access.ts";
import { recordChange } from "./workspaces.ts";

interface ArchiveWorkspaceDeps {
  objects: ObjectTable;
  nowMs: () => number;
}

/** Archiving what is archived changes nothing, nor does bringing back what is in use. Throws `workspace.notFound`, `access.changedMeanwhile`. */
export async function setArchived({ objects }: ArchiveWorkspaceDeps, workspace: string, archived: boolean): Promise<void> {
  const changed = await recordChange({ objects }, workspace, ({ deleted: _, ...record }) => ({
    ...record,
    ...(archived ? { deleted: true } : {}),
  }));
  await changeAccess(
    objects,
    workspace,
    (access) => {
      if (archived) access.state = "archived";
      else delete access.state;
    },
    [write.update(changed.change, changed.expect)],
  );
}

/**
 * Deletes a workspace in one transaction: from then on it is there for nobody, its id is taken, and housekeeping removes what it stored
 * (`purge.ts`), however often it dies on the way. Throws `workspace.notFound`, `access.changedMeanwhile`.
 */
export async function deleteWorkspace({ objects, nowMs }: ArchiveWorkspaceDeps, workspace: string, by: string): Promise<void> {
  const value: DeletedWorkspace = { id: workspace, by, atMs: nowMs() };
  await changeAccess(
    objects,
    workspace,
    (access) => {
      Object.assign(access, { groups: {}, folders: {}, objects: {}, state: "deleted" });
    },
    [write.remove(keys.workspace(workspace), "present"), write.put({ ...keys.deletedWorkspace(workspace), value }, "absent")],
    () => new SvcError("workspace.notFound", { workspace }),
  );
}

/** Cancels whatever waits or runs in a workspace; who was accepted a moment later is stopped by housekeeping when it looks at them. */
export async function stopJobs(stopping: CancelDeps, workspace: string, by: string, reason: string, force = false): Promise<void> {
  const { jobs } = stopping;
  for (let shard = 0; shard < SHARDS; shard += 1) {
    // Every job that has not ended stands in the due index.
    const due = await jobs.due(shard, Number.MAX_SAFE_INTEGER, limits.listScan);
    for (const { id } of due.filter((entry) => entry.workspace === workspace)) {
      const job = await jobs.get(id);
      if (!job || hasEnded(job)) continue;
      try {
        await cancel(stopping, job, by, reason, force);
      } catch (error) {
        if (!isSvcError(error) || !error.code.startsWith("job.")) throw error;
      }
    }
  }
}
