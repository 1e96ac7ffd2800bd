import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SyncOptions } from "../../core/sync/config/config.ts";
import { formatYaml } from "../../core/sync/files/yaml.ts";
import { CONFIG_FILE } from "../project/project.ts";

/**
 * Calls `work` with an empty project, which only this user may read and which is removed at the end. Its `svc.yaml` is written here: one in a
 * backup could name a program that bundles scripts, and the state of an earlier synchronisation would hide items.
 */
export async function inWorkingFolder<T>(options: SyncOptions, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "svc-backup-"));
  try {
    writeFileSync(join(folder, CONFIG_FILE), formatYaml(options));
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
