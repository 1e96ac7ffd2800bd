import type { FileProblem } from "../../core/sync/item.ts";
import { hashItem, listSources } from "../../core/sync/metadata/item-sources.ts";
import { listStaleLocks, type ProjectState } from "../../core/sync/metadata/stale-locks.ts";
import { checkLockFile } from "../metadata/lock-file.ts";
import type { Project } from "./project.ts";
import type { ParsedFiles } from "./snapshots.ts";

/**
 * Returns the problems of a project's files that are found without a call. `all`: also those that `svc lint` reports and that stop a push only
 * with the option `lint`.
 */
export function lintFiles(project: Project, parsed: ParsedFiles, { all = project.options.lint ?? false } = {}): FileProblem[] {
  const { locksRequired = false } = project.options;
  if (!all && !locksRequired) return parsed.problems;
  const recorded = readLocks(project, parsed);
  if ("problem" in recorded) return [...parsed.problems, recorded.problem];
  return [...parsed.problems, ...(locksRequired ? findMissingLocks(recorded) : []), ...describeStaleLocks(recorded)];
}

/** Returns the problems of locks that do not stop a push without the options `lint` and `locksRequired`. */
export function listLockWarnings(project: Project, parsed: ParsedFiles): FileProblem[] {
  const recorded = readLocks(project, parsed);
  return "problem" in recorded ? [recorded.problem] : describeStaleLocks(recorded);
}

function readLocks({ root }: Project, { snapshot, files }: ParsedFiles): ProjectState | { problem: FileProblem } {
  const recorded = checkLockFile(root);
  if ("problem" in recorded) return recorded;
  return { items: [...snapshot.values()].filter(({ item: { kind } }) => kind === "script" || kind === "flow"), files, ...recorded };
}

/** A script without packages has an empty lock: its recorded hash shows that the service has resolved it. */
function findMissingLocks({ items, files, hashes }: ProjectState): FileProblem[] {
  return items
    .filter(({ item: { kind } }) => kind === "script")
    .flatMap((local) => {
      const isGenerated = [...hashItem(local, files)].every(([key, hash]) => hashes.get(key) === hash);
      const missing = listSources(local).filter(({ lock, mayHaveLock }) => !lock && !isGenerated && mayHaveLock);
      return missing.map(({ file }) => ({ file, message: "The script has no lock. Run: svc generate-metadata" }));
    });
}

const describeStaleLocks = (state: ProjectState): FileProblem[] =>
  listStaleLocks(state).map(({ file }) => ({
    file,
    message: "The script or its metadata has changed since its lock was made. Run: svc generate-metadata",
  }));
