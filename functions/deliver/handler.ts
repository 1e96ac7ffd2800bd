import { BatchProcessor, EventType, processPartialResponse } from "@aws-lambda-powertools/batch";
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { webhooks } from "../../aws/http/webhooks.ts";
import { webhookKeys } from "../../aws/kms/data-keys.ts";
import { functions } from "../../aws/lambda/functions.ts";
import { mail } from "../../aws/ses/mail.ts";
import { topic } from "../../aws/sns/topic.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { isJsonObject } from "../../contract/json-object.ts";
import { deliverCallSchema } from "../../core/notifications/delivery.ts";
import { keys } from "../../core/objects/keys.ts";
import { UnreadableRecordError } from "../../core/records/record-format.ts";
import { deliverNotice } from "../../services/notifications/deliver-notice.ts";
import { deliverDuePart } from "../../services/notifications/deliver-part.ts";
import { recordBounce } from "../../services/notifications/record-bounce.ts";
import { logger, logInvocation } from "../shared/observe.ts";

const deps = {
  objects: objectTable,
  jobs: jobTable,
  functions,
  topic,
  mail,
  webhooks,
  webhookKeys,
  baseUrl: requireEnv(env.baseUrl),
  nowMs: Date.now,
};

/** Handles new notices from the stream of the objects table, parts of notices that are due, and SES events about bounced mails. */
export async function handler(event: unknown, context: Context): Promise<DynamoDBBatchResponse | undefined> {
  if (isStream(event)) return deliverNewNotices(event, context);
  if (isJsonObject(event) && event["source"] === "aws.ses") return handleBounce(event, context);
  await deliverDueParts(event, context);
  return undefined;
}

const isStream = (event: unknown): event is DynamoDBStreamEvent => isJsonObject(event) && Array.isArray(event["Records"]);

const processor = new BatchProcessor(EventType.DynamoDBStreams);
const noticesOf = keys.notice("", "").pk;

async function deliverNewNotices(event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> {
  const response = await processPartialResponse(event, deliverNewNotice, processor, { context });
  await logDelivery(context, { notices: event.Records.length, failed: response.batchItemFailures.length });
  return response;
}

async function deliverNewNotice({ eventName, dynamodb }: DynamoDBRecord): Promise<void> {
  const { pk, sk } = dynamodb?.Keys ?? {};
  // The event source mapping filters too, where the engine supports filters.
  if (eventName !== "INSERT" || !pk?.S?.startsWith(noticesOf) || sk?.S === undefined) return;
  try {
    await deliverNotice(deps, { pk: pk.S, sk: sk.S });
  } catch (error) {
    logger.error("notice failed", { notice: sk.S, error: error as Error });
    // An unreadable notice would fail again and must not block the ones after it.
    if (!(error instanceof UnreadableRecordError)) throw error;
  }
}

async function deliverDueParts(event: unknown, context: Context): Promise<void> {
  const { due: parts, nowMs } = deliverCallSchema.parse(event);
  const at = nowMs === undefined ? deps : { ...deps, nowMs: () => nowMs };
  // Each failure is logged below.
  const done = await Promise.allSettled(parts.map((sk) => deliverDuePart(at, sk)));
  const failures = done.flatMap((one, index) => (one.status === "rejected" ? [{ part: parts[index], error: one.reason as Error }] : []));
  // Failed parts stay in the queue.
  for (const failure of failures) logger.error("delivery failed", failure);
  await logDelivery(context, { parts: parts.length, failed: failures.length });
}

async function handleBounce(event: unknown, context: Context): Promise<undefined> {
  await recordBounce(deps, event);
  await logDelivery(context, { bounced: 1 });
}

const logDelivery = (context: Context, work: object) => logInvocation("deliver", context, work);
