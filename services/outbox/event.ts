import { v7 as uuidv7 } from "uuid";
import type { EventData, EventType } from "../../contract/events.ts";
import { endpointObject } from "../../core/events/endpoint.ts";
import { outboxEventObject } from "../../core/events/outbox-event.ts";
import { type ObjectWrite, write } from "../../core/objects/write.ts";
import type { Uses } from "../uses.ts";
import type { TransactionPart } from "./commit-parts.ts";

/** An event before it has an id. */
interface EventWithData<Type extends EventType> {
  type: Type;
  /** The workspace, or `INSTANCE`. */
  workspace: string;
  by: string;
  atMs: number;
  data: EventData<Type>;
}

/** The event of a change. A function as `data` is called only if the event is written; it returns `undefined` if the object does not exist. */
export interface NewEvent<Type extends EventType> extends Omit<EventWithData<Type>, "data"> {
  data: EventData<Type> | (() => Promise<EventData<Type> | undefined>);
}

/** The retention of an event and of its deliveries, in seconds. */
export const EVENT_RETENTION_S = 30 * 24 * 3600;

/** Orders the events of one process that have the same time. */
let sequence = 0;

/** Builds the outbox item of an event, whether there is an endpoint or not. The time in its id is that of the event, so ids sort by it. */
export function buildEventWrite<Type extends EventType>(event: EventWithData<Type>): { id: string; write: ObjectWrite } {
  const { workspace, atMs } = event;
  sequence += 1;
  const id = uuidv7({ msecs: atMs, seq: sequence });
  const expiresAtS = Math.ceil(atMs / 1000) + EVENT_RETENTION_S;
  return { id, write: write.put({ ...outboxEventObject.key(workspace, id), value: { ...event, id }, expiresAtS }) };
}

/**
 * Builds the outbox item of a change. It is part of the change's own transaction, so that neither happens without the other. Without an
 * endpoint in the workspace there is no item. The read is strongly consistent: an endpoint receives every change that begins after its creation.
 */
export async function buildEventWrites<Type extends EventType>(
  { objects }: Uses<"objects">,
  event: NewEvent<Type>,
): Promise<ObjectWrite[]> {
  const [endpoint] = await objects.list(endpointObject.partitionKey(event.workspace), { limit: 1 });
  if (!endpoint) return [];
  const data = typeof event.data === "function" ? await event.data() : event.data;
  return data === undefined ? [] : [buildEventWrite({ ...event, data }).write];
}

/** Builds the parts of a transaction that write the event of a change: one, or none without an endpoint. */
export async function buildEventParts<Type extends EventType>(deps: Uses<"objects">, event: NewEvent<Type>): Promise<TransactionPart[]> {
  return (await buildEventWrites(deps, event)).map((part) => ({ write: part, refused: undefined }));
}
