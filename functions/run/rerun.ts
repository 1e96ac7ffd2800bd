import { describeError, isSvcError } from "../../contract/errors.ts";
import type { Payload } from "../../contract/payload.ts";
import { type Rerun, runRoutes as routes } from "../../contract/routes/jobs/runs.ts";
import { rerunJobs } from "../../services/flows/lifecycle/rerun.ts";
import type { Uses } from "../../services/uses.ts";
import type { RunAuth } from "../shared/edge/run-routes.ts";
import { logger } from "../shared/observe.ts";
import { type Reply, text } from "../shared/reply/reply.ts";

interface RerunCall {
  auth: RunAuth;
  params: { workspace: string };
  body: Rerun;
  headers: Payload["headers"];
}

/** Answers a call that runs jobs again: one line for each job, in the requested order. */
export async function answerRerun(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  { auth: { actor }, params: { workspace }, body, headers }: RerunCall,
): Promise<Reply> {
  const outcomes = await rerunJobs(deps, { actor, action: routes.rerunJobs, workspace }, body, headers);
  return text(
    201,
    outcomes
      .map(
        (outcome, index) => `${formatOutcome(outcome, body.job_ids[index])}
`,
      )
      .join(""),
  );
}

/** An error is a separate line, so that the caller receives the ids of the other jobs. */
function formatOutcome(outcome: PromiseSettledResult<string>, job: string | undefined): string {
  if (outcome.status === "fulfilled") return outcome.value;
  const error: unknown = outcome.reason;
  if (isSvcError(error)) return `Error: ${describeError(error).sentence}`;
  logger.error("unexpected", { job, error: error as Error });
  return "Error: An internal error occurred. The log contains it.";
}
