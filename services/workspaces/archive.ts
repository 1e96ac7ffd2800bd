import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import type { DeletedWorkspace } from "../../core/workspaces/deleted.ts";
import { changeAccess } from "./access.ts";
import { buildWorkspaceUpdate } from "./workspaces.ts";

interface ArchiveWorkspaceDeps {
  objects: ObjectTable;
  nowMs: () => number;
}

/** Archives a workspace, or takes it back into use. A repeated call changes nothing. Throws `workspace.notFound`, `access.changedMeanwhile`. */
export async function setWorkspaceArchived({ objects }: ArchiveWorkspaceDeps, workspace: string, archived: boolean): Promise<void> {
  const changed = await buildWorkspaceUpdate({ objects }, workspace, ({ deleted: _, ...record }) => ({
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
 * Deletes a workspace in one transaction: from then on it cannot be found, its id stays taken, and housekeeping removes what it stored
 * (`services/maintenance/purge-workspaces.ts`), however often housekeeping dies on the way. Throws `workspace.notFound`, `access.changedMeanwhile`.
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
