import { SendMessageBatchCommand } from "@aws-sdk/client-sqs";
import { env, requireEnv } from "../../contract/env.ts";
import { groupOfDelivery, type Lane } from "../../core/deliveries/message.ts";
import type { DeliveryQueue, QueuedDelivery } from "../../ports/queues.ts";
import { sqs } from "../sdk/clients.ts";

/** The maximum number of messages in one call. */
const BATCH = 10;

const urls: Record<Lane, string> = { fast: env.deliveryQueueUrl, slow: env.slowDeliveryQueueUrl };

/** The queues of deliveries, which function `deliver` consumes. */
export const deliveryQueue = {
  /** Sends messages, ten in one call. Returns those that were not sent, with the reasons. */
  async sendDeliveries(all: readonly QueuedDelivery[]): Promise<{ queued: QueuedDelivery; error: Error }[]> {
    const calls = [...Map.groupBy(all, ({ lane }) => lane)].flatMap(([lane, ofLane]) =>
      Array.from({ length: Math.ceil(ofLane.length / BATCH) }, (_, index) => ({
        lane,
        part: ofLane.slice(index * BATCH, (index + 1) * BATCH),
      })),
    );
    return (await Promise.all(calls.map(({ lane, part }) => sendBatch(lane, part)))).flat();
  },
} satisfies DeliveryQueue;

/** Returns the lane of a message by the ARN of its queue. */
export function laneOf(queueArn: string): Lane {
  return requireEnv(urls.slow).endsWith(`/${queueArn.split(":").at(-1)}`) ? "slow" : "fast";
}

async function sendBatch(lane: Lane, part: QueuedDelivery[]) {
  const Entries = part.map(({ message, delayS = 0 }, index) => ({
    Id: String(index),
    MessageBody: JSON.stringify(message),
    // SQS serves quiet groups first (fair queues), so that many messages for one receiver do not delay those for others.
    MessageGroupId: groupOfDelivery(message),
    ...(delayS > 0 ? { DelaySeconds: delayS } : {}),
  }));
  try {
    const { Failed = [] } = await sqs().send(new SendMessageBatchCommand({ QueueUrl: requireEnv(urls[lane]), Entries }));
    return Failed.flatMap(({ Id, Code, Message }) => {
      const queued = part[Number(Id)];
      const error = Object.assign(new Error(Message ?? "The message was refused."), { name: Code ?? "Error" });
      return queued ? [{ queued, error }] : [];
    });
  } catch (error) {
    return part.map((queued) => ({ queued, error: error as Error }));
  }
}
