import * as z from "zod";
import { defined, mapDefined } from "../../contract/defined.ts";
import type { DeliveryJson, DeliveryQuery } from "../../contract/routes/events/deliveries.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { defineObject, inWorkspace } from "../objects/define-object.ts";
import type { Attempt } from "./attempt.ts";
import { progressSchema } from "./claim.ts";

/** An attempt that has ended. One without a status or an error was lost with its sender. */
const endedAttemptSchema = z.object({
  atMs: z.number(),
  ms: z.number(),
  ok: z.boolean(),
  status: z.int().optional(),
  error: z.string().optional(),
});

/** The record of the delivery of an event to an endpoint. It contains neither the body nor the URL. */
export const eventDeliverySchema = z.object({
  ...progressSchema.shape,
  event: z.string(),
  endpoint: z.string(),
  type: z.string(),
  path: z.string().optional(),
  /** The time of the event. */
  eventAtMs: z.number(),
  /** The newest `MOST_TRIES` attempts. */
  tries: z.array(endedAttemptSchema),
});
export type EventDelivery = z.infer<typeof eventDeliverySchema>;
type Try = EventDelivery["tries"][number];

const MOST_TRIES = 30;
const ERROR_CHARS = 200;

/** Adds an attempt. `outcome`: `undefined` for an attempt whose sender died. */
export function addTry(
  tries: readonly Try[],
  { atMs, durationMs, outcome }: { atMs: number; durationMs: number; outcome: Attempt | undefined },
): Try[] {
  const error = outcome ? (outcome.ok ? undefined : outcome.error) : "the sender ended before it recorded the outcome";
  const ended = { atMs, ms: Math.round(durationMs), ok: outcome?.ok ?? false };
  return [...tries, { ...ended, ...defined({ status: outcome?.status, error: error?.slice(0, ERROR_CHARS) }) }].slice(-MOST_TRIES);
}

/** An event has one delivery for each endpoint. The id of an event is a UUID, so the id of a delivery can be split. */
const toDeliveryId = ({ event, endpoint }: Pick<EventDelivery, "event" | "endpoint">) => `${event}.${endpoint}`;
export const parseDeliveryId = (id: string) => ({ event: id.slice(0, 36), endpoint: id.slice(37) });

/** Returns the log entry of a delivery. */
export function toDeliveryJson(delivery: EventDelivery): DeliveryJson {
  const { event, endpoint, type, path, state, attempts, eventAtMs, nextAtMs, tries } = delivery;
  const last = tries.at(-1);
  return {
    id: toDeliveryId(delivery),
    event_id: event,
    endpoint,
    type,
    ...defined({ path }),
    state,
    attempts,
    created_at: toIsoTime(eventAtMs),
    ...defined({
      last_attempt_at: mapDefined(last?.atMs, toIsoTime),
      status: last?.status,
      error: last?.error,
      next_attempt_at: mapDefined(nextAtMs, toIsoTime),
    }),
  };
}

/** Returns whether a delivery matches the filters of a list, apart from the time. */
export function matchesDeliveryQuery(delivery: EventDelivery, query: Pick<DeliveryQuery, "endpoint" | "type" | "path" | "state">): boolean {
  const filters = ["endpoint", "type", "path", "state"] as const;
  return filters.every((field) => query[field] === undefined || query[field] === delivery[field]);
}

/** The delivery of an event to an endpoint, in the order of the events. */
export const eventDeliveryObject = defineObject({
  name: "delivery",
  partition: "DELIVERY",
  ...inWorkspace,
  sort: (event: string, endpoint: string) => `${event}#${endpoint}`,
  schema: eventDeliverySchema,
});
