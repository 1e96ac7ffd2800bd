import type { Context } from "../context.ts";
import { throwProblems } from "../errors.ts";
import { lintFiles } from "../sync/lint.ts";
import { openProject } from "../sync/project.ts";
import { parseLocal, readProjectFiles, toLayout } from "../sync/snapshots.ts";

/** Checks the files of the project without a call. Throws `UsageError` with a line for each problem. */
export function lint(context: Context): void {
  const project = openProject(context.cwd, { workspace: context.flags.workspace, skipBranchValidation: true }, context.output);
  const problems = lintFiles(project, parseLocal(readProjectFiles(project), project, toLayout(project)));
  if (context.output.json) context.output.data({ problems }, "");
  throwProblems(problems);
  context.output.say("No problems were found.");
}
