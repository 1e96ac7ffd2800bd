import { lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { isSafeName } from "../../core/sync/files/file-names.ts";
import type { FileMap } from "../../core/sync/files/layout.ts";
import type { FileProblem } from "../../core/sync/item.ts";
import { CommandError } from "../errors.ts";

/** The folders in which items have files. Other folders are never read. */
const FOLDERS = new Set(["f", "u", "users", "groups", "dependencies"]);

const isSkipped = (name: string): boolean => name.startsWith(".") || name === "node_modules";

/** Reads all files below the root that may belong to items. A link out of the root is a problem, because a push would publish its target. */
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
      const place = join(root, path);
      if (entry.isSymbolicLink() && !leadsInside(place, realRoot)) {
        problems.push({ file: path, message: "This link leads out of the folder of svc.yaml." });
        continue;
      }
      const kind = entry.isSymbolicLink() ? statSync(place) : entry;
      // A link to a folder would repeat its files, or never end.
      if (kind.isDirectory() && !entry.isSymbolicLink()) visit(path);
      else if (kind.isFile()) files.set(path, readFileSync(place, "utf8"));
    }
  };
  visit("");
  return { files, problems };
}

const isFileOfRoot = (name: string): boolean => /^(settings(\..+)?|encryption_key|.+\.resource-type)\.yaml$/.test(name);

/** Returns whether a real path is a folder, given by its real path too, or lies below it. */
export const isInside = (realRoot: string, realPath: string): boolean => realPath === realRoot || realPath.startsWith(`${realRoot}${sep}`);

function leadsInside(link: string, realRoot: string): boolean {
  try {
    const target = realpathSync(link);
    return target !== realRoot && isInside(realRoot, target);
  } catch {
    return false;
  }
}

/** Writes a file below the root. The name may be the service's, so it must not lead out of the root, also not by a link. */
export function writeLocalFile(root: string, path: string, content: string): void {
  requireSafePath(root, path);
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Removes a file and the folders that it leaves empty. */
export function removeLocalFile(root: string, path: string): void {
  requireSafePath(root, path);
  rmSync(join(root, path), { force: true });
  for (let folder = dirname(path); folder !== "." && folder !== ""; folder = dirname(folder)) {
    try {
      rmdirSync(join(root, folder));
    } catch {
      // The folder has other files.
      return;
    }
  }
}

function requireSafePath(root: string, path: string): void {
  const refuse = () => new CommandError(`The service names a file that leads out of the folder: ${JSON.stringify(path)}.`);
  if (!isSafeName(path)) throw refuse();
  const realRoot = realpathSync(root);
  // Every existing folder on the way, and the file itself, must be inside.
  for (let place = join(root, path); relative(root, place) !== ""; place = dirname(place)) {
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() && !leadsInside(place, realRoot)) throw refuse();
  }
}
