import { BatchProcessor, EventType, processPartialResponse } from "@aws-lambda-powertools/batch";
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { type JobMessage, jobMessageSchema } from "../../core/jobs/lifecycle.ts";
import { logger, logInvocation } from "./observe.ts";

/**
 * The Lambda handler of a queue: the messages of a batch side by side, each failure reported by itself, so that a bad message
 * does not replay its neighbours.
 */
export function messageHandler(handle: (message: JobMessage) => Promise<unknown>) {
  const processor = new BatchProcessor(EventType.SQS);
  return async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const startedMs = Date.now();
    const jobs: string[] = [];
    const one = async ({ body }: SQSRecord) => {
      let job: string | undefined;
      try {
        const message = jobMessageSchema.parse(JSON.parse(body));
        job = message.job;
        jobs.push(job);
        await handle(message);
      } catch (error) {
        logger.error("message failed", { job, error: error as Error });
        throw error;
      }
    };
    const response = await processPartialResponse(event, one, processor, { context, throwOnFullBatchFailure: false });
    await logInvocation("batch", context, { jobs, failed: response.batchItemFailures.length, ms: Date.now() - startedMs });
    return response;
  };
}

/** The handler of a call past the queue. `what`: said of it in its log line. */
export async function handleCall<T>(jobs: string[], handle: () => Promise<T>, context: Context, what: object = {}): Promise<T> {
  const startedMs = Date.now();
  let failed: string | undefined;
  try {
    return await handle();
  } catch (error) {
    failed = (error as Error).name;
    // A failure that has a name of ours is an answer.
    if (!OURS.has(failed)) logger.error("call failed", { ...what, jobs, error: error as Error });
    throw error;
  } finally {
    await logInvocation("batch", context, { ...what, jobs, failed: failed ?? 0, ms: Date.now() - startedMs });
  }
}
const OURS = new Set(["StepFailed", "FlowFailed", "Superseded"]);
