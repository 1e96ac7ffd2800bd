import type { ObjectTable } from "../../aws/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { type FolderJson, folderSchema, type NewFolder } from "../../contract/routes/workspaces.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import { type Actor, permissionedAs } from "../../core/people/actor.ts";
import { eventWrite } from "../outbox.ts";

interface Collaborators {
  objects: ObjectTable;
  nowMs: () => number;
}

/** Throws `folder.exists`, `workspace.notFound`. */
export async function createFolder({ objects, nowMs }: Collaborators, actor: Actor, workspace: string, asked: NewFolder): Promise<void> {
  const owner = permissionedAs(actor);
  const atMs = nowMs();
  const value: FolderJson = {
    ...asked,
    owners: asked.owners ?? [owner],
    extra_perms: asked.extra_perms ?? { [owner]: true },
    created_by: actor.username,
    edited_at: new Date(atMs).toISOString(),
  };
  const refused = await objects.transact([
    write.check(keys.workspace(workspace), "present"),
    write.put({ ...keys.folder(workspace, asked.name), value }, "absent"),
    eventWrite({ type: "CreateFolder", workspace, object: asked.name, by: actor.username, atMs }),
  ]);
  if (refused === 0) throw new SvcError("workspace.notFound", { workspace });
  if (refused !== undefined) throw new SvcError("folder.exists", { name: asked.name });
}

/** Throws `folder.notFound`. */
export async function getFolder({ objects }: Collaborators, workspace: string, name: string): Promise<FolderJson> {
  const found = await objects.get(keys.folder(workspace, name));
  if (!found) throw new SvcError("folder.notFound", { name });
  return folderSchema.parse(found.value);
}

export async function listFolders({ objects }: Collaborators, workspace: string): Promise<FolderJson[]> {
  return folderSchema.array().parse((await objects.list(`F#${workspace}`)).map(({ value }) => value));
}
