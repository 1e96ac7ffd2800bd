import { checkItem } from "../../core/sync/check/check-item.ts";
import { equalsLocal, type ItemDigest } from "../../core/sync/digest.ts";
import type { FileProblem } from "../../core/sync/item.ts";
import { hashItem, listSources } from "../../core/sync/metadata/item-sources.ts";
import { listStaleLocks, type ProjectState } from "../../core/sync/metadata/stale-locks.ts";
import { checkLockFile } from "../metadata/lock-file.ts";
import type { Project } from "./project.ts";
import type { ParsedFiles, Snapshot } from "./snapshots.ts";

/** The results of checking a project's files without a call. */
interface Findings {
  problems: FileProblem[];
  /** The problems of locks, if they do not stop the command. */
  warnings: FileProblem[];
}

/** Checks the files of a project. The problems of locks are warnings without `strict`, which is the default with the options `lint` and `locksRequired`. */
export function lintFiles(
  project: Project,
  parsed: ParsedFiles,
  { strict = isStrict(project), base }: { strict?: boolean; base?: ReadonlyMap<string, ItemDigest> | undefined } = {},
): Findings {
  const locks = findLockProblems(project, parsed);
  const fields = checkFields(parsed.snapshot, base);
  const problems = [...parsed.problems, ...fields.problems];
  const warnings = [...fields.warnings, ...locks];
  return strict ? { problems: [...problems, ...warnings], warnings: [] } : { problems, warnings };
}

/**
 * Checks the fields of items against the requests that save them. Items with the digests in `base` were already saved, possibly under older
 * rules.
 */
export function checkFields(snapshot: Snapshot, base?: ReadonlyMap<string, ItemDigest>): Findings {
  const changed = [...snapshot].filter(([key, { digest }]) => {
    const before = base?.get(key);
    return before === undefined || !equalsLocal(digest, before);
  });
  const found = changed.map(([, { item, files }]) => {
    const [name = "", text = ""] = [...files].find(([file]) => file.endsWith(".yaml")) ?? [...files][0] ?? [];
    return checkItem(item, { name, text: name.endsWith(".yaml") ? text : "" });
  });
  return { problems: found.flatMap(({ problems }) => problems), warnings: found.flatMap(({ warnings }) => warnings) };
}

const isStrict = ({ options: { lint = false, locksRequired = false } }: Project): boolean => lint || locksRequired;

function findLockProblems(project: Project, parsed: ParsedFiles): FileProblem[] {
  const recorded = readLocks(project, parsed);
  if ("problem" in recorded) return [recorded.problem];
  return [...(project.options.locksRequired ? findMissingLocks(recorded) : []), ...describeStaleLocks(recorded)];
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
