import { BatchProcessor, EventType, processPartialResponse } from "@aws-lambda-powertools/batch";
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { storage } from "../../aws/s3/storage.ts";
import { removeExpiredJob } from "../../services/jobs/erasure/remove-expired-job.ts";
import { logInvocation } from "../shared/observe.ts";
import { jobData } from "../shared/wiring/job-data.ts";

const deps = { jobs: jobTable, storage, jobData, nowMs: Date.now };
const processor = new BatchProcessor(EventType.DynamoDBStreams);

/** Removes the data of jobs whose expired records DynamoDB has removed. A failed record is delivered again, with those after it. */
export async function handler(event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> {
  const response = await processPartialResponse(event, removeJobOf, processor, { context, throwOnFullBatchFailure: false });
  await logInvocation("remove", context, { records: event.Records.length, failed: response.batchItemFailures.length });
  return response;
}

async function removeJobOf({ eventName, userIdentity, dynamodb }: DynamoDBRecord): Promise<void> {
  const image = dynamodb?.OldImage;
  // The event source mapping has the same filter. A deletion by the service itself removes the data before the record.
  if (eventName !== "REMOVE" || userIdentity?.principalId !== "dynamodb.amazonaws.com" || !image) return;
  const job = jobTable.parseRemoved(image);
  if (job) await removeExpiredJob(deps, job);
}
