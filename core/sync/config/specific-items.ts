import { matchesGlob } from "../../patterns/glob.ts";
import type { SyncItem } from "../item.ts";
import type { SpecificItems, SyncConfig } from "./config.ts";
import { listEntries } from "./workspace-entry.ts";

/** Returns the name of a workspace as file names contain it (api.md §6.3). */
const toFilePart = (workspace: string): string => workspace.replace(/[/\\:*?"<>|.]/g, "_");

/** The endings of files of which a workspace may have a separate version. */
const ENDING = /\.(variable\.yaml|resource\.yaml|schedule\.yaml|[a-z]+_trigger\.yaml|resource\.file\.[^./]+)$/;

/** Returns the name of a file that belongs to one workspace only. A file that cannot belong to one keeps its name. */
export function toSpecificFile(file: string, workspace: string): string {
  const part = toFilePart(workspace);
  if (file === "settings.yaml") return `settings.${part}.yaml`;
  if (file.endsWith("/folder.meta.yaml")) return file.replace(/folder\.meta\.yaml$/, `folder.${part}.meta.yaml`);
  return file.replace(ENDING, `.${part}.$1`);
}

/** Returns the name that the file of one workspace has without the workspace, or `undefined` for any other file. */
export function fromSpecificFile(file: string, workspace: string): string | undefined {
  const part = toFilePart(workspace);
  if (file === `settings.${part}.yaml`) return "settings.yaml";
  const folder = `/folder.${part}.meta.yaml`;
  if (file.endsWith(folder)) return `${file.slice(0, -folder.length)}/folder.meta.yaml`;
  const ending = ENDING.exec(file)?.[0];
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

/** Returns whether each workspace has its own version of an item. `marked`: the items that the service marks as such, by `kind path`. */
export function isSpecific({ kind, path }: Pick<SyncItem, "kind" | "path">, items: SpecificItems, marked: ReadonlySet<string>): boolean {
  const matches = (globs: string[] | undefined, ...names: string[]) =>
    (globs ?? []).some((glob) => names.some((name) => matchesGlob(glob, name)));
  if (marked.has(`${kind} ${path}`)) return true;
  if (kind === "settings") return items.settings === true;
  if (kind === "variable") return matches(items.variables, path, `${path}.variable.yaml`);
  if (kind === "resource") return matches(items.resources, path, `${path}.resource.yaml`);
  if (kind === "folder") return matches(items.folders, path, `f/${path}`, `f/${path}/folder.meta.yaml`);
  if (kind === "schedule" || kind.endsWith("_trigger")) return matches(items.triggers, path, `${path}.${kind}.yaml`);
  return false;
}
