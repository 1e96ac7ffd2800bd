import { BatchProcessor, EventType, processPartialResponse } from "@aws-lambda-powertools/batch";
import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import * as z from "zod";
import { laneOf } from "../../aws/sqs/delivery-queue.ts";
import { isJsonObject } from "../../contract/json/json-object.ts";
import { chatPostSchema } from "../../core/chats/chat-call.ts";
import { teamsPostSchema } from "../../core/chats/teams/teams-post.ts";
import type { Attempt } from "../../core/deliveries/attempt.ts";
import { queueMessageSchema } from "../../core/deliveries/message.ts";
import { postInChat } from "../../services/chats/post-message.ts";
import { DeliveryHeld } from "../../services/deliveries/deliver-message.ts";
import { queueReplay } from "../../services/events/replay-deliveries.ts";
import { recordBounce } from "../../services/notifications/record-bounce.ts";
import { type LoggedWork, logger, logInvocation } from "../shared/observe.ts";
import { deliverByKind } from "./deliver-by-kind.ts";
import { deps } from "./deps.ts";
import { dispatchRecords } from "./dispatch-records.ts";

/**
 * Handles new notices and events from the stream of the objects table, messages of the delivery queues, calls of function `approve`, and SES events about bounced mails. The stream waits for
 * no receiver: its records become messages.
 */
export async function handler(event: unknown, context: Context): Promise<DynamoDBBatchResponse | SQSBatchResponse | Attempt | undefined> {
  if (isStream(event)) return dispatchRecords(event, context);
  if (isQueue(event)) return deliverMessages(event, context);
  if (isPost(event)) return postForStep(event, context);
  await recordBounce(deps, event);
  await logDelivery(context, { bounced: 1 });
  return undefined;
}

const recordsOf = (event: unknown): unknown[] => (isJsonObject(event) && Array.isArray(event["Records"]) ? event["Records"] : []);
const isStream = (event: unknown): event is DynamoDBStreamEvent =>
  recordsOf(event).some((record) => isJsonObject(record) && "dynamodb" in record);
const isQueue = (event: unknown): event is SQSEvent => recordsOf(event).some((record) => isJsonObject(record) && "body" in record);

const postSchema = z.discriminatedUnion("kind", [chatPostSchema, teamsPostSchema]);
const isPost = (event: unknown) => isJsonObject(event) && (event["kind"] === "chatPost" || event["kind"] === "teamsPost");

/** Posts a message for function `approve`, whose caller waits for the answer. */
async function postForStep(event: unknown, context: Context): Promise<Attempt> {
  const post = postSchema.parse(event);
  const attempt = post.kind === "chatPost" ? await postInChat(deps, post) : await (await import("./teams.ts")).send(post);
  await logDelivery(context, { messages: 1, failed: attempt.ok ? 0 : 1 });
  return attempt;
}

const processor = new BatchProcessor(EventType.SQS);

/** The messages of a batch are sent concurrently. */
async function deliverMessages(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const response = await processPartialResponse(event, deliverRecord, processor, { context, throwOnFullBatchFailure: false });
  await logDelivery(context, { messages: event.Records.length, failed: response.batchItemFailures.length });
  return response;
}

async function deliverRecord({ body, eventSourceARN, attributes }: SQSRecord): Promise<void> {
  const message = queueMessageSchema.parse(JSON.parse(body));
  try {
    const receives = Number(attributes.ApproximateReceiveCount);
    if (message.kind === "replay") return await queueReplay(deps, message);
    await deliverByKind(deps, message, { lane: laneOf(eventSourceARN), receives });
  } catch (error) {
    if (!(error instanceof DeliveryHeld)) {
      const { kind, workspace } = message;
      logger.error("delivery failed", { kind, workspace, error: error as Error });
    }
    throw error;
  }
}

const logDelivery = (context: Context, work: LoggedWork) => logInvocation("deliver", context, work);
