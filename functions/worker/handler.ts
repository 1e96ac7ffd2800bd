import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { type JobAnswer, type JobCall, jobCallSchema } from "../../core/jobs/lifecycle.ts";
import { handleInvocation, handleJobMessage } from "../../services/execution/run-job.ts";
import { handleCall, messageHandler } from "../shared/messages.ts";
import { working } from "../shared/working.ts";

const collaborators = working("worker");
const queued = messageHandler((message) => handleJobMessage(collaborators, message));

/** Messages of the queue, or one call by `run` for a synchronous run that needs what only a worker may read. */
export async function handler(event: SQSEvent | JobCall, context: Context): Promise<SQSBatchResponse | JobAnswer> {
  if ("Records" in event) return queued(event, context);
  const call = jobCallSchema.parse(event);
  return handleCall([call.running.id], () => handleInvocation(collaborators, call), context);
}
