import { resolve } from "node:path";
import type { JsonValue } from "../../../contract/common.ts";
import type { GlobalUserJson } from "../../../contract/routes/people/people.ts";
import { type BackedUpWorkspace, type Backup, LEFT_OUT, mergeGroups, mergeUsers } from "../../../core/sync/backup/backup.ts";
import { divideSettings, instanceTreatments } from "../../../core/sync/backup/settings.ts";
import { readPages } from "../../api/pages.ts";
import { backUpWorkspace } from "../../backup/back-up-workspace.ts";
import { readBackup, requireNewFolder, writeBackup } from "../../backup/backup-folder.ts";
import { restoreWorkspace } from "../../backup/restore-workspace.ts";
import { openSettings, readOpenKey, readSealKey, sealSettings } from "../../backup/seal.ts";
import type { Context } from "../../context.ts";
import { CommandError, UsageError } from "../../errors.ts";
import { makePrivateFolder } from "../../private-file.ts";

interface BackUpFlags {
  sealFor?: string;
  only?: string[];
}

/** Writes the users, groups, settings and workspaces of an instance to a new folder. */
export async function backUp(context: Context, folder: string, { sealFor, only }: BackUpFlags): Promise<void> {
  const root = resolve(context.cwd, folder);
  const seal = sealFor === undefined ? undefined : readSealKey(resolve(context.cwd, sealFor));
  requireNewFolder(root);
  const client = context.instanceClient();
  await requireSuperadmin(context);
  // Only this user may read it.
  makePrivateFolder(root);
  const all = await readPages((page) => client.call.workspaces.listAsSuperadmin({ query: page }));
  const missing = only?.find((id) => !all.some((workspace) => workspace.id === id));
  if (missing !== undefined) throw new UsageError(`There is no workspace ${missing}.`);
  const settings = await client.call.settings.listGlobal();
  const workspaces: BackedUpWorkspace[] = [];
  for (const workspace of all.filter(({ id }) => only === undefined || only.includes(id))) {
    context.output.say(`Workspace ${workspace.id}`);
    workspaces.push(await backUpWorkspace(context, workspace, { root, seal }));
  }
  const divided = divideSettings(instanceTreatments, Object.fromEntries(settings.map(({ name, value }) => [name, value])));
  const sealed_settings = seal && (await sealSettings(seal, "", divided.sealed));
  const left = [
    ...divided.leftOut.map((name) => `the setting ${name}, which contains secrets`),
    ...(seal ? [] : Object.keys(divided.sealed).map((name) => `the setting ${name}, which may contain secrets. --seal-for includes it`)),
  ];
  const backup: Backup = {
    format: "svc-backup",
    version: 1,
    created_at: new Date().toISOString(),
    url: client.options.url,
    users: await client.call.users.exportGlobal(),
    instance_groups: await client.call.instanceGroups.export(),
    settings: Object.entries(divided.plain).map(([name, value]) => ({ name, value })),
    ...(sealed_settings ? { sealed_settings } : {}),
    workspaces,
    left_out: [...LEFT_OUT, ...left],
  };
  writeBackup(root, backup);
  describeLeftOut(context, backup);
  context.output.data({ folder: root, ...summarise(backup) }, "");
}

function describeLeftOut({ output }: Context, { left_out, workspaces }: Backup): void {
  output.say("Left out:");
  for (const line of left_out) output.say(`  ${line}`);
  for (const { id, left_out_secrets: secrets, left_out_settings: settings } of workspaces) {
    if (secrets.length > 0) output.say(`  ${secrets.length} secret variables of ${id}: ${secrets.join(", ")}. --seal-for includes them.`);
    if (settings.length > 0) output.say(`  settings of ${id} that may contain secrets: ${settings.join(", ")}. --seal-for includes them.`);
  }
}

const summarise = ({ users, workspaces, left_out }: Backup) => ({
  users: users.length,
  workspaces: workspaces.map(({ id }) => id),
  left_out,
});

/** Creates or replaces the content of a backup. Nothing else is deleted. */
export async function restore(context: Context, folder: string, { unsealWith }: { unsealWith?: string }): Promise<void> {
  const root = resolve(context.cwd, folder);
  const backup = readBackup(root);
  const privateKey = unsealWith === undefined ? undefined : readOpenKey(resolve(context.cwd, unsealWith));
  const { users, workspaces } = backup;
  await context.confirm(
    `Restore ${users.length} users and ${workspaces.length} workspaces of ${backup.url} here? Items that exist here are replaced, and nothing is deleted.`,
  );
  const client = context.instanceClient();
  const { email, username } = await requireSuperadmin(context);
  const earlier = users.find((user) => user.email.toLowerCase() === email.toLowerCase());
  const caller = { email, username: earlier?.username === username ? username : undefined };
  const present = await readPages((page) => client.call.workspaces.listAsSuperadmin({ query: page }));
  await client.call.users.overwriteGlobal({ body: mergeUsers(users, await client.call.users.exportGlobal(), email) });
  const groups = await client.call.instanceGroups.export();
  await client.call.instanceGroups.overwrite({ body: mergeGroups(backup.instance_groups, groups) });
  const opened = privateKey && backup.sealed_settings !== undefined ? await openSettings(privateKey, "", backup.sealed_settings) : {};
  const settings = [...backup.settings, ...Object.entries(opened).map(([name, value]) => ({ name, value }))];
  for (const { name, value } of settings) await client.call.settings.setGlobal({ key: name, body: { value: value as JsonValue } });
  for (const workspace of workspaces) {
    context.output.say(`Workspace ${workspace.id}`);
    await restoreWorkspace(context, workspace, { root, privateKey, caller, present: present.find(({ id }) => id === workspace.id) });
    if (workspace.sealed_key !== undefined && privateKey === undefined)
      context.output.say("  Its secret variables are left out. --unseal-with includes them.");
    if (workspace.sealed_settings !== undefined && privateKey === undefined)
      context.output.say("  Its settings that may contain secrets are left out. --unseal-with includes them.");
  }
  if (backup.sealed_settings !== undefined && privateKey === undefined)
    context.output.say("The settings of the instance that may contain secrets are left out. --unseal-with includes them.");
  describeLeftOut(context, backup);
  context.output.data(summarise(backup), "");
}

/** Returns the caller. Throws `CommandError` unless the token is that of a superadmin. */
async function requireSuperadmin(context: Context): Promise<Pick<GlobalUserJson, "email" | "username">> {
  const caller = await context.instanceClient().call.users.whoamiGlobal();
  if (!caller.super_admin) throw new CommandError("This needs the token of a superadmin.");
  return caller;
}
