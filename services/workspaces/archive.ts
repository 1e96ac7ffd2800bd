import { SvcError } from "../../contract/errors.ts";
import { write } from "../../core/objects/write.ts";
import type { DeletedWorkspace } from "../../core/workspaces/deleted.ts";
import { deletedWorkspaceObject } from "../../core/workspaces/deleted.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import type { Uses } from "../uses.ts";
import { changeAccess } from "./access.ts";
import { buildWorkspaceUpdate } from "./workspaces.ts";

/** Archives a workspace or restores it. A repeated call changes nothing. Throws `workspace.notFound`, `access.changedMeanwhile`. */
export async function setWorkspaceArchived({ objects }: Uses<"objects">, workspace: string, archived: boolean): Promise<void> {
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
    { by: "bounded", also: [write.update(changed.change, changed.expect)] },
  );
}

/**
 * Deletes a workspace in one transaction. From then on it cannot be found, and its id cannot be used again until housekeeping has removed
 * its data (`services/maintenance/purge-workspaces.ts`). Throws `workspace.notFound`, `access.changedMeanwhile`.
 */
export async function deleteWorkspace({ objects, nowMs }: Uses<"objects" | "nowMs">, workspace: string, by: string): Promise<void> {
  const value: DeletedWorkspace = { id: workspace, by, atMs: nowMs() };
  await changeAccess(
    objects,
    workspace,
    (access) => {
      Object.assign(access, { groups: {}, folders: {}, objects: {}, state: "deleted" });
    },
    {
      by: "bounded",
      also: [
        write.remove(workspaceObject.key(workspace), "present"),
        write.put({ ...deletedWorkspaceObject.key(workspace), value }, "absent"),
      ],
      refused: () => new SvcError("workspace.notFound", { workspace }),
    },
  );
}
