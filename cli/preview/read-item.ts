import { placeOf } from "../../core/sync/file-place.ts";
import { itemKey } from "../../core/sync/item.ts";
import type { FileMap } from "../../core/sync/layout.ts";
import { groupFiles } from "../../core/sync/parse-files.ts";
import { selectKinds } from "../../core/sync/select.ts";
import { throwProblems, UsageError } from "../errors.ts";
import { attachBundles, makeBundles } from "../sync/bundles.ts";
import type { Project } from "../sync/project.ts";
import type { SnapshotItem } from "../sync/snapshot-item.ts";
import { parseLocal, readProjectFiles, toLayout } from "../sync/snapshots.ts";
import type { PreviewPlace } from "./find-item.ts";
import { ARGUMENTS } from "./read-arguments.ts";

/** A script or flow as its files are now. */
export interface PreviewItem extends PreviewPlace {
  local: SnapshotItem;
  /** The file with the arguments of previews: beside the script, or beside the folder. */
  argumentsFile: string;
  /** All files of the project that belong to items. */
  projectFiles: FileMap;
}

/** Reads the files of a script or flow and bundles a script of a codebase. Problems of other files do not count. Throws `UsageError`. */
export async function readPreviewItem(project: Project, { kind, path }: PreviewPlace): Promise<PreviewItem> {
  const key = itemKey({ kind, path });
  const layout = toLayout(project);
  const all = readProjectFiles(project);
  const files = groupFiles(all.files, layout).get(key)?.files ?? new Map<string, string>();
  // Previews may run what a synchronisation leaves out.
  const selected = { ...project, options: selectKinds(project.options, new Set([kind])) };
  const { snapshot, problems } = parseLocal({ files, onDisk: all.onDisk, problems: [] }, selected, layout);
  throwProblems([...all.problems.filter(({ file }) => files.has(file)), ...problems]);
  attachBundles(snapshot, await makeBundles(project, snapshot, (one) => one === key));
  const local = snapshot.get(key);
  if (!local) throw new UsageError(`The ${kind} ${path} has no files here.`);
  return { kind, path, local, argumentsFile: `${findBase(local, layout)}${ARGUMENTS}`, projectFiles: all.files };
}

/** Returns the folder of an item, or the source file of a script without one. */
function findBase({ item, files }: SnapshotItem, layout: ReturnType<typeof toLayout>): string {
  for (const file of files.keys()) {
    const place = placeOf(file, layout);
    if (place?.folder !== undefined) return place.folder;
    if (place?.part === "source") return file;
  }
  return item.path;
}
