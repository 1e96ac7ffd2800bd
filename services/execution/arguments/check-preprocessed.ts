import { describeError, SvcError } from "../../../contract/errors.ts";
import { scriptVersionObject } from "../../../core/scripts/version.ts";
import type { CheckReply, CheckRequest } from "../../../runners/protocol.ts";
import { requireScriptVersion } from "../../scripts/load.ts";
import type { Uses } from "../../uses.ts";
import { findArgumentProblem } from "./check-arguments.ts";

/**
 * Checks the arguments that the preprocessor of a running job returned, by the schema of the job's script. Throws `job.attemptLost` and
 * `script.versionNotFound`.
 */
export async function checkPreprocessed(
  { jobs, objects }: Uses<"jobs" | "objects">,
  id: string,
  { args }: CheckRequest,
): Promise<CheckReply> {
  const job = await jobs.get(id);
  if (job?.state !== "running" || job.hash === undefined) throw new SvcError("job.attemptLost", { id });
  const version = requireScriptVersion(await objects.get(scriptVersionObject.key(job.workspace, job.hash)), job.hash);
  const problem = await findArgumentProblem(version, args);
  return problem ? { problem: describeError(problem).sentence } : {};
}
