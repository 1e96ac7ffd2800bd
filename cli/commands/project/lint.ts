import type { Context } from "../../context.ts";
import { throwProblems } from "../../errors.ts";
import { makeBundles } from "../../project/bundles.ts";
import { lintFiles } from "../../project/lint.ts";
import { parseLocal, readProjectFiles, toLayout } from "../../project/snapshots.ts";
import { openLocalProject } from "../../sync/session.ts";

/** Checks the files of the project without a call. Throws `UsageError` with a line for each problem. */
export async function lint(context: Context): Promise<void> {
  const project = openLocalProject(context);
  const parsed = parseLocal(readProjectFiles(project), project, toLayout(project));
  const { problems } = lintFiles(project, parsed, { strict: true });
  if (context.output.json) context.output.data({ problems }, "");
  throwProblems(problems);
  await makeBundles(project, parsed.snapshot, () => true);
  context.output.say("No problems were found.");
}
