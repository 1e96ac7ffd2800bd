import * as z from "zod";
import { username, workspaceId } from "../../../contract/common.ts";
import { exportedUserSchema, instanceGroupSchema } from "../../../contract/routes/people/people.ts";

/** A workspace of a backup. Its items are files below `workspaces/<id>/`. */
const backedUpWorkspaceSchema = z.strictObject({
  id: workspaceId,
  name: z.string(),
  color: z.string().optional(),
  archived: z.boolean(),
  members: z.array(z.strictObject({ email: z.string(), username })),
  /** The users with whose rights schedules and triggers (`u/<username>`) and apps (the e-mail address) run. Their files do not name them. */
  runs_as: z.array(z.strictObject({ kind: z.string(), path: z.string(), user: z.string() })),
  /** The key of the secrets in the files, encrypted for the person who may read the backup. Absent: the files contain no secret variables. */
  sealed_key: z.string().optional(),
  /** The secret variables that are left out. */
  left_out_secrets: z.array(z.string()),
  /** The settings that may contain secrets, encrypted for the same person. Absent: there are none, or they are left out. */
  sealed_settings: z.string().optional(),
  left_out_settings: z.array(z.string()).default([]),
});
export type BackedUpWorkspace = z.output<typeof backedUpWorkspaceSchema>;

/** The file `backup.json`, which is written last: a backup without it is incomplete. */
export const backupSchema = z.strictObject({
  format: z.literal("svc-backup"),
  version: z.literal(1),
  created_at: z.iso.datetime(),
  /** The address of the instance. */
  url: z.string(),
  users: z.array(exportedUserSchema),
  instance_groups: z.array(instanceGroupSchema),
  settings: z.array(z.strictObject({ name: z.string(), value: z.unknown() })),
  sealed_settings: z.string().optional(),
  workspaces: z.array(backedUpWorkspaceSchema),
  /** Everything that no backup contains. */
  left_out: z.array(z.string()),
});
export type Backup = z.output<typeof backupSchema>;

/** A description for people of everything that no backup contains. */
export const LEFT_OUT: readonly string[] = [
  "jobs, their results and logs",
  "the audit log and the record of approvals",
  "passwords, tokens and open invitations",
  "accounts that are connected with other services, and the secrets of connect clients",
  "earlier versions of scripts, flows and apps, and drafts",
  "bundles of scripts from codebases",
  "files of workspaces",
  "endpoints of events and their secrets",
];

/** Returns the users that replace those of an instance: no user is deleted, and the caller remains a superadmin. */
export function mergeUsers(backup: Backup["users"], present: Backup["users"], caller: string): Backup["users"] {
  const emails = new Set(backup.map(({ email }) => email.toLowerCase()));
  const merged = [...backup, ...present.filter(({ email }) => !emails.has(email.toLowerCase()))];
  return merged.map((user) => (user.email.toLowerCase() === caller.toLowerCase() ? { ...user, super_admin: true, disabled: false } : user));
}

/** Returns the groups that replace those of an instance: no group is deleted. */
export function mergeGroups(backup: Backup["instance_groups"], present: Backup["instance_groups"]): Backup["instance_groups"] {
  const names = new Set(backup.map(({ name }) => name));
  return [...backup, ...present.filter(({ name }) => !names.has(name))];
}
