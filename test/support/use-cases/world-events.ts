import { type EventType, eventSchema, type SvcEvent } from "../../../contract/events.ts";
import { type Endpoint, endpointObject, WORKSPACE_ENDPOINT } from "../../../core/events/endpoint.ts";
import { outboxEventObject } from "../../../core/events/outbox-event.ts";
import type { World } from "./world.ts";

type InWorld = Pick<World, "deps" | "workspace" | "clock">;

/** Stores an endpoint, so that changes write events. It is switched off, so that nothing is sent. */
export async function addEndpoint({ deps, workspace, clock }: InWorld, fields: Partial<Endpoint> = {}): Promise<Endpoint> {
  const endpoint: Endpoint = {
    id: WORKSPACE_ENDPOINT,
    url: "https://events.example.com/hook",
    enabled: false,
    createdBy: "ann",
    createdAtMs: clock.nowMs,
    editedBy: "ann",
    editedAtMs: clock.nowMs,
    ...fields,
  };
  await deps.objects.put({ ...endpointObject.key(workspace, endpoint.id), value: endpoint });
  return endpoint;
}

/** Lists the events of the workspace, oldest first. */
export async function listEvents({ deps, workspace }: Omit<InWorld, "clock">): Promise<SvcEvent[]> {
  return (await deps.objects.list(outboxEventObject.partitionKey(workspace))).map(({ value }) => eventSchema.parse(value));
}

/** Lists the types of the events of an object, by its path or name, in the order of their writing. */
export async function eventsOf(world: Omit<InWorld, "clock">, object: string): Promise<EventType[]> {
  const events = (await listEvents(world)).filter(({ data }) => {
    const { path, name } = data as { path?: string; name?: string };
    return path === object || name === object;
  });
  return events.map(({ type }) => type);
}
