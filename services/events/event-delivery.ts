import { defined } from "../../contract/defined.ts";
import { type SvcEvent, TEST_EVENT } from "../../contract/events.ts";
import { type Attempt, refusedAttempt } from "../../core/deliveries/attempt.ts";
import { addTry, type EventDelivery, eventDeliveryObject } from "../../core/deliveries/event-delivery.ts";
import type { DeliveryMessageOf } from "../../core/deliveries/message.ts";
import { type Endpoint, endpointObject, listEventPaths } from "../../core/events/endpoint.ts";
import { buildEventBody } from "../../core/events/event-body.ts";
import { outboxEventObject } from "../../core/events/outbox-event.ts";
import { signWebhook } from "../../core/notifications/webhook.ts";
import type { ObjectKey, StoredObject } from "../../core/objects/write.ts";
import { countOutcome } from "../../core/telemetry/telemetry.ts";
import { deletedWorkspaceObject } from "../../core/workspaces/deleted.ts";
import type { DeliveryChange, DeliveryKind, OpenedDelivery } from "../deliveries/deliver-message.ts";
import { toExpectation } from "../notifications/delivery-records.ts";
import { listSigningSecrets } from "../notifications/webhook-secret.ts";
import { EVENT_RETENTION_S } from "../outbox/event.ts";
import type { Uses } from "../uses.ts";
import { recordHealth } from "./endpoint-health.ts";

interface StoredEndpoint {
  stored: StoredObject;
  endpoint: Endpoint;
}

/** The delivery of an event to an endpoint, which may be deleted since. */
interface OpenedEvent extends OpenedDelivery<EventDelivery> {
  event: SvcEvent;
  found: StoredEndpoint | undefined;
  key: ObjectKey;
}

/** The deliveries of events. Nothing is left to deliver if the event or its workspace is gone. */
export const eventDelivery: DeliveryKind<DeliveryMessageOf<"event">, EventDelivery, OpenedEvent> = {
  async open(ports, message) {
    const loaded = await loadSubject(ports, message);
    if (!loaded) return undefined;
    const { event, found } = loaded;
    const lane = found?.endpoint.isSlow ? "slow" : "fast";
    return {
      id: event.id,
      nth: message.endpoint,
      lane,
      event,
      found,
      key: eventDeliveryObject.key(message.workspace, event.id, message.endpoint),
    };
  },
  async load({ objects }, { key }) {
    const found = await objects.get(key);
    return found && { record: eventDeliveryObject.parse(found), version: Number(found.version) };
  },
  async store({ objects }, { event, nth, key }, change) {
    const record = toRecord(event, nth, change);
    const expiresAtS = Math.ceil(event.atMs / 1000) + EVENT_RETENTION_S;
    const isStored = await objects.put({ ...key, value: record, version: String(change.version), expiresAtS }, toExpectation(change.after));
    return isStored ? record : undefined;
  },
  send: sendEvent,
  async afterAttempt(ports, { event, found }, { attempt, progress }) {
    const isReceiver = found !== undefined && mayReceive(found.endpoint, event);
    if (isReceiver && progress.state === "failed") countOutcome("DeliveriesFailed");
    const isSlow = isReceiver && (await recordHealth(ports, { workspace: event.workspace, ...found }, attempt));
    return isSlow ? "slow" : "fast";
  },
};

/** An endpoint that is switched off also receives tests. */
const mayReceive = ({ enabled }: Endpoint, { type }: SvcEvent) => enabled || type === TEST_EVENT;

async function sendEvent(
  deps: Uses<"objects" | "webhookKeys" | "webhooks" | "nowMs">,
  { event, found }: OpenedEvent,
  { answerMs }: { answerMs: number },
): Promise<Attempt> {
  if (!found) return refusedAttempt("the endpoint was deleted");
  if (!mayReceive(found.endpoint, event)) return refusedAttempt("the endpoint is switched off");
  const body = JSON.stringify(buildEventBody(event));
  const secrets = await listSigningSecrets(deps, event.workspace);
  return deps.webhooks.post(found.endpoint.url, signWebhook(secrets, event.id, body, deps.nowMs()), body, { answerMs });
}

function toRecord(event: SvcEvent, endpoint: string, change: DeliveryChange<EventDelivery>): EventDelivery {
  const { path = "name" in event.data ? event.data.name : undefined } = { path: listEventPaths(event)[0] };
  const before = change.before?.tries ?? [];
  const tries = change.attempt ? addTry(before, change.attempt) : before;
  const about = { event: event.id, endpoint, type: event.type, ...defined({ path }), eventAtMs: event.atMs };
  return { ...change.progress, ...about, tries };
}

/** Reads the event and its endpoint. An eventually consistent read costs half and may miss recent writes: then both are read again. */
async function loadSubject({ objects }: Uses<"objects">, { workspace, event, endpoint }: DeliveryMessageOf<"event">) {
  const keys = [outboxEventObject.key(workspace, event), endpointObject.key(workspace, endpoint), deletedWorkspaceObject.key(workspace)];
  let [storedEvent, storedEndpoint, deleted] = await objects.batchGet(keys);
  if (!storedEvent || !storedEndpoint) [storedEvent, storedEndpoint, deleted] = await objects.batchGet(keys, { consistent: true });
  if (!storedEvent || deleted) return undefined;
  const found: StoredEndpoint | undefined = storedEndpoint && {
    stored: storedEndpoint,
    endpoint: endpointObject.parse(storedEndpoint),
  };
  return { event: outboxEventObject.parse(storedEvent), found };
}
