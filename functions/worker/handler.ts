import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { type JobCall, type JobCallResult, jobCallSchema } from "../../core/jobs/record/lifecycle.ts";
import { handleInvocation } from "../../services/execution/handle-invocation.ts";
import { handleJobMessage } from "../../services/execution/handle-job-message.ts";
import { handleCall, messageHandler } from "../shared/edge/messages.ts";
import { workerDeps } from "../shared/wiring/worker-deps.ts";

const deps = workerDeps("worker");
const queued = messageHandler((message) => handleJobMessage(deps, message));

/** Handles messages of the queue, and direct calls by `run` for synchronous runs that need data which only a worker may read. */
export async function handler(event: SQSEvent | JobCall, context: Context): Promise<SQSBatchResponse | JobCallResult> {
  if ("Records" in event) return queued(event, context);
  const call = jobCallSchema.parse(event);
  return handleCall([call.running.id], () => handleInvocation(deps, call), context);
}
