import type { Context } from "../context.ts";
import { throwProblems } from "../errors.ts";
import { makeBundles } from "../project/bundles.ts";
import { lintFiles } from "../project/lint.ts";
import { openProject } from "../project/project.ts";
import { parseLocal, readProjectFiles, toLayout } from "../project/snapshots.ts";

/** Checks the files of the project without a call. Throws `UsageError` with a line for each problem. */
export async function lint(context: Context): Promise<void> {
  const project = openProject(context.cwd, { workspace: context.flags.workspace, skipBranchValidation: true }, context.output);
  const parsed = parseLocal(readProjectFiles(project), project, toLayout(project));
  const problems = lintFiles(project, parsed, { all: true });
  if (context.output.json) context.output.data({ problems }, "");
  throwProblems(problems);
  await makeBundles(project, parsed.snapshot, () => true);
  context.output.say("No problems were found.");
}
