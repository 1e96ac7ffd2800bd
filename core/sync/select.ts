import { isJsonObject } from "../../contract/json-object.ts";
import { matchesGlob } from "../patterns/glob.ts";
import type { SyncOptions } from "./config.ts";
import type { SyncItem } from "./item.ts";

/** Returns whether the options include a kind of items. */
function includesKind(kind: string, options: SyncOptions): boolean {
  if (kind.endsWith("_trigger")) return options.includeTriggers === true;
  const chosen: Readonly<Record<string, boolean | undefined>> = {
    variable: !options.skipVariables,
    resource: !options.skipResources,
    resource_type: !options.skipResourceTypes,
    script: !options.skipScripts,
    flow: !options.skipFlows,
    app: !options.skipApps,
    raw_app: !options.skipApps,
    folder: !options.skipFolders,
    dependencies: !options.skipWorkspaceDependencies,
    schedule: options.includeSchedules,
    user: options.includeUsers,
    group: options.includeGroups,
    settings: options.includeSettings,
    encryption_key: options.includeKey,
  };
  return chosen[kind] === true;
}

/** Kinds that have no path in the folders of the workspace: globs do not apply to them. */
const WITHOUT_PATH = new Set(["user", "group", "settings", "encryption_key", "resource_type", "dependencies"]);

/** Returns whether the options include an item. `files`: the names of its files. A glob matches a file or the path of the item. */
export function isSelected(item: SyncItem, files: readonly string[], options: SyncOptions): boolean {
  const { kind, path, value } = item;
  if (!includesKind(kind, options)) return false;
  if (kind === "variable" && options.skipSecrets !== false && isJsonObject(value) && value["is_secret"] === true) return false;
  if (WITHOUT_PATH.has(kind)) return true;
  const names = [kind === "folder" ? `f/${path}` : path, ...files];
  const matches = (globs: readonly string[]) => globs.some((glob) => names.some((name) => matchesGlob(glob, name)));
  return (options.includes === undefined || matches(options.includes)) && !matches(options.excludes ?? []);
}
