import { limits } from "../../../contract/limits.ts";
import { tryParseJson } from "../../../core/payload/json.ts";
import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import { type QueueMessage, ruleMessageSchema, snsNotificationSchema } from "../../../core/triggers/events.ts";
import { mailNotificationSchema } from "../../../core/triggers/mail.ts";
import type { Uses } from "../../uses.ts";
import { receiveMail } from "./receive-mail.ts";
import { receiveEvent, receiveNotification } from "./receive-notification.ts";
import { findQueueTrigger, QueueNotConnected, receiveQueueMessage } from "./receive-queue-message.ts";

/** A record of a batch that Lambda has read from a queue. */
export interface ReceivedRecord extends QueueMessage {
  queueArn: string;
}

/**
 * Starts the jobs of a batch, all records of which come from one queue. Returns the ids of the messages that must be delivered again. A message
 * of a trigger's queue that has failed `limits.triggerReceives` times goes to the dead-letter queue instead.
 */
export async function receiveRecords(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "queues" | "nowMs" | "mailDomain" | "mailTopicArn" | "ownQueueArn" | "toQueueUrl">,
  records: readonly ReceivedRecord[],
): Promise<string[]> {
  const arn = records[0]?.queueArn ?? "";
  if (arn === deps.ownQueueArn) return handleAll(records, (record) => receiveOwnMessage(deps, record.body));
  const name = arn.slice(arn.lastIndexOf(":") + 1);
  try {
    const loaded = await findQueueTrigger(deps, name);
    const handle = (record: ReceivedRecord) => handOver(deps, record, () => receiveQueueMessage(deps, loaded, record), loaded.trigger.id);
    return await handleAll(records, handle, name.endsWith(".fifo"));
  } catch (error) {
    if (!(error instanceof QueueNotConnected)) throw error;
    reportFailure("The messages of a queue were left in it", error, { queue: name });
    return records.map(({ id }) => id);
  }
}

/** Handles the records of a batch. In a FIFO queue, the records after a failed one are not handled. */
async function handleAll(
  records: readonly ReceivedRecord[],
  handle: (record: ReceivedRecord) => Promise<unknown>,
  isOrdered = false,
): Promise<string[]> {
  const attempt = async (record: ReceivedRecord) => {
    try {
      await handle(record);
      return true;
    } catch (error) {
      reportFailure("A message started no job", error, { message: record.id });
      return false;
    }
  };
  if (!isOrdered) {
    const done = await Promise.all(records.map(attempt));
    return records.flatMap(({ id }, index) => (done[index] ? [] : [id]));
  }
  for (const [index, record] of records.entries()) if (!(await attempt(record))) return records.slice(index).map(({ id }) => id);
  return [];
}

/** Handles a message of a user's queue. Its redrive policy belongs to its owner, so the attempts are counted here. */
export async function handOver(
  { queues }: Uses<"queues">,
  { id, body, attributes }: QueueMessage,
  start: () => Promise<unknown>,
  trigger: string,
): Promise<void> {
  try {
    await start();
  } catch (error) {
    if (Number(attributes["ApproximateReceiveCount"] ?? 1) < limits.triggerReceives) throw error;
    reportFailure("A message failed too often", error, { message: id });
    await queues.sendDeadLetter(body, { trigger, messageId: id, reason: String((error as Error).message).slice(0, 256) || "unknown" });
  }
}

/** Handles a message of a topic, a rule or SES. Throws an error for a message that none of them can have sent. */
async function receiveOwnMessage(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs" | "mailDomain" | "mailTopicArn">,
  body: string,
): Promise<string[]> {
  const message = tryParseJson(body)?.json;
  const event = ruleMessageSchema.safeParse(message);
  if (event.success) return receiveEvent(deps, event.data);
  const notification = snsNotificationSchema.parse(message);
  if (notification.TopicArn !== deps.mailTopicArn) return receiveNotification(deps, notification);
  return receiveMail(deps, mailNotificationSchema.parse(tryParseJson(notification.Message)?.json));
}
