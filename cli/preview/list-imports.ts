import { listImportedScripts, listScripts } from "../../core/sync/metadata/imported-scripts.ts";
import { listSources } from "../../core/sync/metadata/item-sources.ts";
import { selectKinds } from "../../core/sync/select.ts";
import type { Project } from "../project/project.ts";
import type { SnapshotItem } from "../project/snapshot-item.ts";
import { type LocalFiles, parseLocal, toLayout } from "../project/snapshots.ts";

/** Returns the sources of the scripts of the project that a script or flow imports, by their paths. A bundle already contains its imports. */
export function listImports(project: Project, local: SnapshotItem, all: LocalFiles): Map<string, string> {
  if (local.bundled) return new Map();
  const options = selectKinds(project.options, new Set(["script"]));
  const { snapshot } = parseLocal(all, { ...project, options }, { ...toLayout(project), allowMissingLocks: true });
  const scripts = listScripts([...snapshot.values()]);
  const imported = listSources(local).flatMap((source) => listImportedScripts(source.path, source, scripts));
  return new Map(imported.map((path) => [path, scripts.get(path)?.source ?? ""]));
}
