import { matchesGlob } from "../patterns/glob.ts";
import type { SyncOptions } from "./config/config.ts";
import { fileTriggerKinds, isSecret, type SyncItem } from "./item.ts";

/** The options that leave out kinds of items, and those that include kinds which are left out by default. */
const skipping = {
  skipVariables: ["variable"],
  skipResources: ["resource"],
  skipResourceTypes: ["resource_type"],
  skipScripts: ["script"],
  skipFlows: ["flow"],
  skipApps: ["app", "raw_app"],
  skipFolders: ["folder"],
  skipWorkspaceDependencies: ["dependencies"],
} as const satisfies Partial<Record<keyof SyncOptions, readonly string[]>>;
const including = {
  includeSchedules: ["schedule"],
  includeTriggers: fileTriggerKinds.map((kind) => `${kind}_trigger`),
  includeUsers: ["user"],
  includeGroups: ["group"],
  includeSettings: ["settings"],
  includeKey: ["encryption_key"],
} as const satisfies Partial<Record<keyof SyncOptions, readonly string[]>>;

const entriesOf = <T extends object>(table: T) => Object.entries(table) as [keyof T, readonly string[]][];

/** Returns whether the options include a kind of items. */
const includesKind = (kind: string, options: SyncOptions): boolean =>
  entriesOf(skipping).some(([name, kinds]) => kinds.includes(kind) && !options[name]) ||
  entriesOf(including).some(([name, kinds]) => kinds.includes(kind) && options[name] === true);

/** Returns the option that would include a kind which is left out by default, if the options leave it out without saying so. */
export const findAbsentOption = (kind: string, options: SyncOptions): string | undefined =>
  entriesOf(including).find(([name, kinds]) => kinds.includes(kind) && options[name] === undefined)?.[0];

/** Returns options that include every item of some kinds, whatever the given options leave out, and no item of other kinds. */
export function selectKinds({ includes, excludes, ...options }: SyncOptions, wanted: ReadonlySet<string>): SyncOptions {
  const isWanted = (kinds: readonly string[]) => kinds.some((kind) => wanted.has(kind));
  return {
    ...options,
    skipSecrets: false,
    ...Object.fromEntries(entriesOf(skipping).map(([name, kinds]) => [name, !isWanted(kinds)])),
    ...Object.fromEntries(entriesOf(including).map(([name, kinds]) => [name, isWanted(kinds)])),
  };
}

/** Kinds that have no path in the folders of the workspace: globs do not apply to them. */
const WITHOUT_PATH = new Set(["user", "group", "settings", "encryption_key", "resource_type", "dependencies"]);

/** Returns whether the names of an item's files decide whether the options include it. */
export const dependsOnNames = ({ includes, excludes = [] }: SyncOptions): boolean => includes !== undefined || excludes.length > 0;

/** Returns whether the options include an item. `files`: the names of its files. A glob matches a file or the path of the item. */
export function isSelected(item: SyncItem, files: readonly string[], options: SyncOptions): boolean {
  const { kind, path } = item;
  if (!includesKind(kind, options)) return false;
  if (options.skipSecrets !== false && isSecret(item)) return false;
  if (WITHOUT_PATH.has(kind)) return true;
  const names = [kind === "folder" ? `f/${path}` : path, ...files];
  const matches = (globs: readonly string[]) => globs.some((glob) => names.some((name) => matchesGlob(glob, name)));
  return (options.includes === undefined || matches(options.includes)) && !matches(options.excludes ?? []);
}
