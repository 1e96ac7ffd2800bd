import { findKind, kindNames } from "../../../contract/kinds/kinds.ts";
import { type DefaultTs, languageOfEnding } from "./extensions.ts";

/** The item to which a file belongs. `part`: its role in the item. */
export interface FilePlace {
  kind: string;
  path: string;
  part: "main" | "source" | "lock" | "extra";
  /** The folder of an item with several files, without `/` at the end. */
  folder?: string;
}

/** The kinds whose items are single files in the folders of the workspace. */
const objectKinds = kindNames.filter((name) => findKind(name)?.layout === undefined && findKind(name)?.id === undefined);
/** The kinds whose items are folders. */
export const folderKinds: readonly string[] = kindNames.filter((name) => findKind(name)?.layout === "folder");
const fileOf = (kind: string): string => findKind(kind)?.file ?? `*.${kind}`;

/** The kinds whose items are single files elsewhere, with the parts of the file's name around that of the item. */
const namedKinds = kindNames
  .filter((name) => findKind(name)?.id !== undefined)
  .map((kind) => {
    // The names of lists of package versions include their endings.
    const [before = "", after] = `${fileOf(kind)}${kind === "dependencies" ? "" : ".yaml"}`.split("*");
    return { kind, before, after };
  });

/** Returns the file of an item that has only one, without the ending of its format. Archives and folders have the same names. */
export const baseName = ({ kind, path }: Pick<FilePlace, "kind" | "path">): string => fileOf(kind).replace("*", () => path);

/** Returns the item to which a file belongs, or `undefined` if it belongs to none: such files are ignored. */
export function placeOf(file: string, { defaultTs }: { defaultTs: DefaultTs }): FilePlace | undefined {
  for (const named of namedKinds) {
    const path = findName(named, file);
    if (path !== undefined) return { kind: named.kind, path, part: "main" };
  }
  const parts = file.split("/");
  if (parts[0] !== "f" && parts[0] !== "u") return undefined;
  return placeInFolder(parts) ?? placeOfObject(file, defaultTs);
}

/** Returns the name of the item that a file belongs to, if it is one of the kind. An item without a name has that of its kind. */
function findName({ kind, before, after }: (typeof namedKinds)[number], file: string): string | undefined {
  if (after === undefined) return file === before ? kind : undefined;
  if (!file.startsWith(before) || !file.endsWith(after)) return undefined;
  const name = file.slice(before.length, file.length - after.length);
  return name === "" || name.includes("/") ? undefined : name;
}

/**
 * Returns whether the files of a script are in a separate folder although it has no modules: the path of a file ends at the first dot of its
 * name, so a name with a dot needs a folder.
 */
export const needsFolder = (path: string): boolean => path.includes(".", path.lastIndexOf("/") + 1);

/** The endings of folders that are items, or parts of a script or a resource. */
const folderEndings = [...folderKinds, "mod", "fileset"].flatMap((suffix) => [
  { suffix, ending: `.${suffix}` },
  { suffix, ending: `__${suffix}` },
]);

/** Returns the path and the ending of a folder that is an item. */
function readFolder(folder: string): { path: string; suffix: string } | undefined {
  const found = folderEndings.find(({ ending }) => folder.endsWith(ending) && folder.length > ending.length);
  return found && { path: folder.slice(0, -found.ending.length), suffix: found.suffix };
}

/** Returns whether files can have the path of an item: not below a folder whose name is that of another item, or which is never read. */
export function hasFiles({ path }: Pick<FilePlace, "path">): boolean {
  const folders = path.split("/").slice(0, -1);
  return !folders.some(
    (name, index) => folderEndings.some(({ ending }) => name.endsWith(ending)) || (index > 0 && name === "node_modules"),
  );
}

function placeInFolder(parts: readonly string[]): FilePlace | undefined {
  for (let length = 3; length < parts.length; length += 1) {
    const folder = parts.slice(0, length).join("/");
    const item = readFolder(folder);
    if (!item) continue;
    const { path, suffix } = item;
    const rest = parts.slice(length).join("/");
    if (suffix === "fileset") return { kind: "resource", path, part: "extra", folder };
    if (suffix !== "mod") return { kind: suffix, path, part: rest === `${suffix}.yaml` ? "main" : "extra", folder };
    if (rest === "script.yaml") return { kind: "script", path, part: "main", folder };
    if (rest === "script.lock") return { kind: "script", path, part: "lock", folder };
    return { kind: "script", path, part: /^script\.[^/]+$/.test(rest) ? "source" : "extra", folder };
  }
  return undefined;
}

function placeOfObject(file: string, defaultTs: DefaultTs): FilePlace | undefined {
  const kind = objectKinds.find((one) => file.endsWith(`.${one}.yaml`));
  if (kind) return { kind, path: file.slice(0, -`.${kind}.yaml`.length), part: "main" };
  for (const [ending, part] of [
    [".script.yaml", "main"],
    [".script.lock", "lock"],
  ] as const) {
    if (file.endsWith(ending)) return { kind: "script", path: file.slice(0, -ending.length), part };
  }
  const resource = /^(.+)\.resource\.file\.[^/]+$/.exec(file)?.[1];
  if (resource !== undefined) return { kind: "resource", path: resource, part: "extra" };
  const slash = file.lastIndexOf("/");
  const dot = file.indexOf(".", slash + 1);
  if (dot < 0 || !languageOfEnding(file.slice(dot), defaultTs)) return undefined;
  return { kind: "script", path: file.slice(0, dot), part: "source" };
}
