import { BatchProcessor, EventType, processPartialResponse } from "@aws-lambda-powertools/batch";
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { type JobMessage, jobMessageSchema } from "../../../core/jobs/record/lifecycle.ts";
import { beginInvocation } from "../invocation.ts";
import { type LoggedWork, logger, logInvocation } from "../observe.ts";
import { toFunctionError } from "../reply/service-busy.ts";

/**
 * Creates the Lambda handler of a queue. The messages of a batch are processed concurrently and each failure is reported individually, so
 * that a bad message does not cause the others to be replayed.
 */
export function messageHandler(handle: (message: JobMessage) => Promise<unknown>) {
  const processor = new BatchProcessor(EventType.SQS);
  return async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const startedMs = Date.now();
    beginInvocation(context);
    const jobs: string[] = [];
    const handleRecord = async ({ body }: SQSRecord) => {
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
    const response = await processPartialResponse(event, handleRecord, processor, { context, throwOnFullBatchFailure: false });
    await logInvocation("batch", context, { jobs, failed: response.batchItemFailures.length, ms: Date.now() - startedMs });
    return response;
  };
}

/** Runs a direct invocation and logs one line with the fields of `work`. */
export async function handleCall<T>(jobs: string[], handle: () => Promise<T>, context: Context, work: LoggedWork = {}): Promise<T> {
  const startedMs = Date.now();
  beginInvocation(context);
  let failure: string | undefined;
  try {
    return await handle();
  } catch (thrown) {
    const error = toFunctionError(thrown);
    failure = (error as Error).name;
    // These failures are expected results, which the caller handles.
    if (!EXPECTED_FAILURES.has(failure)) logger.error("call failed", { ...work, jobs, error: error as Error });
    throw error;
  } finally {
    await logInvocation("batch", context, {
      ...work,
      jobs,
      failed: failure ? 1 : 0,
      ...(failure ? { failure } : {}),
      ms: Date.now() - startedMs,
    });
  }
}
const EXPECTED_FAILURES = new Set(["StepFailed", "FlowFailed", "Superseded"]);
