import { randomUUID } from "node:crypto";
import { INSTANCE } from "../../contract/common.ts";
import type { EventData, InstanceEventType } from "../../contract/events.ts";
import { type Endpoint, endpointObject, INSTANCE_ENDPOINT } from "../../core/events/endpoint.ts";
import { instanceSettingObject } from "../../core/objects/setting.ts";
import { type ObjectWrite, write } from "../../core/objects/write.ts";
import { INSTANCE_EVENTS_URL } from "../../core/settings/instance.ts";
import type { Uses } from "../uses.ts";
import { buildEventWrite } from "./event.ts";

type NewInstanceEvent = { [Type in InstanceEventType]: { type: Type; data: EventData<Type> } }[InstanceEventType];

/** The author of events and endpoints of the instance. Their bodies name no author. */
const SERVICE = "svc";

/**
 * Returns the endpoint of the receiver: the one that a setting names, otherwise that of the deployment; `undefined` without a receiver. The
 * deployment's is stored together with its first event.
 */
export async function loadInstanceEndpoint(
  deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">,
): Promise<{ endpoint: Endpoint; isStored: boolean } | undefined> {
  const keys = [instanceSettingObject.key(INSTANCE_EVENTS_URL), endpointObject.key(INSTANCE, INSTANCE_ENDPOINT)];
  const [setting, stored] = await deps.objects.batchGet(keys, { consistent: true });
  const url = typeof setting?.value === "string" ? setting.value : deps.instanceEventsUrl;
  if (!url) return undefined;
  const endpoint = stored && endpointObject.parse(stored);
  return endpoint?.url === url ? { endpoint, isStored: true } : { endpoint: newInstanceEndpoint(url, deps.nowMs()), isStored: false };
}

/**
 * Builds the outbox items of changes of the instance's users, as parts of the changes' own transaction: none without a receiver. The
 * deployment's receiver gets its endpoint here too, so that no event precedes it.
 */
export async function buildInstanceEventWrites(
  deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">,
  events: readonly NewInstanceEvent[],
): Promise<ObjectWrite[]> {
  const found = await loadInstanceEndpoint(deps);
  if (!found) return [];
  const { endpoint, isStored } = found;
  const atMs = deps.nowMs();
  return [
    ...(isStored ? [] : [putInstanceEndpoint(endpoint)]),
    ...events.map((event) => buildEventWrite({ ...event, workspace: INSTANCE, by: SERVICE, atMs }).write),
  ];
}

/** Builds the change of the receiver's endpoint when its setting changes: without a URL the endpoint is removed. */
export const buildInstanceEndpointWrite = (url: string, atMs: number): ObjectWrite =>
  url ? putInstanceEndpoint(newInstanceEndpoint(url, atMs)) : write.remove(endpointObject.key(INSTANCE, INSTANCE_ENDPOINT));

/** Concurrent changes put the same endpoint, so the write has no condition. */
export const putInstanceEndpoint = (endpoint: Endpoint): ObjectWrite =>
  write.put({ ...endpointObject.key(INSTANCE, INSTANCE_ENDPOINT), value: endpoint, version: randomUUID() });

const newInstanceEndpoint = (url: string, atMs: number): Endpoint => ({
  id: INSTANCE_ENDPOINT,
  url,
  enabled: true,
  createdBy: SERVICE,
  createdAtMs: atMs,
  editedBy: SERVICE,
  editedAtMs: atMs,
});
