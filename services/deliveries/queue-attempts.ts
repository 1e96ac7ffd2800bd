import { limits } from "../../contract/limits.ts";
import { dueAttemptObject } from "../../core/deliveries/due-attempt.ts";
import type { Retry } from "../../core/deliveries/message.ts";
import type { QueuedDelivery } from "../../ports/queues.ts";
import type { Uses } from "../uses.ts";

/** Sends messages to the delivery queues. Throws if one of them was refused; the others are sent. */
export async function sendDeliveries({ deliveryQueue }: Uses<"deliveryQueue">, all: readonly QueuedDelivery[]): Promise<void> {
  const [refused] = await deliveryQueue.sendDeliveries(all);
  if (refused) throw refused.error;
}

interface NextAttempt extends Retry {
  /** The time of the attempt (epoch ms). */
  atMs: number;
  /** The delivery in the list of retries: ids that a sort key can contain. */
  id: string;
  nth: string;
}

/**
 * Queues the next attempt of a delivery. A queue delays a message by at most 15 minutes; a later attempt waits in the list of retries until housekeeping
 * queues it. A repeated call queues the same attempt again, which its claim recognizes.
 */
export async function queueNextAttempt(
  deps: Uses<"objects" | "deliveryQueue" | "nowMs">,
  { message, lane, atMs, id, nth }: NextAttempt,
): Promise<void> {
  const waitMs = atMs - deps.nowMs();
  if (waitMs <= limits.maxQueueDelayMs) {
    await sendDeliveries(deps, [{ message, lane, delayS: Math.max(0, Math.ceil(waitMs / 1000)) }]);
    return;
  }
  const value: Retry = { message, lane };
  const expiresAtS = Math.ceil((atMs + limits.jobRetentionMs) / 1000);
  await deps.objects.put({ ...dueAttemptObject.key(atMs, message.workspace, id, nth), value, expiresAtS });
}
