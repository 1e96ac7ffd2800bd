import { randomUUID } from "node:crypto";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { INSTANCE } from "../../contract/common.ts";
import type { EventData, InstanceEventType } from "../../contract/events.ts";
import { type Endpoint, INSTANCE_ENDPOINT } from "../../core/events/endpoint.ts";
import { keys } from "../../core/objects/keys.ts";
import { type ObjectWrite, write } from "../../core/objects/write.ts";
import { INSTANCE_EVENTS_URL } from "../../core/settings/instance.ts";
import { buildEventWrite } from "./event.ts";

export interface InstanceEventDeps {
  objects: Pick<ObjectTable, "batchGet">;
  /** The receiver that the deployment names (`INSTANCE_EVENTS_WEBHOOK`). A setting of the instance replaces it. */
  instanceEventsUrl: string | undefined;
  nowMs: () => number;
}

type NewInstanceEvent = { [Type in InstanceEventType]: { type: Type; data: EventData<Type> } }[InstanceEventType];

/** The author of events and endpoints of the instance. Their bodies name no author. */
const SERVICE = "svc";

/**
 * Builds the outbox items of changes of the instance's users, as parts of the changes' own transaction: none without a receiver. The
 * deployment's receiver gets its endpoint together with its first event, so that no event precedes it.
 */
export async function buildInstanceEventWrites(deps: InstanceEventDeps, events: readonly NewInstanceEvent[]): Promise<ObjectWrite[]> {
  const wanted = [keys.instanceSetting(INSTANCE_EVENTS_URL), keys.endpoint(INSTANCE, INSTANCE_ENDPOINT)];
  const [setting, endpoint] = await deps.objects.batchGet(wanted, { consistent: true });
  const url = typeof setting?.value === "string" ? setting.value : deps.instanceEventsUrl;
  if (!url) return [];
  const atMs = deps.nowMs();
  const isKnown = (endpoint?.value as Partial<Endpoint> | undefined)?.url === url;
  return [
    ...(isKnown ? [] : [putInstanceEndpoint(url, atMs)]),
    ...events.map((event) => buildEventWrite({ ...event, workspace: INSTANCE, by: SERVICE, atMs }).write),
  ];
}

/** Builds the change of the receiver's endpoint when its setting changes: without a URL the endpoint is removed. */
export function buildInstanceEndpointWrite(url: string, atMs: number): ObjectWrite {
  return url ? putInstanceEndpoint(url, atMs) : write.remove(keys.endpoint(INSTANCE, INSTANCE_ENDPOINT));
}

/** Concurrent changes put the same endpoint, so the write has no condition. */
function putInstanceEndpoint(url: string, atMs: number): ObjectWrite {
  const value: Endpoint = {
    id: INSTANCE_ENDPOINT,
    url,
    enabled: true,
    createdBy: SERVICE,
    createdAtMs: atMs,
    editedBy: SERVICE,
    editedAtMs: atMs,
  };
  return write.put({ ...keys.endpoint(INSTANCE, INSTANCE_ENDPOINT), value, version: randomUUID() });
}
