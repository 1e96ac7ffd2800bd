import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { fromSpecificFile } from "../../core/sync/config/specific-items.ts";
import { equalsExactly } from "../../core/sync/digest.ts";
import { areFileNames, TakenNames } from "../../core/sync/files/file-names.ts";
import type { LayoutOptions } from "../../core/sync/files/layout.ts";
import { parseFiles } from "../../core/sync/files/parse-files.ts";
import { itemKey } from "../../core/sync/item.ts";
import type { Output } from "../output/output.ts";
import { CONFIG_FILE, type Project } from "./project.ts";
import type { SnapshotItem } from "./snapshot-item.ts";
import type { Remote, Snapshot } from "./snapshots.ts";

/**
 * Removes items of the workspace that cannot be stored as files from both sides, and reports each: members choose the names and the contents of
 * items, and one item must not block the synchronisation of the others. Only items that differ are checked, because equal ones already have
 * files.
 */
export function leaveUnusable(
  project: Pick<Project, "root" | "entry">,
  { local, remote }: { local: Snapshot; remote: Remote },
  layout: LayoutOptions,
  output: Output,
  ignoresCase = ignoresCaseIn(project.root),
): void {
  for (const key of remote.unreadable) local.delete(key);
  const taken = new TakenNames({ ignoresCase });
  for (const [key, { files }] of local) taken.add(key, [...files.keys()]);
  const leave = (key: string, reason: string): void => {
    output.say(`${key} is left out: ${reason}`);
    remote.snapshot.delete(key);
    local.delete(key);
  };
  for (const [key, theirs] of [...remote.snapshot].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const mine = local.get(key);
    if (mine && equalsExactly(mine.digest, theirs.digest)) continue;
    const reason = describeUnusable(project, theirs, layout);
    const names = reason === undefined ? [...theirs.files.keys()] : [];
    const other = taken.findOther(key, names);
    if (reason !== undefined) leave(key, reason);
    else if (other !== undefined) leave(key, `its files cannot lie beside those of ${other}.`);
    else taken.add(key, names);
  }
}

/** Returns the reason for which the files of an item cannot be written, or cannot be read again. */
function describeUnusable(
  { root, entry }: Pick<Project, "root" | "entry">,
  theirs: SnapshotItem,
  layout: LayoutOptions,
): string | undefined {
  const common = (file: string) => (entry === undefined ? undefined : fromSpecificFile(file, entry)) ?? file;
  try {
    // The files are created here, which fails for fields of another type.
    const { item, files } = theirs;
    const names = [...files.keys()];
    if (!areFileNames(names)) return "not every system can have a file of its name.";
    const obstacle = names.map((name) => findObstacle(root, name)).find((found) => found !== undefined);
    if (obstacle !== undefined) return `${obstacle} is a link here, or is in the place of one of its files or folders.`;
    const { items, problems } = parseFiles(new Map([...files].map(([name, text]) => [common(name), text])), layout);
    const [first] = problems;
    if (first !== undefined) return `svc could not read its files again. ${first.message}`;
    if (items.length === 1 && items[0] && itemKey(items[0]) === itemKey(item)) return undefined;
    return "its files would be those of other items.";
  } catch {
    return "svc cannot store it as a file.";
  }
}

/** Returns a local link through which a file would be written, a file where a folder is needed, or a folder in place of the file. */
function findObstacle(root: string, name: string): string | undefined {
  const parts = name.split("/");
  for (let length = 1; length <= parts.length; length += 1) {
    const partialPath = parts.slice(0, length).join("/");
    const found = lstatSync(join(root, partialPath), { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (length < parts.length ? !found.isDirectory() : !found.isFile()) return partialPath;
  }
  return undefined;
}

/** Returns whether the file system of a project finds a file by a name in another case. */
const ignoresCaseIn = (root: string): boolean => existsSync(join(root, CONFIG_FILE.toUpperCase()));
