import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseExactJson } from "../../contract/json/exact-json.ts";
import { type Backup, backupSchema } from "../../core/sync/backup/backup.ts";
import { UsageError } from "../errors.ts";
import { writeLocalFile } from "../project/local-files.ts";

const FILE = "backup.json";

/** Throws `UsageError` if there is anything in the folder of a new backup. */
export function requireNewFolder(root: string): void {
  if (existsSync(root) && readdirSync(root).length > 0) throw new UsageError(`${root} is not empty. Name a new folder for each backup.`);
}

/** Marks a backup as complete. */
export const writeBackup = (root: string, backup: Backup): void =>
  writeLocalFile(root, FILE, `${JSON.stringify(backup, undefined, 2)}\n`, { isPrivate: true });

/** Reads a backup without the files of its workspaces. Throws `UsageError` for a folder without a complete one. */
export function readBackup(root: string): Backup {
  const file = join(root, FILE);
  if (!existsSync(file)) throw new UsageError(`${root} contains no complete backup: ${FILE} is missing.`);
  const parsed = backupSchema.safeParse(parseJson(file));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UsageError(`${file} is not valid: ${issue?.path.join(".")}: ${issue?.message}.`);
  }
  return parsed.data;
}

function parseJson(file: string): unknown {
  try {
    return parseExactJson(readFileSync(file, "utf8"));
  } catch {
    throw new UsageError(`${file} is not valid JSON.`);
  }
}
