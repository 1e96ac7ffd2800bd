import type { Context } from "../../context.ts";
import { throwProblems } from "../../errors.ts";
import { checkBundling, makeBundles } from "../../project/bundles.ts";
import { lintFiles } from "../../project/lint.ts";
import { parseLocal, readProjectFiles, toLayout } from "../../project/snapshots.ts";
import { openLocalProject } from "../../sync/session.ts";

/** Checks the files of the project without a call. `bundle`: also bundles the scripts of codebases. Throws `UsageError` with a line for each problem. */
export async function lint(context: Context, { bundle = false }: { bundle?: boolean }): Promise<void> {
  const project = openLocalProject(context);
  const parsed = parseLocal(readProjectFiles(project), project, toLayout(project));
  const problems = [...lintFiles(project, parsed, { strict: true }).problems, ...checkBundling(project, parsed.snapshot)];
  if (context.output.json) context.output.data({ problems }, "");
  throwProblems(problems);
  if (bundle) await makeBundles(context, project, parsed.snapshot, () => true);
  context.output.say("No problems were found.");
}
