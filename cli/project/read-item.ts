import { placeOf } from "../../core/sync/files/file-place.ts";
import { groupFiles } from "../../core/sync/files/parse-files.ts";
import { itemKey, type SyncItem } from "../../core/sync/item.ts";
import { selectKinds } from "../../core/sync/select.ts";
import type { Context } from "../context.ts";
import { throwProblems } from "../errors.ts";
import { attachBundles, makeBundles } from "./bundles.ts";
import { checkFields } from "./lint.ts";
import type { Project } from "./project.ts";
import type { SnapshotItem } from "./snapshot-item.ts";
import { type LocalFiles, parseLocal, toLayout } from "./snapshots.ts";

/**
 * Reads the files of one item, even if the options of the project exclude it, and bundles a script of a codebase. Problems of other files do not
 * count. Throws `UsageError`.
 */
export async function readLocalItem(
  context: Pick<Context, "confirm" | "flags">,
  project: Project,
  item: Pick<SyncItem, "kind" | "path">,
  all: LocalFiles,
  layout = toLayout(project),
): Promise<SnapshotItem | undefined> {
  const key = itemKey(item);
  const keyOf = (file: string) => {
    const location = placeOf(file, layout);
    return location && itemKey(location);
  };
  const files = groupFiles(all.files, layout).get(key)?.files ?? new Map<string, string>();
  const itemFiles = { files, onDisk: all.onDisk, problems: all.problems.filter(({ file }) => keyOf(file) === key) };
  const options = selectKinds(project.options, new Set([item.kind]));
  const { snapshot, problems } = parseLocal(itemFiles, { ...project, options }, layout);
  throwProblems([...problems, ...checkFields(snapshot).problems]);
  attachBundles(snapshot, await makeBundles(context, project, snapshot, (one) => one === key));
  return snapshot.get(key);
}
