import type { ObjectTable } from "../../aws/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { type NewWorkspace, type WorkspaceJson, workspaceRoutes } from "../../contract/routes/workspaces.ts";
import { keys } from "../../core/objects/keys.ts";
import type { Actor } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";

interface Collaborators {
  objects: ObjectTable;
  nowMs: () => number;
}
const listed = workspaceRoutes.listWorkspaces.reply.json;

/** Throws `workspace.exists`. */
export async function createWorkspace({ objects }: Collaborators, actor: Actor, asked: NewWorkspace): Promise<void> {
  const value: WorkspaceJson = { id: asked.id, name: asked.name, owner: actor.email, ...(asked.color ? { color: asked.color } : {}) };
  if (!(await objects.put({ ...keys.workspace(asked.id), value }, "absent")))
    throw new SvcError("workspace.exists", { workspace: asked.id });
}

export async function listWorkspaces({ objects }: Collaborators, actor: Actor): Promise<WorkspaceJson[]> {
  const stored = await objects.list("WORKSPACES");
  return listed.parse(stored.map(({ value }) => value)).filter(({ id }) => may(actor, "workspaces.list", { workspace: id }));
}

export async function workspaceExists({ objects }: Collaborators, id: string): Promise<boolean> {
  return (await objects.get(keys.workspace(id))) !== undefined;
}
