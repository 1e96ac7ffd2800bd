import { v7 as uuidv7 } from "uuid";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { DeliveryDetailsJson, DeliveryJson, DeliveryQuery } from "../../contract/routes/events/deliveries.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import {
  type EventDelivery,
  eventDeliveryObject,
  matchesDeliveryQuery,
  parseDeliveryId,
  toDeliveryJson,
} from "../../core/deliveries/event-delivery.ts";
import { buildEventBody } from "../../core/events/event-body.ts";
import { outboxEventObject } from "../../core/events/outbox-event.ts";
import { paginate } from "../../core/objects/page.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import type { Uses } from "../uses.ts";

type Objects = Pick<ObjectStore, "list" | "batchGet">;

/** A page of the log. `before` continues it, as the parameter of that name without `page`, if more deliveries may match. */
export interface DeliveryPage {
  deliveries: DeliveryJson[];
  before?: string;
}

/** The number of deliveries in one read. They have about 0.5 KB each, and DynamoDB returns 1 MB at most. */
const BATCH = 500;

/** Returns the bounds of the sort keys of deliveries whose events have a time in the range (epoch ms). */
export function boundDeliveries({
  afterMs = 0,
  beforeMs,
}: {
  afterMs?: number | undefined;
  beforeMs?: number | undefined;
}): [string, string] {
  // The first 13 characters of a UUID v7 are its time.
  const timePart = (ms: number) => uuidv7({ msecs: Math.max(0, ms) }).slice(0, 13);
  return [timePart(afterMs), beforeMs === undefined ? "~" : `${timePart(beforeMs)}~`];
}

/** Lists the deliveries of a workspace, or of `INSTANCE`, that match a query, the newest events first. Reads at most about `limits.listScan` of them. */
export async function listDeliveryLog({ objects }: Uses<"objects">, workspace: string, query: DeliveryQuery): Promise<DeliveryPage> {
  const { pk } = eventDeliveryObject.key(workspace, "", "");
  const timeOf = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));
  const [from, end] = boundDeliveries({ afterMs: timeOf(query.after), beforeMs: timeOf(query.before) });
  let to = end;
  const requiredCount = Math.max(query.page ?? 1, 1) * Math.min(query.per_page ?? limits.perPage, limits.maxPerPage);
  const matches: EventDelivery[] = [];
  for (let scanned = 0; scanned < limits.listScan; scanned += BATCH) {
    const found = await objects.list(pk, { between: [from, to], newestFirst: true, limit: BATCH });
    // The bound of the next batch is the last delivery of this one.
    const fresh = found.filter(({ sk }) => scanned === 0 || sk !== to);
    matches.push(...eventDeliveryObject.parseReadable(fresh).filter((delivery) => matchesDeliveryQuery(delivery, query)));
    const last = found.at(-1);
    if (matches.length >= requiredCount || found.length < BATCH || last === undefined)
      return toPage(matches.slice(0, requiredCount), query);
    to = last.sk;
  }
  return { ...toPage(matches, query), before: toIsoTime(Number.parseInt(to.replace("-", "").slice(0, 12), 16)) };
}

const toPage = (matches: EventDelivery[], query: DeliveryQuery): DeliveryPage => ({
  deliveries: paginate(matches, query).map(toDeliveryJson),
});

/** Returns a delivery of a workspace, or of `INSTANCE`, with its body, its headers and its attempts. Throws `delivery.notFound`. */
export async function getDelivery(
  { objects }: { objects: Pick<Objects, "batchGet"> },
  workspace: string,
  id: string,
): Promise<DeliveryDetailsJson> {
  const { event: eventId, endpoint } = parseDeliveryId(id);
  const [stored, storedEvent] = await objects.batchGet(
    [eventDeliveryObject.key(workspace, eventId, endpoint), outboxEventObject.key(workspace, eventId)],
    {
      consistent: true,
    },
  );
  if (!stored || !storedEvent) throw new SvcError("delivery.notFound", { id });
  const delivery = eventDeliveryObject.parse(stored);
  const event = outboxEventObject.parse(storedEvent);
  const last = delivery.tries.at(-1);
  return {
    ...toDeliveryJson(delivery),
    body: JSON.stringify(buildEventBody(event)),
    headers: {
      "content-type": "application/json",
      "user-agent": "svc",
      "webhook-id": event.id,
      ...(last ? { "webhook-timestamp": String(Math.floor(last.atMs / 1000)) } : {}),
    },
    attempt_log: delivery.tries.map(({ atMs, ms, ok, status, error }) => ({
      at: toIsoTime(atMs),
      success: ok,
      ...defined({ status }),
      milliseconds: ms,
      ...defined({ error }),
    })),
  };
}
