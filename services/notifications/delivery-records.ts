import { defined } from "../../contract/defined.ts";
import { childPrefix, childRef } from "../../core/jobs/lists/child-items.ts";
import { hasEnded } from "../../core/jobs/record/job.ts";
import { buildPartName, type Delivery, deliverySchema, type NoticePart, showReceiver } from "../../core/notifications/delivery.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import type { Expectation } from "../../core/objects/write.ts";
import { parseReadable, recordFormat } from "../../core/records/record-format.ts";
import type { DeliveryChange } from "../deliveries/deliver-message.ts";
import type { Uses } from "../uses.ts";

const toDeliveryRef = (notice: string, nth: string) => childRef("delivery", `${notice}#${nth}`);
const deliveryFormat = recordFormat({ schema: deliverySchema, version: 1 });

/** Lists the deliveries of the notices of a flow's gates, by gate, the oldest first. */
export async function listDeliveries({ jobs }: Uses<"jobs">, flow: string) {
  const all = parseReadable(await jobs.listChildren(flow, childPrefix.delivery), deliveryFormat.parse).flatMap(([, delivery]) => {
    const { state } = delivery;
    // During the first attempt there is no outcome to show.
    return state === "pending" ? [] : [{ ...delivery, state }];
  });
  const sorted = all.sort((a, b) => a.atMs - b.atMs || buildPartName(a).localeCompare(buildPartName(b)));
  return Map.groupBy(sorted.map(toDeliveryJson), ({ gate }) => gate);
}

function toDeliveryJson<State extends string>({
  gate,
  what,
  channel,
  to,
  state,
  attempts,
  atMs,
  error,
}: Omit<Delivery, "state"> & { state: State }) {
  return {
    gate,
    what,
    channel,
    to: showReceiver({ channel, to }),
    state,
    attempts,
    at: new Date(atMs).toISOString(),
    ...defined({ error }),
  };
}

/** The delivery record of one part of a notice, with the state of its flow. */
export interface FoundDelivery {
  delivery: Delivery | undefined;
  version: number | undefined;
  flowHasEnded: boolean;
  /** The expiry of the flow's records (epoch s). `undefined`: the flow is gone. */
  expiresAtS: number | undefined;
}

/** Loads the delivery record of one part of a notice. */
export async function findStoredDelivery(
  { jobs }: Uses<"jobs">,
  { flow, id }: Pick<GateNotice, "flow" | "id">,
  part: NoticePart,
): Promise<FoundDelivery> {
  const ref = toDeliveryRef(id, buildPartName(part));
  const { job, items } = await jobs.getWith(flow, [ref]);
  const child = items.get(ref);
  const delivery = child && deliveryFormat.parse(child);
  return {
    delivery,
    version: child?.version,
    flowHasEnded: job !== undefined && hasEnded(job),
    expiresAtS: job && Math.ceil(job.expiresAtMs / 1000),
  };
}

/** Returns the delivery record of one part of a notice, by the part's name. */
export async function findDelivery({ jobs }: Uses<"jobs">, flow: string, notice: string, nth: string) {
  const child = await jobs.getChild(flow, toDeliveryRef(notice, nth));
  return child && { delivery: deliveryFormat.parse(child), version: child.version, expiresAtS: child.expiresAtS };
}

interface DeliveryOwner {
  flow: string;
  notice: string;
  part: NoticePart;
  expiresAtS: number;
}

interface RecordChange extends Pick<DeliveryChange<Delivery>, "version" | "after"> {
  delivery: Delivery;
}

/** Stores a delivery record, which expires with the flow's job. Returns false if another process has changed it since. */
export function storeDelivery(
  { jobs }: Uses<"jobs">,
  { flow, notice, part, expiresAtS }: DeliveryOwner,
  { delivery, version, after }: RecordChange,
): Promise<boolean> {
  const ref = toDeliveryRef(notice, buildPartName(part));
  return jobs.putChildIf({ parent: flow, ref, json: deliveryFormat.toJson(delivery), version, expiresAtS }, after);
}

/** Returns the condition of a change of a record in the table of objects. */
export const toExpectation = (after: DeliveryChange<Delivery>["after"]): Expectation =>
  typeof after === "number" ? { version: String(after) } : after;
