import { isJsonObject } from "../../contract/json-object.ts";
import type { FileProblem } from "../../core/sync/item.ts";
import type { Context } from "../context.ts";
import { throwProblems } from "../errors.ts";
import type { Project } from "./project.ts";
import { parseLocal, readProjectFiles, toLayout } from "./snapshots.ts";

/** Returns the problems of a project's files. Nothing is called. */
export function lintProject(project: Project): FileProblem[] {
  const { snapshot, problems } = parseLocal(readProjectFiles(project), project, toLayout(project));
  return [...problems, ...(project.options.locksRequired ? findMissingLocks(snapshot) : [])];
}

/** Languages whose scripts have packages, and therefore locks. */
const LOCKED = new Set(["bun", "deno", "nodejs", "nativets", "python3", "go"]);

function findMissingLocks(snapshot: ReturnType<typeof parseLocal>["snapshot"]): FileProblem[] {
  const scripts = [...snapshot.values()].filter(({ item: { kind, language = "" } }) => kind === "script" && LOCKED.has(language));
  return scripts.flatMap(({ item, files }) => {
    const lock = isJsonObject(item.value) ? item.value["lock"] : undefined;
    if (typeof lock === "string" && lock !== "") return [];
    return [{ file: [...files.keys()][0] ?? item.path, message: "The script has no lock. Run: svc generate-metadata" }];
  });
}

/** Throws `UsageError` before the first call of a push if `lint` or `locksRequired` find a problem. */
export function checkLint(_context: Context, project: Project): void {
  if (project.options.lint || project.options.locksRequired) throwProblems(lintProject(project));
}
