import { describeError, isSvcError } from "../../contract/errors.ts";
import type { Payload } from "../../contract/payload.ts";
import { type Rerun, runRoutes as routes } from "../../contract/routes/jobs/runs.ts";
import { rerun } from "../../services/flows/lifecycle/rerun.ts";
import { idempotencyKeyFrom } from "../../services/jobs/queue/idempotency-key.ts";
import { logger } from "../shared/observe.ts";
import { type Reply, text } from "../shared/reply.ts";
import type { RunAuth } from "../shared/run-routes.ts";

interface RerunCall {
  auth: RunAuth;
  params: { workspace: string };
  body: Rerun;
  headers: Payload["headers"];
}

export async function rerunJobs(collaborators: Parameters<typeof rerun>[0], { auth, params, body, headers }: RerunCall): Promise<Reply> {
  const { actor } = auth;
  const what = { args: { ...body }, files: [] };
  const once = (place: string) => idempotencyKeyFrom(headers, [params.workspace, actor.email, "rerun", place], what);
  // An invalid key refuses the call, not each of its jobs.
  once("");
  const outcomes = await rerun(collaborators, { actor, action: routes.rerunJobs }, params.workspace, body, once);
  return text(201, outcomes.map((outcome, index) => `${lineOf(outcome, body.job_ids[index])}\n`).join(""));
}

/** A job that could not be started is a line of its own: the caller must learn the ids of the others. */
function lineOf(outcome: PromiseSettledResult<string>, job: string | undefined): string {
  if (outcome.status === "fulfilled") return outcome.value;
  const error: unknown = outcome.reason;
  if (isSvcError(error)) return `Error: ${describeError(error).sentence}`;
  logger.error("unexpected", { job, error: error as Error });
  return "Error: An internal error occurred. The log contains it.";
}
