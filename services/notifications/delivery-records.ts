import type { Child, JobTable } from "../../aws/dynamodb/job-table.ts";
import { childPrefix, childRef } from "../../core/jobs/child-items.ts";
import { buildPartName, type Delivery, deliverySchema, type NoticePart } from "../../core/notifications/delivery.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";

const refOf = (notice: string, nth: string) => childRef("delivery", `${notice}#${nth}`);
const parsed = ({ json = "{}" }: Child): Delivery => deliverySchema.parse(JSON.parse(json));

type DeliveryRecordDeps = { jobs: Pick<JobTable, "children"> };

/** What became of the notices of a flow's gates, by gate and oldest first, as the run shows it. */
export async function listDeliveries({ jobs }: DeliveryRecordDeps, flow: string) {
  const all = (await jobs.children(flow, childPrefix.delivery)).map(parsed);
  const sorted = all.sort((a, b) => a.atMs - b.atMs || buildPartName(a).localeCompare(buildPartName(b)));
  return Map.groupBy(sorted.map(shown), ({ gate }) => gate);
}

const shown = ({ atMs, ...delivery }: Delivery) => ({ ...delivery, at: new Date(atMs).toISOString() });

/** Those of a notice's parts, in their order, and until when records of its flow are kept: `undefined` where that is gone. */
export async function findDeliveries(
  { jobs }: { jobs: Pick<JobTable, "getWith"> },
  { flow, id }: Pick<GateNotice, "flow" | "id">,
  parts: readonly NoticePart[],
) {
  const refs = parts.map((part) => refOf(id, buildPartName(part)));
  const { job, items } = await jobs.getWith(flow, refs);
  const records = refs.map((ref) => {
    const child = items.get(ref);
    return child && parsed(child);
  });
  return { records, expiresAtS: job && Math.ceil(job.expiresAtMs / 1000) };
}

/** Of the part that has this name among its notice's. */
export async function findDelivery({ jobs }: { jobs: Pick<JobTable, "getChild"> }, flow: string, notice: string, nth: string) {
  const child = await jobs.getChild(flow, refOf(notice, nth));
  return child && { delivery: parsed(child), expiresAtS: child.expiresAtS };
}

interface Kept {
  flow: string;
  notice: string;
  part: NoticePart;
  expiresAtS: number;
}

/** It goes with the flow's job. */
export async function storeDelivery({ jobs }: { jobs: Pick<JobTable, "putChild"> }, of: Kept, delivery: Delivery): Promise<void> {
  const { flow, notice, part, expiresAtS } = of;
  await jobs.putChild({ parent: flow, ref: refOf(notice, buildPartName(part)), json: JSON.stringify(delivery), expiresAtS });
}
