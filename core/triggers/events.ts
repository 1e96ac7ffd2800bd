import * as z from "zod";
import { defined } from "../../contract/defined.ts";
import type { TriggerKind } from "../../contract/routes/triggers/trigger-kind.ts";
import type { StoredTrigger } from "./trigger.ts";

/** A message for a trigger: its arguments for `main`, and the fields of the event for a preprocessor. */
export interface TriggerMessage {
  /** The id that the source gives the message, which is the same if it arrives again. */
  id: string;
  args: Record<string, unknown>;
  event: Record<string, unknown>;
}

/** An event for a preprocessor. */
export interface TriggerEvent extends Record<string, unknown> {
  kind: TriggerKind;
  trigger_path: string;
}

/** Returns the event of a message. The fields of the source cannot replace `kind` and `trigger_path`. */
export const toTriggerEvent = ({ kind, path }: Pick<StoredTrigger, "kind" | "path">, { event }: TriggerMessage): TriggerEvent => ({
  ...event,
  kind,
  trigger_path: path,
});

/** A message of an SQS queue, with the field names of the SQS API. */
export interface QueueMessage {
  id: string;
  body: string;
  receiptHandle: string;
  attributes: Readonly<Record<string, string>>;
  messageAttributes: Readonly<Record<string, { dataType: string; stringValue?: string | undefined; binaryBase64?: string | undefined }>>;
}

/** Converts a message of a queue. `names` selects the attributes of the message; without it all are passed. */
export function fromQueueMessage(
  message: QueueMessage,
  { queueUrl, names }: { queueUrl: string; names?: readonly string[] | null },
): TriggerMessage {
  const chosen = Object.entries(message.messageAttributes).filter(([name]) => !names || names.length === 0 || names.includes(name));
  const attributes = chosen.map(([name, { dataType, stringValue, binaryBase64 }]) => [
    name,
    {
      data_type: dataType,
      ...defined({ string_value: stringValue, binary_value: binaryBase64 }),
    },
  ]);
  return {
    id: message.id,
    args: { msg: message.body },
    event: {
      msg: message.body,
      queue_url: queueUrl,
      message_id: message.id,
      receipt_handle: message.receiptHandle,
      attributes: { ...message.attributes },
      message_attributes: Object.fromEntries(attributes),
    },
  };
}

/** The notification that SNS delivers to a queue. */
export const snsNotificationSchema = z.object({
  Type: z.literal("Notification"),
  MessageId: z.string().min(1).max(200),
  TopicArn: z.string(),
  Subject: z.string().nullish(),
  Message: z.string(),
  Timestamp: z.string().optional(),
  MessageAttributes: z.record(z.string(), z.object({ Type: z.string(), Value: z.string() })).nullish(),
});
export type SnsNotification = z.infer<typeof snsNotificationSchema>;

/** Converts a notification of a topic. */
export function fromNotification({ MessageId, TopicArn, Subject, Message, Timestamp, MessageAttributes }: SnsNotification): TriggerMessage {
  const attributes = Object.entries(MessageAttributes ?? {}).map(([name, { Type, Value }]) => [
    name,
    { data_type: Type, string_value: Value },
  ]);
  return {
    id: MessageId,
    args: { msg: Message },
    event: {
      source: "sns",
      msg: Message,
      topic_arn: TopicArn,
      message_id: MessageId,
      subject: Subject ?? null,
      timestamp: Timestamp ?? null,
      message_attributes: Object.fromEntries(attributes),
    },
  };
}

/** The message that a trigger's rule sends: the trigger to which the rule belongs, and the event of EventBridge. */
export const ruleMessageSchema = z.object({
  svc: z.object({ workspace: z.string(), source: z.string() }),
  event: z.looseObject({ id: z.string().min(1).max(200), source: z.string().optional(), detail: z.unknown() }),
});
export type RuleMessage = z.infer<typeof ruleMessageSchema>;

/** Returns the input transformer that makes a rule send `RuleMessage`. */
export function buildRuleInput(workspace: string, source: string): string {
  return `{"svc":${JSON.stringify({ workspace, source })},"event":<aws.events.event.json>}`;
}

/** Converts an event of EventBridge, which an S3 bucket sends too. `main` receives it as `msg`. */
export function fromEvent({ event }: RuleMessage, source: "eventbridge" | "s3"): TriggerMessage {
  const { id, ...fields } = event;
  return { id, args: { msg: { id, ...fields } }, event: { source, msg: { id, ...fields }, message_id: id } };
}
