import type { JobTable } from "../../aws/dynamodb/job-table.ts";
import { childPrefix, childRef } from "../../core/jobs/child-items.ts";
import { buildPartName, type Delivery, deliverySchema, hideUrlSecrets, type NoticePart } from "../../core/notifications/delivery.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import { parseReadable, recordFormat } from "../../core/records/record-format.ts";

const toDeliveryRef = (notice: string, nth: string) => childRef("delivery", `${notice}#${nth}`);
const deliveryFormat = recordFormat({ schema: deliverySchema, version: 1 });

type DeliveryRecordDeps = { jobs: Pick<JobTable, "listChildren"> };

/** Lists the deliveries of the notices of a flow's gates, by gate, the oldest first. */
export async function listDeliveries({ jobs }: DeliveryRecordDeps, flow: string) {
  const all = parseReadable(await jobs.listChildren(flow, childPrefix.delivery), deliveryFormat.parse).map(([, delivery]) => delivery);
  const sorted = all.sort((a, b) => a.atMs - b.atMs || buildPartName(a).localeCompare(buildPartName(b)));
  return Map.groupBy(sorted.map(toDeliveryJson), ({ gate }) => gate);
}

/** An earlier release stored the path of a webhook's URL. It is not shown either. */
const toDeliveryJson = ({ atMs, to, ...delivery }: Delivery) => ({
  ...delivery,
  to: delivery.channel === "webhook" ? hideUrlSecrets(to) : to,
  at: new Date(atMs).toISOString(),
});

/**
 * Returns the delivery records of a notice's parts in the same order, and when the records of its flow expire (epoch s; `undefined` if the
 * flow is gone).
 */
export async function findDeliveries(
  { jobs }: { jobs: Pick<JobTable, "getWith"> },
  { flow, id }: Pick<GateNotice, "flow" | "id">,
  parts: readonly NoticePart[],
) {
  const refs = parts.map((part) => toDeliveryRef(id, buildPartName(part)));
  const { job, items } = await jobs.getWith(flow, refs);
  const records = refs.map((ref) => {
    const child = items.get(ref);
    return child && deliveryFormat.parse(child);
  });
  return { records, expiresAtS: job && Math.ceil(job.expiresAtMs / 1000) };
}

/** Returns the delivery record of one part of a notice, by the part's name. */
export async function findDelivery({ jobs }: { jobs: Pick<JobTable, "getChild"> }, flow: string, notice: string, nth: string) {
  const child = await jobs.getChild(flow, toDeliveryRef(notice, nth));
  return child && { delivery: deliveryFormat.parse(child), expiresAtS: child.expiresAtS };
}

interface DeliveryOwner {
  flow: string;
  notice: string;
  part: NoticePart;
  expiresAtS: number;
}

/** Stores a delivery record. It expires with the flow's job. */
export async function storeDelivery({ jobs }: { jobs: Pick<JobTable, "putChild"> }, of: DeliveryOwner, delivery: Delivery): Promise<void> {
  const { flow, notice, part, expiresAtS } = of;
  await jobs.putChild({ parent: flow, ref: toDeliveryRef(notice, buildPartName(part)), json: deliveryFormat.toJson(delivery), expiresAtS });
}
