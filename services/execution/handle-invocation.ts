import type { JobCall, JobCallResult } from "../../core/jobs/record/lifecycle.ts";
import { type RunJobDeps, runJob } from "./run-job.ts";

/** Results up to this many characters are part of a worker's answer. */
const MAX_ANSWER_CHARS = 256 * 1024;

/** Runs the job of one call, which its caller has claimed. Returns the ended job, or `null` if it continues elsewhere. */
export async function handleInvocation(deps: RunJobDeps, { running, argsJson }: JobCall): Promise<JobCallResult> {
  const ended = await runJob(deps, running, { argsJson });
  if (!ended) return null;
  const { resultJson, ...head } = ended;
  return resultJson !== undefined && resultJson.length <= MAX_ANSWER_CHARS ? ended : head;
}
