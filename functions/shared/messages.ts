import { BatchProcessor, EventType, processPartialResponse } from "@aws-lambda-powertools/batch";
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { takeCounts } from "../../aws/counting.ts";
import { type JobMessage, jobMessageSchema } from "../../core/jobs/lifecycle.ts";
import { logger } from "./edge.ts";

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
      try {
        const message = jobMessageSchema.parse(JSON.parse(body));
        jobs.push(message.job);
        await handle(message);
      } catch (error) {
        logger.error("message failed", error as Error);
        throw error;
      }
    };
    const response = await processPartialResponse(event, one, processor, { context, throwOnFullBatchFailure: false });
    logWork(context, { jobs, failed: response.batchItemFailures.length, startedMs });
    return response;
  };
}

/** The handler of a call past the queue, which does one job. */
export async function handleCall<T>(job: string, handle: () => Promise<T>, context: Context): Promise<T> {
  const startedMs = Date.now();
  let failed = 1;
  try {
    const answer = await handle();
    failed = 0;
    return answer;
  } catch (error) {
    logger.error("call failed", error as Error);
    throw error;
  } finally {
    logWork(context, { jobs: [job], failed, startedMs });
  }
}

function logWork({ awsRequestId }: Context, { jobs, failed, startedMs }: { jobs: string[]; failed: number; startedMs: number }): void {
  logger.info("batch", { requestId: awsRequestId, jobs, failed, ms: Date.now() - startedMs, aws: takeCounts() });
}
