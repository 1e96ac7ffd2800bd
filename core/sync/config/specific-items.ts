import { kinds, kindsWith } from "../../../contract/kinds/kinds.ts";
import { matchesGlob } from "../../patterns/glob.ts";
import { baseName } from "../files/file-place.ts";
import type { SyncItem } from "../item.ts";
import type { SpecificItems, SyncConfig } from "./config.ts";
import { listEntries } from "./workspace-entry.ts";

/** Returns the form of a workspace's name in file names (api.md §6.3). */
const toFilePart = (workspace: string): string => workspace.replace(/[/\\:*?"<>|.]/g, "_");

/** The endings of single files of which a workspace may have a separate version. */
const ENDINGS = kindsWith("specific").flatMap((kind) => ("id" in kinds[kind] ? [] : [`.${kind}.yaml`]));
const RESOURCE_FILE = /\.resource\.file\.[^./]+$/;

const findEnding = (file: string): string | undefined => ENDINGS.find((ending) => file.endsWith(ending)) ?? RESOURCE_FILE.exec(file)?.[0];

/** Returns the name of a file that belongs to one workspace only. The name of any other file does not change. */
export function toSpecificFile(file: string, workspace: string): string {
  const part = toFilePart(workspace);
  if (file === "settings.yaml") return `settings.${part}.yaml`;
  if (file.endsWith("/folder.meta.yaml")) return file.replace(/folder\.meta\.yaml$/, `folder.${part}.meta.yaml`);
  const ending = findEnding(file);
  return ending === undefined ? file : `${file.slice(0, -ending.length)}.${part}${ending}`;
}

/** Returns the common name of a file for one workspace, or `undefined` for any other file. */
export function fromSpecificFile(file: string, workspace: string): string | undefined {
  const part = toFilePart(workspace);
  if (file === `settings.${part}.yaml`) return "settings.yaml";
  const folder = `/folder.${part}.meta.yaml`;
  if (file.endsWith(folder)) return `${file.slice(0, -folder.length)}/folder.meta.yaml`;
  const ending = findEnding(file);
  if (ending === undefined) return undefined;
  const before = file.slice(0, -ending.length);
  return before.endsWith(`.${part}`) ? `${before.slice(0, -part.length - 1)}${ending}` : undefined;
}

/**
 * Returns the files that count for a workspace of the configuration, by their common names. Files of the workspace replace common ones; those of other
 * workspaces are left out.
 */
export function selectFiles(files: Iterable<string>, config: SyncConfig, entry: string | undefined): Map<string, string> {
  const others = [...listEntries(config).keys()].filter((name) => name !== entry);
  const selected = new Map<string, string>();
  for (const file of files) {
    const common = entry === undefined ? undefined : fromSpecificFile(file, entry);
    if (common !== undefined) selected.set(common, file);
    else if (!others.some((name) => fromSpecificFile(file, name) !== undefined) && !selected.has(file)) selected.set(file, file);
  }
  return selected;
}

const listsOfKinds: Readonly<Record<string, { domain: string; specific?: keyof SpecificItems }>> = kinds;

/** Returns whether each workspace has its own version of an item. `marked`: the items that the service marks as such, by `kind path`. */
export function isSpecific({ kind, path }: Pick<SyncItem, "kind" | "path">, items: SpecificItems, marked: ReadonlySet<string>): boolean {
  if (marked.has(`${kind} ${path}`)) return true;
  const specific = Object.hasOwn(listsOfKinds, kind) ? listsOfKinds[kind]?.specific : undefined;
  const chosen = specific === undefined ? undefined : items[specific];
  if (!Array.isArray(chosen)) return chosen === true;
  const names = [path, `${baseName({ kind, path })}.yaml`, ...(kind === "folder" ? [`f/${path}`] : [])];
  return chosen.some((glob) => names.some((name) => matchesGlob(glob, name)));
}
