import type { KeyObject } from "node:crypto";
import type { WorkspaceJson } from "../../contract/routes/workspaces/workspace-schemas.ts";
import type { BackedUpWorkspace } from "../../core/sync/backup/backup.ts";
import { addIdentity } from "../../core/sync/backup/identity.ts";
import { mergeSettings } from "../../core/sync/backup/settings.ts";
import { formatYaml } from "../../core/sync/files/yaml.ts";
import { itemKey } from "../../core/sync/item.ts";
import type { ApiClient } from "../api/client.ts";
import type { Context } from "../context.ts";
import { throwProblems } from "../errors.ts";
import { readLocalFiles, writeLocalFile } from "../project/local-files.ts";
import { type Change, planSync } from "../sync/changes.ts";
import { applyPush } from "../sync/push/push.ts";
import { openSession, openSyncProject } from "../sync/session.ts";
import { openKey, openSettings } from "./seal.ts";
import { inWorkingFolder } from "./working-folder.ts";
import { folderOf, fullOptions, readSettings, SETTINGS_FILE } from "./workspace-files.ts";

interface Restore {
  root: string;
  /** The private key that opens the secrets. Without it, secret variables are left out. */
  privateKey: KeyObject | undefined;
  /** The workspace of the instance. */
  present: WorkspaceJson | undefined;
  /** The user who restores. */
  caller: Caller;
}

export interface Caller {
  email: string;
  /** The username outside of workspaces, if the user had the same name in the instance of the backup. */
  username: string | undefined;
}

/** Owners of folders and members of groups must be members of the workspace. */
const FIRST: ReadonlySet<string> = new Set(["user", "group"]);

/**
 * Creates a workspace with the items of a backup, or replaces items with the same names. Nothing is deleted. A repeated call continues an
 * interrupted one.
 */
export async function restoreWorkspace(context: Context, backup: BackedUpWorkspace, restore: Restore): Promise<void> {
  const { id, name, color, archived } = backup;
  const { root, privateKey, present, caller } = restore;
  const client = context.at(context.cwd, id).client();
  if (!present) await client.call.workspaces.create({ body: { id, name, color } });
  else if (present.deleted) await client.call.workspaces.unarchive({ workspace: id });
  await removeCreator(client, backup, { email: caller.email, isNew: !present });
  const withSecrets = privateKey !== undefined && backup.sealed_key !== undefined;
  if (withSecrets) await setKey(client, await openKey(privateKey, id, backup.sealed_key ?? ""));
  const { files, problems } = readLocalFiles(`${root}/${folderOf(id)}`);
  throwProblems(problems);
  await inWorkingFolder(fullOptions({ withSecrets }), async (folder) => {
    for (const [file, text] of files) {
      const content = file === SETTINGS_FILE ? await completeSettings(client, backup, { privateKey, text }) : text;
      writeLocalFile(folder, file, content, { isPrivate: true });
    }
    const workspaceContext = context.at(folder, id);
    const session = await openSession(workspaceContext, openSyncProject(workspaceContext));
    const { local, remote } = session;
    const planned = planSync("push", { local, remote, base: undefined, force: true, hasBundles: false });
    const kept = planned.filter(({ type }) => type !== "delete");
    const changes = withIdentities(context, kept, { backup, caller });
    await applyPush(
      workspaceContext,
      session,
      changes.filter(({ kind }) => FIRST.has(kind)),
    );
    await applyPush(
      workspaceContext,
      session,
      changes.filter(({ kind }) => !FIRST.has(kind)),
    );
  });
  if (archived) await client.call.workspaces.archive();
}

/** Adds the sealed settings of a backup to the file of the settings. Without the key, the workspace retains its own. */
async function completeSettings(
  client: ApiClient,
  { id, sealed_settings: sealed }: BackedUpWorkspace,
  { privateKey, text }: { privateKey: KeyObject | undefined; text: string },
): Promise<string> {
  const opened = privateKey !== undefined && sealed !== undefined ? await openSettings(privateKey, id, sealed) : undefined;
  const present = await client.call.workspaces.getSettings();
  return formatYaml(mergeSettings(readSettings(text), opened, present));
}

/** The creator of a workspace is a member of it. The backup decides whether the creator remains one, and by which username. */
async function removeCreator(
  client: ApiClient,
  { members }: BackedUpWorkspace,
  { email: creator, isNew }: { email: string; isNew: boolean },
): Promise<void> {
  const present = await client.call.users.list();
  const isOwn = ({ email }: { email: string }) => email.toLowerCase() === creator.toLowerCase();
  const mine = present.find(isOwn);
  if (!mine) return;
  const isWanted = members.some((one) => isOwn(one) && one.username === mine.username);
  const isInTheWay = members.some((one) => isOwn(one) !== (one.username === mine.username));
  if (!isWanted && (isNew || isInTheWay)) await client.call.users.leaveWorkspace();
}

async function setKey(client: ApiClient, key: string): Promise<void> {
  const present = await client.call.workspaces.getEncryptionKey();
  if (present.key !== key) await client.call.workspaces.setEncryptionKey({ body: { new_key: key } });
}

/** Adds the user with whose rights each item runs. An item whose user is no longer a member is left out. */
function withIdentities(
  context: Context,
  changes: readonly Change[],
  { backup: { members, runs_as }, caller }: { backup: BackedUpWorkspace; caller: Caller },
): Change[] {
  const users = new Map(runs_as.map(({ kind, path, user }) => [itemKey({ kind, path }), user]));
  // A superadmin need not be a member.
  const identities = new Set([...members.flatMap(({ email, username }) => [email, `u/${username}`]), caller.email, `u/${caller.username}`]);
  return changes.flatMap((change) => {
    const { local, key, kind, path } = change;
    const user = users.get(key);
    if (!local || user === undefined) return [change];
    if (!identities.has(user)) {
      context.output.say(`Left out: ${kind} ${path} runs with the rights of ${user}, who is no member of the workspace.`);
      return [];
    }
    return [{ ...change, local: { ...local, files: local.files, item: addIdentity(local.item, user) } }];
  });
}
