import { defined } from "../../contract/defined.ts";
import { type SvcEvent, TEST_EVENT } from "../../contract/events.ts";
import { type Attempt, refusedAttempt } from "../../core/deliveries/attempt.ts";
import { addTry, type EventDelivery, eventDeliveryObject } from "../../core/deliveries/event-delivery.ts";
import type { DeliveryMessageOf } from "../../core/deliveries/message.ts";
import { type Endpoint, endpointObject, listEventPaths } from "../../core/events/endpoint.ts";
import { buildEventBody } from "../../core/events/event-body.ts";
import { outboxEventObject } from "../../core/events/outbox-event.ts";
import { signWebhook } from "../../core/notifications/webhook.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { countOutcome } from "../../core/telemetry/telemetry.ts";
import { deletedWorkspaceObject } from "../../core/workspaces/deleted.ts";
import type { OpenedDelivery, ProgressChange } from "../deliveries/deliver-message.ts";
import { toExpectation } from "../notifications/delivery-records.ts";
import { listSigningSecrets } from "../notifications/webhook-secret.ts";
import { EVENT_RETENTION_S } from "../outbox/event.ts";
import type { Uses } from "../uses.ts";
import { recordHealth } from "./endpoint-health.ts";

interface StoredEndpoint {
  stored: StoredObject;
  endpoint: Endpoint;
}

/** Opens the delivery of an event to an endpoint. `undefined` if the event or its workspace is gone. */
export async function openEvent(
  deps: Uses<"objects" | "webhookKeys" | "webhooks" | "nowMs">,
  message: DeliveryMessageOf<"event">,
): Promise<OpenedDelivery | undefined> {
  const loaded = await loadSubject(deps, message);
  if (!loaded) return undefined;
  const { event, found } = loaded;
  const key = eventDeliveryObject.key(message.workspace, event.id, message.endpoint);
  let known: EventDelivery | undefined;
  return {
    id: event.id,
    nth: message.endpoint,
    lane: found?.endpoint.isSlow ? "slow" : "fast",
    isLoaded: false,
    async load() {
      const record = await deps.objects.get(key);
      known = record && eventDeliveryObject.parse(record);
      return known && { progress: known, version: Number(record?.version) };
    },
    async store(change) {
      const next = toRecord(event, message.endpoint, { change, known });
      const expiresAtS = Math.ceil(event.atMs / 1000) + EVENT_RETENTION_S;
      const isStored = await deps.objects.put(
        { ...key, value: next, version: String(change.version), expiresAtS },
        toExpectation(change.after),
      );
      if (isStored) known = next;
      return isStored;
    },
    send: (_progress, answerMs) => sendEvent(deps, event, { found, answerMs }),
    async afterAttempt(attempt, { state }) {
      const isReceiver = found !== undefined && mayReceive(found.endpoint, event);
      if (isReceiver && state === "failed") countOutcome("DeliveriesFailed");
      const isSlow = isReceiver && (await recordHealth(deps, { workspace: message.workspace, ...found }, attempt));
      return isSlow ? "slow" : "fast";
    },
  };
}

/** An endpoint that is switched off also receives tests. */
const mayReceive = ({ enabled }: Endpoint, { type }: SvcEvent) => enabled || type === TEST_EVENT;

async function sendEvent(
  deps: Uses<"objects" | "webhookKeys" | "webhooks" | "nowMs">,
  event: SvcEvent,
  { found, answerMs }: { found: StoredEndpoint | undefined; answerMs: number },
): Promise<Attempt> {
  if (!found) return refusedAttempt("the endpoint was deleted");
  if (!mayReceive(found.endpoint, event)) return refusedAttempt("the endpoint is switched off");
  const body = JSON.stringify(buildEventBody(event));
  const secrets = await listSigningSecrets(deps, event.workspace);
  return deps.webhooks.post(found.endpoint.url, signWebhook(secrets, event.id, body, deps.nowMs()), body, { answerMs });
}

function toRecord(
  event: SvcEvent,
  endpoint: string,
  { change, known }: { change: ProgressChange; known: EventDelivery | undefined },
): EventDelivery {
  const { path = "name" in event.data ? event.data.name : undefined } = { path: listEventPaths(event)[0] };
  const tries = change.attempt ? addTry(known?.tries ?? [], change.attempt) : (known?.tries ?? []);
  const about = { event: event.id, endpoint, type: event.type, ...defined({ path }), eventAtMs: event.atMs };
  return { ...change.progress, ...about, tries };
}

/** Reads the event and its endpoint. An eventually consistent read costs half and may miss recent writes: then both are read again. */
async function loadSubject({ objects }: Uses<"objects">, { workspace, event, endpoint }: DeliveryMessageOf<"event">) {
  const wanted = [outboxEventObject.key(workspace, event), endpointObject.key(workspace, endpoint), deletedWorkspaceObject.key(workspace)];
  let [storedEvent, storedEndpoint, deleted] = await objects.batchGet(wanted);
  if (!storedEvent || !storedEndpoint) [storedEvent, storedEndpoint, deleted] = await objects.batchGet(wanted, { consistent: true });
  if (!storedEvent || deleted) return undefined;
  const found: StoredEndpoint | undefined = storedEndpoint && {
    stored: storedEndpoint,
    endpoint: endpointObject.parse(storedEndpoint),
  };
  return { event: outboxEventObject.parse(storedEvent), found };
}
