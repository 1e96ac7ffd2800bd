import { INSTANCE } from "../../../contract/common.ts";
import { type Attempt, sentAttempt } from "../../../core/deliveries/attempt.ts";
import { outboxEventObject } from "../../../core/events/outbox-event.ts";
import { noticeObject } from "../../../core/notifications/stored-notice.ts";
import type { SendingPorts } from "../../../services/deliveries/deliver-message.ts";
import { sendDeliveries } from "../../../services/deliveries/queue-attempts.ts";
import { sendDueAttempts } from "../../../services/deliveries/send-due-attempts.ts";
import { dispatchEvent } from "../../../services/events/dispatch-event.ts";
import { dispatchNotice } from "../../../services/notifications/dispatch-notice.ts";
import { DeliveryConsumer } from "../use-cases/world-deliveries.ts";
import { newIsolation } from "../use-cases/world-jobs.ts";
import { recordingChannels } from "../use-cases/world-notices.ts";
import type { Stage } from "./exchange.ts";

/**
 * Function `deliver` dispatches all events and notices, and handles the messages that are due. `outcome`: that of each attempt. Returns the
 * receivers of the attempts.
 */
export async function deliver({ world }: Stage, outcome: Attempt = sentAttempt): Promise<string[]> {
  const { deps } = world;
  const { sent, next, channels } = recordingChannels();
  const consumer = new DeliveryConsumer(world, { ...deps, ...channels } as SendingPorts);
  const messages = [];
  for (const workspace of [world.workspace, INSTANCE]) {
    for (const key of await deps.objects.list(outboxEventObject.partitionKey(workspace)))
      messages.push(...(await dispatchEvent(deps, key)));
    for (const key of await deps.objects.list(noticeObject.partitionKey(workspace))) messages.push(...(await dispatchNotice(deps, key)));
  }
  await sendDeliveries(deps, messages);
  await sendDueAttempts({ ...deps, isolation: newIsolation(world) }, Number.POSITIVE_INFINITY);
  // A message may lead to others.
  do next.push(...world.deliveries.map(() => outcome));
  while ((await consumer.receive()) > 0);
  return sent.sort();
}
