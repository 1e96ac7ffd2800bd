import * as z from "zod";
import { extraPerms, folderName, timestamp, username, workspaceId } from "../../common.ts";

export const folderSchema = z.object({
  name: folderName,
  owners: z.array(z.string()),
  extra_perms: extraPerms,
  summary: z.string().optional(),
  display_name: z.string().optional(),
  created_by: z.string().optional(),
  edited_at: timestamp.optional(),
  edited_by: z.string().optional(),
  default_permissioned_as: z.array(z.object({ path_glob: z.string(), permissioned_as: z.string() })).optional(),
  labels: z.array(z.string()).optional(),
});
export type FolderJson = z.output<typeof folderSchema>;
export const newFolderSchema = folderSchema
  .omit({ created_by: true, edited_at: true, edited_by: true })
  .partial({ owners: true, extra_perms: true });
export type NewFolder = z.output<typeof newFolderSchema>;

export const folderChangeSchema = newFolderSchema.omit({ name: true });
export type FolderChange = z.output<typeof folderChangeSchema>;

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
