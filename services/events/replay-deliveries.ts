import { randomUUID } from "node:crypto";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { ReplayRequest } from "../../contract/routes/events/deliveries.ts";
import { type EventDelivery, eventDeliveryObject, parseDeliveryId } from "../../core/deliveries/event-delivery.ts";
import type { ReplayMessage, ReplaySelection } from "../../core/deliveries/message.ts";
import { endpointObject, matchesEndpoint } from "../../core/events/endpoint.ts";
import { outboxEventObject } from "../../core/events/outbox-event.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import type { QueuedDelivery } from "../../ports/queues.ts";
import { sendDeliveries } from "../deliveries/queue-attempts.ts";
import type { Uses } from "../uses.ts";
import { boundDeliveries } from "./delivery-log.ts";

/** The number of ids in one message, which has at most 256 KB, and of deliveries that one message reads. */
const PART = 500;

/**
 * Queues a replay of deliveries of a workspace, or of `INSTANCE`, and returns its id. Function `deliver` finds the deliveries. Ids that do not exist
 * are skipped. Throws `webhook.notFound` for an endpoint that does not exist.
 */
export async function requestReplay(deps: Uses<"objects" | "deliveryQueue">, workspace: string, request: ReplayRequest): Promise<string> {
  if ("endpoint" in request && !(await deps.objects.get(endpointObject.key(workspace, request.endpoint))))
    throw new SvcError("webhook.notFound", { id: request.endpoint });
  const replay = randomUUID();
  const base = { kind: "replay" as const, workspace, replay };
  const messages = toSelections(request).map((selection): ReplayMessage => ({ ...base, selection, left: limits.replayedDeliveries }));
  await sendDeliveries(
    deps,
    messages.map((message) => ({ message, lane: "slow" })),
  );
  return replay;
}

function toSelections(request: ReplayRequest): ReplaySelection[] {
  if (!("ids" in request)) {
    const { endpoint, after, before, types, state } = request;
    const chosen = defined({ types, state });
    return [{ endpoint, afterMs: Date.parse(after), beforeMs: Date.parse(before), ...chosen }];
  }
  const ids = [...new Set(request.ids)];
  return Array.from({ length: Math.ceil(ids.length / PART) }, (_, index) => ({ ids: ids.slice(index * PART, (index + 1) * PART) }));
}

/**
 * Queues the deliveries of one part of a replay, and a message for the next part. A repeated message queues them again, which their claims
 * recognize by the id of the replay.
 */
export async function queueReplay(deps: Uses<"objects" | "deliveryQueue">, message: ReplayMessage): Promise<void> {
  const { workspace, replay, selection } = message;
  const queue = (delivery: Pick<EventDelivery, "event" | "endpoint">): QueuedDelivery => {
    const { event, endpoint } = delivery;
    return { message: { kind: "event", workspace, event, endpoint, after: 0, replay }, lane: "slow" };
  };
  if ("ids" in selection) return sendDeliveries(deps, selection.ids.map(parseDeliveryId).map(queue));
  const { found, next } = await readRange(deps, message, selection);
  const chosen = found.slice(0, message.left);
  await sendDeliveries(deps, chosen.map(queue));
  const left = message.left - chosen.length;
  if (next !== undefined && left > 0) await sendDeliveries(deps, [{ message: { ...message, from: next, left }, lane: "slow" }]);
}

type Range = Exclude<ReplaySelection, { ids: string[] }>;

/** Reads one part of a range. Without a state it selects events, also those that occurred while the endpoint was switched off. */
async function readRange(deps: Uses<"objects">, { workspace, from }: ReplayMessage, range: Range) {
  const [first, to] = boundDeliveries(range);
  const { pk } = range.state === undefined ? outboxEventObject.key(workspace, "") : eventDeliveryObject.key(workspace, "", "");
  const page = await deps.objects.list(pk, { between: [from ?? first, to], limit: PART });
  const found = range.state === undefined ? await selectEvents(deps, { workspace, page, range }) : selectDeliveries(page, range);
  const last = page.at(-1);
  return { found, next: page.length < PART || last === undefined ? undefined : `${last.sk} ` };
}

const isOfType = ({ types }: Range, { type }: { type: string }) => !types || types.includes(type);

function selectDeliveries(page: StoredObject[], range: Range): Pick<EventDelivery, "event" | "endpoint">[] {
  return eventDeliveryObject
    .parseReadable(page)
    .filter((delivery) => delivery.endpoint === range.endpoint && delivery.state === range.state && isOfType(range, delivery));
}

async function selectEvents(
  { objects }: Uses<"objects">,
  { workspace, page, range }: { workspace: string; page: StoredObject[]; range: Range },
): Promise<Pick<EventDelivery, "event" | "endpoint">[]> {
  const stored = await objects.get(endpointObject.key(workspace, range.endpoint));
  if (!stored) return [];
  const endpoint = endpointObject.parse(stored);
  const events = outboxEventObject.parseReadable(page).filter((event) => isOfType(range, event) && matchesEndpoint(endpoint, event));
  return events.map(({ id }) => ({ event: id, endpoint: range.endpoint }));
}
