import { mkdirSync, readdirSync, readFileSync, realpathSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isSafeName } from "../../core/sync/files/file-names.ts";
import type { FileMap } from "../../core/sync/files/layout.ts";
import type { FileProblem } from "../../core/sync/item.ts";
import { CommandError } from "../errors.ts";
import { writePrivateFile } from "../private-file.ts";
import { isSkipped, leadsToItem, placeWithoutLinks } from "./links.ts";

/** The folders in which items have files. Other folders are never read. */
const FOLDERS = new Set(["f", "u", "users", "groups", "dependencies"]);

/** Reads all files below the root that may belong to items. A link out of the root, or to a hidden file, is a problem, because a push would publish its target. */
export function readLocalFiles(root: string): { files: FileMap; problems: FileProblem[] } {
  const files: FileMap = new Map();
  const problems: FileProblem[] = [];
  const realRoot = realpathSync(root);
  const visit = (folder: string): void => {
    const entries = readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (isSkipped(entry.name)) continue;
      if (folder === "" && !isFileOfRoot(entry.name) && !FOLDERS.has(entry.name)) continue;
      const fullPath = join(root, path);
      if (entry.isSymbolicLink() && !leadsToItem(fullPath, realRoot)) {
        problems.push({ file: path, message: "This link leads out of the folder of svc.yaml, or to a hidden file." });
        continue;
      }
      const kind = entry.isSymbolicLink() ? statSync(fullPath) : entry;
      // A link to a folder would repeat its files, or cause an endless loop.
      if (kind.isDirectory() && !entry.isSymbolicLink()) visit(path);
      else if (kind.isFile()) files.set(path, readFileSync(fullPath, "utf8"));
    }
  };
  visit("");
  return { files, problems };
}

const isFileOfRoot = (name: string): boolean => /^(settings(\..+)?|encryption_key|.+\.resource-type)\.yaml$/.test(name);

/**
 * Writes a file below the root. The name may come from the service, so it must not lead out of the root, not even through a link. `isPrivate`:
 * only its owner may read it. Throws `CommandError`.
 */
export function writeLocalFile(root: string, path: string, content: string, { isPrivate = false } = {}): void {
  const file = requireSafePath(root, path);
  mkdirSync(dirname(file), { recursive: true });
  if (isPrivate) writePrivateFile(file, content);
  else writeFileSync(file, content);
}

/** Removes a file that was read from the project, and folders that become empty. Throws `CommandError` for a link in place of a folder. */
export function removeLocalFile(root: string, path: string): void {
  rmSync(join(placeWithoutLinks(root, dirname(path)), basename(path)), { force: true });
  for (let folder = dirname(path); folder !== "." && folder !== ""; folder = dirname(folder)) {
    try {
      rmdirSync(join(root, folder));
    } catch {
      // The folder has other files.
      return;
    }
  }
}

/** Returns the location of a file that a command may write. Throws `CommandError` for a name that leads out of the root, and for a link. */
function requireSafePath(root: string, path: string): string {
  if (!isSafeName(path)) throw new CommandError(`The service names a file that leads out of the folder: ${JSON.stringify(path)}.`);
  return placeWithoutLinks(root, path);
}
