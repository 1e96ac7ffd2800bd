import { TEST_EVENT } from "../../contract/events.ts";
import { matchesEndpoint } from "../../core/events/endpoint.ts";
import { outboxEventObject } from "../../core/events/outbox-event.ts";
import type { ObjectKey } from "../../core/objects/write.ts";
import type { QueuedDelivery } from "../../ports/queues.ts";
import type { Uses } from "../uses.ts";
import { listEndpoints } from "./endpoints.ts";

/** Returns the messages for a new event: one for each endpoint that chose it. A repeated call returns messages for the same deliveries, whose claims recognize them. */
export async function dispatchEvent({ objects }: Uses<"objects">, key: ObjectKey): Promise<QueuedDelivery[]> {
  const stored = await objects.get(key);
  if (!stored) return [];
  const event = outboxEventObject.parse(stored);
  const { workspace } = event;
  const endpoints = await listEndpoints({ objects }, workspace);
  return endpoints
    .filter((endpoint) => (endpoint.enabled || event.type === TEST_EVENT) && matchesEndpoint(endpoint, event))
    .map(({ id, isSlow }) => ({
      message: { kind: "event", workspace, event: event.id, endpoint: id, after: 0 },
      lane: isSlow ? "slow" : "fast",
    }));
}
