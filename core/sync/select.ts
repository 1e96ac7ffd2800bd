import { findKind, kindNames, kinds } from "../../contract/kinds/kinds.ts";
import { matchesGlob } from "../patterns/glob.ts";
import type { SyncOptions } from "./config/config.ts";
import { isSecret, type SyncItem } from "./item.ts";

/** The options that include a kind or leave it out. */
type KindOption = { [Name in keyof SyncOptions]-?: SyncOptions[Name] extends boolean | undefined ? Name : never }[keyof SyncOptions];

const optionsOfKinds: Readonly<Record<string, { domain: string; option?: KindOption }>> = kinds;
const optionOf = (kind: string): KindOption | undefined => (Object.hasOwn(optionsOfKinds, kind) ? optionsOfKinds[kind]?.option : undefined);
const leavesOut = (option: KindOption): boolean => option.startsWith("skip");

/** Returns whether the options include a kind of items. */
export function includesKind(kind: string, options: SyncOptions): boolean {
  const option = optionOf(kind);
  if (option === undefined) return true;
  return leavesOut(option) !== (options[option] === true);
}

/** Returns the option that would include a kind which is left out by default, if the options leave it out without saying so. */
export function findAbsentOption(kind: string, options: SyncOptions): string | undefined {
  const option = optionOf(kind);
  return option !== undefined && !leavesOut(option) && options[option] === undefined ? option : undefined;
}

/** Returns options that include every item of some kinds, whatever the given options leave out, and no item of other kinds. */
export function selectKinds({ includes, excludes, ...options }: SyncOptions, selected: ReadonlySet<string>): SyncOptions {
  const included = new Set([...selected].map(optionOf));
  const all = new Set(kindNames.flatMap((kind) => optionOf(kind) ?? []));
  return {
    ...options,
    skipSecrets: false,
    ...Object.fromEntries([...all].map((option) => [option, included.has(option) !== leavesOut(option)])),
  };
}

/** Returns whether the names of an item's files decide whether the options include it. */
export const dependsOnNames = ({ includes, excludes = [] }: SyncOptions): boolean => includes !== undefined || excludes.length > 0;

/** Returns whether the options include an item. `files`: the names of its files. A glob matches a file or the path of the item. */
export function isSelected(item: SyncItem, files: readonly string[], options: SyncOptions): boolean {
  const { kind, path } = item;
  if (!includesKind(kind, options)) return false;
  if (options.skipSecrets !== false && isSecret(item)) return false;
  // Globs do not apply to items outside of the folders.
  if (findKind(kind)?.id !== undefined && kind !== "folder") return true;
  const names = [kind === "folder" ? `f/${path}` : path, ...files];
  const matches = (globs: readonly string[]) => globs.some((glob) => names.some((name) => matchesGlob(glob, name)));
  return (options.includes === undefined || matches(options.includes)) && !matches(options.excludes ?? []);
}
