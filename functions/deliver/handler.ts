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
import { deliverNotice } from "../../services/notifications/deliver-notice.ts";
import { deliverDuePart } from "../../services/notifications/deliver-part.ts";
import { recordBounce } from "../../services/notifications/record-bounce.ts";
import { logger, logInvocation } from "../shared/observe.ts";

const delivering = {
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

/** New notices, by the stream of the objects table; parts of notices whose time it is; and what SES tells of mails that came back. */
export async function handler(event: unknown, context: Context): Promise<DynamoDBBatchResponse | undefined> {
  if (isStream(event)) return newNotices(event, context);
  if (isJsonObject(event) && event["source"] === "aws.ses") return bounced(event, context);
  await due(event, context);
  return undefined;
}

const isStream = (event: unknown): event is DynamoDBStreamEvent => isJsonObject(event) && Array.isArray(event["Records"]);

const processor = new BatchProcessor(EventType.DynamoDBStreams);
const noticesOf = keys.notice("", "").pk;

async function newNotices(event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> {
  const response = await processPartialResponse(event, newNotice, processor, { context });
  await log(context, { notices: event.Records.length, failed: response.batchItemFailures.length });
  return response;
}

async function newNotice({ eventName, dynamodb }: DynamoDBRecord): Promise<void> {
  const { pk, sk } = dynamodb?.Keys ?? {};
  // The mapping filters as well, where the engine knows filters.
  if (eventName !== "INSERT" || !pk?.S?.startsWith(noticesOf) || sk?.S === undefined) return;
  try {
    await deliverNotice(delivering, { pk: pk.S, sk: sk.S });
  } catch (error) {
    logger.error("notice failed", { notice: sk.S, error: error as Error });
    // One that cannot be read will not be readable later: it must not hold up those behind it.
    if ((error as Error).name !== "ZodError") throw error;
  }
}

async function due(event: unknown, context: Context): Promise<void> {
  const { due: parts, nowMs } = deliverCallSchema.parse(event);
  const at = nowMs === undefined ? delivering : { ...delivering, nowMs: () => nowMs };
  // Each failure is logged below.
  const done = await Promise.allSettled(parts.map((sk) => deliverDuePart(at, sk)));
  const failures = done.flatMap((one, index) => (one.status === "rejected" ? [{ part: parts[index], error: one.reason as Error }] : []));
  // They stay in the queue.
  for (const failure of failures) logger.error("delivery failed", failure);
  await log(context, { parts: parts.length, failed: failures.length });
}

async function bounced(event: unknown, context: Context): Promise<undefined> {
  await recordBounce(delivering, event);
  await log(context, { bounced: 1 });
}

const log = (context: Context, work: object) => logInvocation("deliver", context, work);
