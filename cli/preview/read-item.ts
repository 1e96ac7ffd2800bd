import { placeOf } from "../../core/sync/files/file-place.ts";
import type { FileMap, LayoutOptions } from "../../core/sync/files/layout.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import type { Project } from "../project/project.ts";
import { readLocalItem } from "../project/read-item.ts";
import type { SnapshotItem } from "../project/snapshot-item.ts";
import { readProjectFiles, toLayout } from "../project/snapshots.ts";
import type { PreviewPlace } from "./find-item.ts";
import { listImports } from "./list-imports.ts";
import { ARGUMENTS } from "./read-arguments.ts";

/** A script or flow, read from its files. */
export interface PreviewItem extends PreviewPlace {
  local: SnapshotItem;
  /** The file with the arguments of previews, next to the script or the folder. */
  argumentsFile: string;
  /** The sources of the scripts of the project that it imports, by their paths. */
  imports: ReadonlyMap<string, string>;
  /** All files of the project that belong to items. */
  projectFiles: FileMap;
}

/** Reads the files of a script or flow and bundles a script of a codebase. Problems of other files do not count. Throws `UsageError`. */
export async function readPreviewItem(
  context: Pick<Context, "confirm" | "flags">,
  project: Project,
  { kind, path }: PreviewPlace,
): Promise<PreviewItem> {
  const layout = toLayout(project);
  const all = readProjectFiles(project);
  const local = await readLocalItem(context, project, { kind, path }, all, layout);
  if (!local) throw new UsageError(`The ${kind} ${path} has no files here.`);
  const argumentsFile = `${findBase(local, layout)}${ARGUMENTS}`;
  return { kind, path, local, argumentsFile, imports: listImports(project, local, all), projectFiles: all.files };
}

/** Returns the folder of an item, or the source file of a script without one. */
function findBase({ item, files }: SnapshotItem, layout: LayoutOptions): string {
  for (const file of files.keys()) {
    const location = placeOf(file, layout);
    if (location?.folder !== undefined) return location.folder;
    if (location?.part === "source") return file;
  }
  return item.path;
}
