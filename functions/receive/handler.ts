import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { dataKeys } from "../../aws/kms/data-keys.ts";
import { storage } from "../../aws/s3/storage.ts";
import { queue } from "../../aws/sqs/queue.ts";
import { sourceQueues } from "../../aws/sqs/source-queues.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { type PollCall, pollCallSchema } from "../../core/triggers/connect-call.ts";
import { pollQueues } from "../../services/triggers/receive/poll-queues.ts";
import { type ReceivedRecord, receiveRecords } from "../../services/triggers/receive/receive-records.ts";
import { triggerPlace } from "../shared/edge/trigger-place.ts";
import { logInvocation } from "../shared/observe.ts";

const location = triggerPlace();
const deps = {
  jobs: jobTable,
  objects: objectTable,
  storage,
  queue,
  dataKeys,
  queues: sourceQueues,
  toQueueUrl: location.toQueueUrl,
  ownQueueArn: requireEnv(env.triggerQueueArn),
  mailTopicArn: process.env[env.mailTopic] || undefined,
  mailDomain: process.env[env.mailDomain] || undefined,
  isLocal: location.isLocal,
  nowMs: Date.now,
};

/** Handles batches of queues, and calls of housekeeping to read queues that are not mapped to this function. */
export async function handler(event: SQSEvent | PollCall, context: Context): Promise<SQSBatchResponse | undefined> {
  if ("Records" in event) {
    const failed = await receiveRecords(deps, event.Records.map(toRecord));
    await logInvocation("received", context, { messages: event.Records.length, failed: failed.length });
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  }
  const call = pollCallSchema.parse(event);
  const messages = await pollQueues(deps, call);
  await logInvocation("polled", context, { queues: call.poll.length, messages });
  return undefined;
}

function toRecord({ messageId, body, receiptHandle, eventSourceARN, attributes, messageAttributes }: SQSRecord): ReceivedRecord {
  return {
    id: messageId,
    body,
    receiptHandle,
    queueArn: eventSourceARN,
    attributes: Object.fromEntries(Object.entries(attributes)),
    messageAttributes: Object.fromEntries(
      Object.entries(messageAttributes).map(([name, { dataType, stringValue, binaryValue }]) => [
        name,
        { dataType, stringValue, ...(binaryValue ? { binaryBase64: binaryValue } : {}) },
      ]),
    ),
  };
}
