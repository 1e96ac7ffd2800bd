import type { KeyObject } from "node:crypto";
import type { WorkspaceJson } from "../../contract/routes/workspaces/workspace-schemas.ts";
import type { BackedUpWorkspace } from "../../core/sync/backup/backup.ts";
import { kindsWithIdentity } from "../../core/sync/backup/identity.ts";
import { divideSettings, type Settings, workspaceTreatments } from "../../core/sync/backup/settings.ts";
import { formatYaml } from "../../core/sync/files/yaml.ts";
import type { ApiClient } from "../api/client.ts";
import { nounOf } from "../api/item-operations.ts";
import { readPages } from "../api/pages.ts";
import type { Context } from "../context.ts";
import { throwProblems } from "../errors.ts";
import { readLocalFiles, writeLocalFile } from "../project/local-files.ts";
import { planSync } from "../sync/changes.ts";
import { applyPull } from "../sync/pull.ts";
import { openSession, openSyncProject } from "../sync/session.ts";
import { sealKey, sealSettings } from "./seal.ts";
import { inWorkingFolder } from "./working-folder.ts";
import { folderOf, fullOptions, readSettings, SETTINGS_FILE } from "./workspace-files.ts";

/**
 * Writes the items of a workspace to files below `root`, and returns the other data that a restore needs. `seal`: the public key for which
 * secrets are sealed.
 */
export async function backUpWorkspace(
  context: Context,
  { id, name, color, deleted = false }: WorkspaceJson,
  { root, seal }: { root: string; seal: KeyObject | undefined },
): Promise<BackedUpWorkspace> {
  const client = context.at(context.cwd, id).client();
  let sealed: Settings = {};
  await inWorkingFolder(fullOptions({ withSecrets: seal !== undefined }), async (folder) => {
    const workspaceContext = context.at(folder, id);
    const session = await openSession(workspaceContext, openSyncProject(workspaceContext));
    const { local, remote } = session;
    applyPull(session, planSync("pull", { local, remote, base: undefined, force: true, hasBundles: false }));
    const { files, problems } = readLocalFiles(folder);
    throwProblems(problems);
    for (const [file, text] of files) {
      const divided = file === SETTINGS_FILE ? divideSettings(workspaceTreatments, readSettings(text)) : undefined;
      if (divided) sealed = divided.sealed;
      const content = divided ? formatYaml(divided.plain) : text;
      writeLocalFile(root, `${folderOf(id)}/${file}`, content, { isPrivate: true });
    }
  });
  const sealed_settings = seal && (await sealSettings(seal, id, sealed));
  const members = await client.call.users.list();
  return {
    ...{ id, name, ...(color ? { color } : {}), archived: deleted },
    members: members.map(({ email, username }) => ({ email, username })),
    runs_as: await listIdentities(client),
    ...(seal ? { sealed_key: await sealKey(seal, id, (await client.call.workspaces.getEncryptionKey()).key) } : {}),
    left_out_secrets: seal ? [] : await listSecrets(client),
    ...(sealed_settings ? { sealed_settings } : {}),
    left_out_settings: seal ? [] : Object.keys(sealed),
  };
}

interface Listed {
  path: string;
  permissioned_as?: string;
}

/** Lists, for items whose files do not contain it, the user with whose rights the item runs. Files of scripts and flows contain it. */
async function listIdentities(client: ApiClient): Promise<BackedUpWorkspace["runs_as"]> {
  const found: BackedUpWorkspace["runs_as"] = [];
  const list = (kind: string) => async (page: { page: number; per_page: number }) =>
    (await client.callAny(`${nounOf(kind)}.list`, { query: page })) as Listed[];
  for (const kind of kindsWithIdentity)
    for (const { path, permissioned_as } of await readPages(list(kind))) {
      const user = kind === "app" ? await readOwner(client, path) : permissioned_as;
      if (user) found.push({ kind, path, user });
    }
  return found;
}

/** The list of apps does not contain their policies. */
const readOwner = async (client: ApiClient, path: string): Promise<string | undefined> =>
  (await client.call.apps.get({ path })).policy.on_behalf_of_email ?? undefined;

async function listSecrets(client: ApiClient): Promise<string[]> {
  const variables = await readPages((page) => client.call.variables.list({ query: page }));
  return variables.filter(({ is_secret }) => is_secret).map(({ path }) => path);
}
