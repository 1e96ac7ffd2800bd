import { fileTriggerKinds } from "../item.ts";
import { type DefaultTs, languageOfEnding } from "./extensions.ts";

/** The item that a file belongs to. `part`: its place in the item. */
export interface FilePlace {
  kind: string;
  path: string;
  part: "main" | "source" | "lock" | "extra";
  /** The folder of an item with several files, without `/` at the end. */
  folder?: string;
}

const OBJECT_KINDS = ["resource", "variable", "schedule", ...fileTriggerKinds.map((kind) => `${kind}_trigger`)];

/** Returns the file of an item that has only one, without the ending of its format. Archives and folders have the same names. */
export function baseName({ kind, path }: Pick<FilePlace, "kind" | "path">): string {
  switch (kind) {
    case "settings":
    case "encryption_key":
      return kind;
    case "user":
      return `users/${path}.user`;
    case "group":
      return `groups/${path}.group`;
    case "folder":
      return `f/${path}/folder.meta`;
    case "resource_type":
      return `${path}.resource-type`;
    default:
      return `${path}.${kind}`;
  }
}

/** Returns the item that a file belongs to, or `undefined` if it belongs to none: such files are left alone. */
export function placeOf(file: string, { defaultTs }: { defaultTs: DefaultTs }): FilePlace | undefined {
  if (file === "settings.yaml" || file === "encryption_key.yaml") {
    const kind = file.slice(0, -".yaml".length);
    return { kind, path: kind, part: "main" };
  }
  const parts = file.split("/");
  const [first = "", second = ""] = parts;
  if (parts.length === 1) return named(file, /^(.+)\.resource-type\.yaml$/, "resource_type");
  if (parts.length === 2 && first === "users") return named(second, /^(.+)\.user\.yaml$/, "user");
  if (parts.length === 2 && first === "groups") return named(second, /^(.+)\.group\.yaml$/, "group");
  if (parts.length === 2 && first === "dependencies") return { kind: "dependencies", path: second, part: "main" };
  if (first !== "f" && first !== "u") return undefined;
  if (first === "f" && parts.length === 3 && parts[2] === "folder.meta.yaml") return { kind: "folder", path: second, part: "main" };
  return placeInFolder(parts) ?? placeOfObject(file, defaultTs);
}

function named(name: string, pattern: RegExp, kind: string): FilePlace | undefined {
  const path = pattern.exec(name)?.[1];
  return path === undefined ? undefined : { kind, path, part: "main" };
}

/**
 * Returns whether the files of a script lie in a separate folder, though it has no modules: the path of a file ends at the first dot of its name, so
 * a name with a dot needs one.
 */
export const needsFolder = (path: string): boolean => path.includes(".", path.lastIndexOf("/") + 1);

/** A folder of such a name is an item or is never read, so no other item can have files below it. */
const UNUSABLE_FOLDER = /(?:(?:\.|__)(?:flow|app|raw_app|mod|fileset)|\/node_modules)\//;

/** Returns whether files can have the path of an item: not below a folder whose name is that of another item. */
export const hasFiles = ({ path }: Pick<FilePlace, "path">): boolean => !UNUSABLE_FOLDER.test(path);

/** The endings of folders that are items. */
const FOLDER = /^(.+?)(?:\.|__)(flow|app|raw_app|mod|fileset)$/;

function placeInFolder(parts: readonly string[]): FilePlace | undefined {
  for (let length = 3; length < parts.length; length += 1) {
    const folder = parts.slice(0, length).join("/");
    const [, path, suffix] = FOLDER.exec(folder) ?? [];
    if (path === undefined || suffix === undefined) continue;
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
  const kind = OBJECT_KINDS.find((one) => file.endsWith(`.${one}.yaml`));
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
