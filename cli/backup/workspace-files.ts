import type { SyncOptions } from "../../core/sync/config/config.ts";

/** The folder of a workspace's files in a backup. */
export const folderOf = (workspace: string): string => `workspaces/${workspace}`;

/** The options of a synchronisation with every kind of item. Secrets are ciphertext: the key that opens them is sealed. */
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
