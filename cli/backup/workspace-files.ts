import { isJsonObject } from "../../contract/json/json-object.ts";
import type { Settings } from "../../core/sync/backup/settings.ts";
import type { SyncOptions } from "../../core/sync/config/config.ts";
import { parseYaml } from "../../core/sync/files/yaml.ts";
import { throwProblems } from "../errors.ts";

/** The folder of a workspace's files in a backup. */
export const folderOf = (workspace: string): string => `workspaces/${workspace}`;

/** The file of a workspace's settings. */
export const SETTINGS_FILE = "settings.yaml";

/** Reads the file of a workspace's settings. Throws `UsageError`. */
export function readSettings(text: string): Settings {
  const parsed = parseYaml(SETTINGS_FILE, text);
  if ("problem" in parsed) throwProblems([parsed.problem]);
  return "value" in parsed && isJsonObject(parsed.value) ? parsed.value : {};
}

/** The options of a synchronisation with every kind of item. Secrets are ciphertext, and their key is sealed. */
export const fullOptions = ({ withSecrets }: { withSecrets: boolean }): SyncOptions => ({
  includeSchedules: true,
  includeTriggers: true,
  includeUsers: true,
  includeGroups: true,
  includeSettings: true,
  skipSecrets: !withSecrets,
  plainSecrets: false,
  message: "Restored from a backup",
});
