import { existsSync, readFileSync } from "node:fs";
import type { FileProblem } from "../../core/sync/item.ts";
import { formatLockFile, LOCK_FILE, type LockHashes, parseLockFile } from "../../core/sync/metadata/lock-file.ts";
import { throwProblems } from "../errors.ts";
import { placeWithoutLinks } from "../project/links.ts";
import { writeLocalFile } from "../project/local-files.ts";

const readText = (root: string): string | undefined => {
  const file = placeWithoutLinks(root, LOCK_FILE);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
};

/** Returns the recorded hashes of a project, or the problem of their file. */
export const checkLockFile = (root: string): { hashes: LockHashes } | { problem: FileProblem } => parseLockFile(readText(root));

/** Returns the recorded hashes of a project. Throws `UsageError` if their file cannot be read. */
export function readLockFile(root: string): LockHashes {
  const parsed = checkLockFile(root);
  if ("hashes" in parsed) return parsed.hashes;
  throwProblems([parsed.problem]);
  return new Map();
}

/** Returns whether a project records hashes. */
export const hasLockFile = (root: string): boolean => existsSync(placeWithoutLinks(root, LOCK_FILE));

/** Writes the recorded hashes of a project, unless the file contains them already. A project without hashes gets no file. */
export function writeLockFile(root: string, hashes: LockHashes): void {
  const [before, text] = [readText(root), formatLockFile(hashes)];
  if (before === text || (before === undefined && hashes.size === 0)) return;
  writeLocalFile(root, LOCK_FILE, text);
}
