import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { outboxEventObject } from "../../core/events/outbox-event.ts";
import { noticeObject } from "../../core/notifications/stored-notice.ts";
import { UnreadableRecordError } from "../../core/records/record-format.ts";
import type { QueuedDelivery } from "../../ports/queues.ts";
import { sendDeliveries } from "../../services/deliveries/queue-attempts.ts";
import { dispatchEvent } from "../../services/events/dispatch-event.ts";
import { dispatchNotice } from "../../services/notifications/dispatch-notice.ts";
import { logger, logInvocation } from "../shared/observe.ts";
import { deps } from "./deps.ts";

/** The use case for the items of each partition. */
const dispatchers = [
  { prefix: noticeObject.partitionKey(""), dispatch: dispatchNotice },
  { prefix: outboxEventObject.partitionKey(""), dispatch: dispatchEvent },
];

/**
 * Queues the deliveries of a batch of the stream. If a record fails, it and all later ones are read again, so a message may be sent twice, which
 * its claim recognizes.
 */
export async function dispatchRecords(event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> {
  // A rejected record is logged below, and the batch is read again from that record.
  const found = await Promise.allSettled(event.Records.map(dispatchRecord));
  const messages = found.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  let failed = found.findIndex(({ status }) => status === "rejected");
  for (const each of found) if (each.status === "rejected") logger.error("dispatch failed", { error: each.reason as Error });
  try {
    await sendDeliveries(deps, messages);
  } catch (error) {
    logger.error("dispatch failed", { error: error as Error });
    failed = 0;
  }
  await logInvocation("dispatch", context, { records: event.Records.length, messages: messages.length, failed: failed < 0 ? 0 : 1 });
  // The local engine repeats a batch only if the call fails.
  if (failed === 0) throw new Error("The first record of the batch failed. The log contains the reason.");
  const itemIdentifier = event.Records[failed]?.dynamodb?.SequenceNumber;
  return { batchItemFailures: failed < 0 ? [] : [{ itemIdentifier: itemIdentifier ?? "" }] };
}

async function dispatchRecord({ eventName, dynamodb }: DynamoDBRecord): Promise<QueuedDelivery[]> {
  const { pk, sk } = dynamodb?.Keys ?? {};
  // The event source mapping filters too, where the engine supports filters.
  if (eventName !== "INSERT" || pk?.S === undefined || sk?.S === undefined) return [];
  try {
    const key = { pk: pk.S, sk: sk.S };
    return (await dispatchers.find(({ prefix }) => key.pk.startsWith(prefix))?.dispatch(deps, key)) ?? [];
  } catch (error) {
    // An unreadable record would fail again and must not block the ones after it.
    if (!(error instanceof UnreadableRecordError)) throw error;
    logger.error("dispatch failed", { item: sk.S, error: error as Error });
    return [];
  }
}
