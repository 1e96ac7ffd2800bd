import { folderSchema, workspaceSchema } from "../../contract/routes/workspaces/workspace-schemas.ts";
import { defineObject, inWorkspace, withoutValue } from "../objects/define-object.ts";

/** The workspaces of the instance. */
export const workspaceObject = defineObject({
  name: "workspace",
  partition: "WORKSPACES",
  sort: (workspace: string) => workspace,
  belongsTo: "none",
  schema: workspaceSchema,
});

export const folderObject = defineObject({
  name: "folder",
  partition: "F",
  ...inWorkspace,
  sort: (name: string) => name,
  schema: folderSchema,
});

/** A deleted folder, whose objects, files and runs a new folder of this name would inherit. */
export const formerFolderObject = defineObject({
  name: "former folder",
  partition: "FORMERF",
  ...inWorkspace,
  sort: (name: string) => name,
  ...withoutValue,
});

/** A deleted group, which flows and approvals may still name. */
export const formerGroupObject = defineObject({
  name: "former group",
  partition: "FORMERG",
  ...inWorkspace,
  sort: (name: string) => name,
  ...withoutValue,
});
