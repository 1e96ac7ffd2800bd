import { type FileProblem, fieldsOf } from "../../core/sync/item.ts";
import type { Project } from "./project.ts";
import type { ParsedFiles } from "./snapshots.ts";

/** Returns the problems of a project's files that are found without a call. */
export const lintFiles = ({ options }: Project, { snapshot, problems }: ParsedFiles): FileProblem[] => [
  ...problems,
  ...(options.locksRequired ? findMissingLocks(snapshot) : []),
];

/** Languages whose scripts have packages, and therefore locks. */
const LOCKED = new Set(["bun", "deno", "nodejs", "nativets", "python3", "go"]);

function findMissingLocks(snapshot: ParsedFiles["snapshot"]): FileProblem[] {
  const scripts = [...snapshot.values()].filter(({ item: { kind, language = "" } }) => kind === "script" && LOCKED.has(language));
  return scripts.flatMap(({ item, files, bundled }) => {
    const { lock } = fieldsOf(item);
    // A bundle contains its packages.
    if (bundled !== undefined) return [];
    if (typeof lock === "string" && lock !== "") return [];
    return [{ file: [...files.keys()][0] ?? item.path, message: "The script has no lock. Run: svc generate-metadata" }];
  });
}
