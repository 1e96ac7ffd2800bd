import * as z from "zod";
import { actions } from "../../access/actions.ts";
import { extraPerms, folderName, inWorkspace, page, timestamp, username, workspaceId } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const read = { method: "GET", fn: "people", auth: "token", status: 200 } as const;
const create = { method: "POST", fn: "people", auth: "token", status: 201 } as const;
const w = "/api/w/{workspace}";

export const folderSchema = z.object({
  name: folderName,
  owners: z.array(z.string()),
  extra_perms: extraPerms,
  summary: z.string().optional(),
  display_name: z.string().optional(),
  created_by: z.string().optional(),
  edited_at: timestamp.optional(),
  default_permissioned_as: z.array(z.object({ path_glob: z.string(), permissioned_as: z.string() })).optional(),
  labels: z.array(z.string()).optional(),
});
export type FolderJson = z.output<typeof folderSchema>;
export const newFolderSchema = folderSchema.omit({ created_by: true, edited_at: true }).partial({ owners: true, extra_perms: true });
export type NewFolder = z.output<typeof newFolderSchema>;

export const folderChangeSchema = newFolderSchema.omit({ name: true });
export type FolderChange = z.output<typeof folderChangeSchema>;
const folderErrors = ["folder.notFound", "access.owner", "access.changedMeanwhile", "access.tooMuch"] as const;
const ownerBody = z.object({ owner: z.string().max(200), write: z.boolean().nullish() });

const atFolder = z.object({ workspace: workspaceId, name: folderName });
export const workspaceSchema = z.object({
  id: workspaceId,
  name: z.string(),
  owner: z.string(),
  color: z.string().optional(),
  deleted: z.boolean().optional(),
});
export type WorkspaceJson = z.output<typeof workspaceSchema>;
export const newWorkspaceSchema = z.object({
  id: workspaceId,
  name: z.string().min(1).max(100),
  username: username.optional(),
  color: z.string().max(20).nullish(),
});
export type NewWorkspace = z.output<typeof newWorkspaceSchema>;

/** A text, because people copy it into files and settings. A shorter one could be guessed. */
const encryptionKey = z.string().regex(/^[\x21-\x7e]{32,256}$/, "32 to 256 printable characters without spaces");

const selfRead = { domain: "workspaces", verb: "read", need: "self", target: "none" } as const;
const adminWriteInArchive = { domain: "workspaces", verb: "write", need: "admin", target: "none", inArchive: true } as const;
const ownFolder = { domain: "folders", verb: "write", need: "own", target: "folder", hiddenAs: "folder.notFound" } as const;
const listAll = { domain: "folders", verb: "read", need: "read", target: "list" } as const;

