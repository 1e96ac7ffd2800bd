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
    logger.info("batch", {
      requestId: context.awsRequestId,
      jobs,
      failed: response.batchItemFailures.length,
      ms: Date.now() - startedMs,
      aws: takeCounts(),
    });
    return response;
  };
}
