import type { LayoutOptions } from "../../core/sync/files/layout.ts";
import { itemKey } from "../../core/sync/item.ts";
import { adoptHashes } from "../../core/sync/metadata/record-hashes.ts";
import type { StaleItem } from "../../core/sync/metadata/stale-items.ts";
import type { ProjectState } from "../../core/sync/metadata/stale-locks.ts";
import type { Context } from "../context.ts";
import { throwProblems, UsageError } from "../errors.ts";
import { type Project, toProjectPath } from "../project/project.ts";
import { parseLocal, readProjectFiles, toLayout } from "../project/snapshots.ts";
import type { OpenedProject } from "../sync/session.ts";
import { readBase } from "../sync/state.ts";
import { readLockFile } from "./lock-file.ts";

/** The scripts and flows of a project with everything that their metadata depends on. */
export interface MetadataProject extends ProjectState {
  project: Project;
  layout: LayoutOptions;
}

/** Reads the scripts and flows of a project. Locks may be missing. Throws `UsageError` with a line for each problem of a file. */
export function readMetadataProject({ project, target }: OpenedProject): MetadataProject {
  const layout = toLayout(project);
  const { files, snapshot, problems } = parseLocal(readProjectFiles(project), project, { ...layout, allowMissingLocks: true });
  throwProblems(problems);
  const items = [...snapshot.values()].filter(({ item: { kind } }) => kind === "script" || kind === "flow");
  const base = readBase(project.root, target);
  const synchronised = items.filter(({ item, digest }) => base?.get(itemKey(item))?.digest === digest.digest);
  return { project, layout, items, files, hashes: adoptHashes(readLockFile(project.root), synchronised, files) };
}

/**
 * Returns a predicate for items that belong to one of the given paths: folders or files relative to the current folder, or paths of the
 * workspace. Without paths, it accepts every item. Throws `UsageError` for a path to which no item belongs.
 */
export function selectByPaths({ project, items }: MetadataProject, { cwd }: Pick<Context, "cwd">, paths: readonly string[]) {
  const selections = paths.map((path) => {
    const selectedPaths = [toProjectPath(project, cwd, path), path.replace(/\/+$/, "")];
    return ({ local: { item, files } }: Pick<StaleItem, "local">): boolean =>
      selectedPaths.some(
        (selectedPath) =>
          selectedPath === "" || selectedPath === item.path || [...files.keys()].some((file) => isAtOrBelow(file, selectedPath)),
      );
  });
  const unused = paths.find((_, index) => !items.some((local) => selections[index]?.({ local })));
  if (unused !== undefined) throw new UsageError(`${unused} is not a script, a flow, or a folder of the project with some of them.`);
  return (one: Pick<StaleItem, "local">): boolean => paths.length === 0 || selections.some((isSelected) => isSelected(one));
}

const isAtOrBelow = (file: string, folder: string): boolean => file === folder || file.startsWith(`${folder}/`);