export const workspaceRoutes = {
  createWorkspace: defineRoute({
    ...create,
    name: "workspaces.create",
    summary: "Create a workspace.",
    path: "/api/workspaces/create",
    access: { domain: "workspaces", verb: "write", need: "superadmin", target: "none" },
    body: newWorkspaceSchema,
    reply: { text: "The workspace's id." },
    errors: ["workspace.exists", "workspace.beingDeleted"],
  }),
  listWorkspaces: defineRoute({
    ...read,
    name: "workspaces.list",
    summary: "List the workspaces that you belong to.",
    path: "/api/workspaces/list",
    access: selfRead,
    reply: { json: z.array(workspaceSchema) },
    errors: [],
  }),
  listAllWorkspaces: defineRoute({
    ...read,
    name: "workspaces.listAsSuperadmin",
    summary: "List all workspaces, including archived ones.",
    path: "/api/workspaces/list_as_superadmin",
    access: { domain: "workspaces", verb: "read", need: "superadmin", target: "none" },
    query: z.object(page),
    reply: { json: z.array(workspaceSchema) },
    errors: [],
  }),
  archiveWorkspace: defineRoute({
    ...create,
    status: 200,
    name: "workspaces.archive",
    summary: "Archive a workspace. It can be read, but it cannot be changed and runs no jobs. Its queued and running jobs are canceled.",
    path: `${w}/workspaces/archive`,
    access: adminWriteInArchive,
    params: inWorkspace,
    reply: { text: "A confirmation." },
    errors: ["workspace.notFound", "access.changedMeanwhile"],
  }),
  unarchiveWorkspace: defineRoute({
    ...create,
    status: 200,
    name: "workspaces.unarchive",
    summary: "Restore an archived workspace.",
    path: "/api/workspaces/unarchive/{workspace}",
    access: adminWriteInArchive,
    params: inWorkspace,
    reply: { text: "A confirmation." },
    errors: ["workspace.notFound", "access.changedMeanwhile"],
  }),
  deleteWorkspace: defineRoute({
    ...create,
    method: "DELETE",
    status: 200,
    name: "workspaces.delete",
    summary: "Delete a workspace permanently. It disappears immediately. Its data is removed within minutes, and then its id becomes free.",
    path: "/api/workspaces/delete/{workspace}",
    access: { domain: "workspaces", verb: "write", need: "superadmin", target: "none", inArchive: true },
    params: inWorkspace,
    reply: { text: "A confirmation." },
    errors: ["workspace.notFound", "access.changedMeanwhile"],
  }),
  existsUsername: defineRoute({
    ...create,
    status: 200,
    name: "workspaces.existsUsername",
    summary: "Check whether a username is in use in a workspace.",
    path: "/api/workspaces/exists_username",
    access: selfRead,
    body: z.object({ id: z.string().min(1).max(100), username: z.string().min(1).max(100) }),
    reply: { json: z.boolean() },
    errors: [],
  }),
  existsWorkspace: defineRoute({
    ...create,
    name: "workspaces.exists",
    summary: "Check whether there is a workspace with this id.",
    path: "/api/workspaces/exists",
    access: selfRead,
    body: z.object({ id: z.string().min(1).max(100) }),
    status: 200,
    reply: { json: z.boolean() },
    errors: [],
  }),
  getEncryptionKey: defineRoute({
    ...read,
    fn: "objects",
    name: "workspaces.getEncryptionKey",
    summary: "Get the key that encrypts exported secrets.",
    path: `${w}/workspaces/encryption_key`,
    access: { domain: "workspaces", verb: "read", need: "admin", target: "none" },
    params: inWorkspace,
    reply: { json: z.object({ key: z.string() }) },
    errors: ["workspace.notFound"],
  }),
  setEncryptionKey: defineRoute({
    ...create,
    fn: "objects",
    name: "workspaces.setEncryptionKey",
    summary:
      "Replace the key that encrypts exported secrets and, unless skip_reencrypt is true, re-encrypt every stored secret with a new data key.",
    path: `${w}/workspaces/encryption_key`,
    access: { domain: "workspaces", verb: "write", need: "admin", target: "none" },
    params: inWorkspace,
    body: z.object({ new_key: encryptionKey, skip_reencrypt: z.boolean().nullish() }),
    status: 200,
    reply: { text: "A confirmation." },
    errors: ["workspace.notFound", "encryptionKey.rotating"],
  }),
  createFolder: defineRoute({
    ...create,
    name: "folders.create",
    summary: "Create a folder.",
    path: `${w}/folders/create`,
    access: { domain: "folders", verb: "write", need: "write", target: "none" },
    params: inWorkspace,
    body: newFolderSchema,
    reply: { text: "A confirmation." },
    errors: ["folder.exists", "folder.notEmpty", "workspace.notFound", "access.owner", "access.changedMeanwhile", "access.tooMuch"],
  }),
  getFolder: defineRoute({
    ...read,
    name: "folders.get",
    summary: "One folder.",
    path: `${w}/folders/get/{name}`,
    access: actions.readFolder.access,
    params: atFolder,
    reply: { json: folderSchema },
    errors: ["folder.notFound"],
  }),
  updateFolder: defineRoute({
    ...create,
    status: 200,
    name: "folders.update",
    summary: "Change a folder. Omitted fields remain unchanged.",
    path: `${w}/folders/update/{name}`,
    access: ownFolder,
    params: atFolder,
    body: folderChangeSchema,
    reply: { text: "A confirmation." },
    errors: folderErrors,
  }),
  deleteFolder: defineRoute({
    ...create,
    method: "DELETE",
    status: 200,
    name: "folders.delete",
    summary: "Delete a folder. Its contents remain, but only admins can access them.",
    path: `${w}/folders/delete/{name}`,
    access: ownFolder,
    params: atFolder,
    reply: { text: "A confirmation." },
    errors: folderErrors,
  }),
  addFolderOwner: defineRoute({
    ...create,
    status: 200,
    name: "folders.addOwner",
    summary: "Add a user or group as an owner of a folder.",
    path: `${w}/folders/addowner/{name}`,
    access: ownFolder,
    params: atFolder,
    body: ownerBody,
    reply: { text: "A confirmation." },
    errors: folderErrors,
  }),
  removeFolderOwner: defineRoute({
    ...create,
    status: 200,
    name: "folders.removeOwner",
    summary: "Remove an owner from a folder. `write` sets the remaining permission: true for write, false for read, absent for none.",
    path: `${w}/folders/removeowner/{name}`,
    access: ownFolder,
    params: atFolder,
    body: ownerBody,
    reply: { text: "A confirmation." },
    errors: folderErrors,
  }),
  folderUsage: defineRoute({
    ...read,
    name: "folders.getUsage",
    summary: "Count the objects in a folder.",
    path: `${w}/folders/getusage/{name}`,
    access: { domain: "folders", verb: "read", need: "read", target: "folder", hiddenAs: "folder.notFound" },
    params: atFolder,
    reply: { json: z.record(z.string(), z.number()) },
    errors: ["folder.notFound"],
  }),
  existsFolder: defineRoute({
    ...read,
    name: "folders.exists",
    summary: "Check whether there is a folder with this name.",
    path: `${w}/folders/exists/{name}`,
    access: { domain: "folders", verb: "read", need: "read", target: "folder", hiddenAs: false },
    params: atFolder,
    reply: { json: z.boolean() },
    errors: [],
  }),
  listFolders: defineRoute({
    ...read,
    name: "folders.list",
    summary: "List the folders of a workspace.",
    path: `${w}/folders/list`,
    access: listAll,
    params: inWorkspace,
    query: z.object({ ...page, only_member_of: z.string().optional() }),
    reply: { json: z.array(folderSchema) },
    errors: [],
  }),
  listFolderNames: defineRoute({
    ...read,
    name: "folders.listNames",
    summary: "List the names of the workspace's folders.",
    path: `${w}/folders/listnames`,
    access: listAll,
    params: inWorkspace,
    query: z.object({ only_member_of: z.string().optional() }),
    reply: { json: z.array(z.string()) },
    errors: [],
  }),
};
