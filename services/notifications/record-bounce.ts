import type { JobTable } from "../../aws/dynamodb/job-table.ts";
import { bounceSchema } from "../../core/notifications/bounce.ts";
import { findDelivery, storeDelivery } from "./delivery-records.ts";

interface RecordBounceDeps {
  jobs: Pick<JobTable, "getChild" | "putChild">;
  nowMs: () => number;
}

/**
 * Records that a mail bounced or that its reader complained. Throws if there is no delivery record yet: the event of SES may arrive before
 * the record is stored, and is then delivered again.
 */
export async function recordBounce(deps: RecordBounceDeps, event: unknown): Promise<void> {
  const { flow, notice, nth, reason } = bounceSchema.parse(event);
  const known = await findDelivery(deps, flow, notice, nth);
  if (!known) throw new Error(`No delivery ${nth} of notice ${notice} is known.`);
  const { delivery, expiresAtS } = known;
  const bounced = { ...delivery, state: "failed" as const, atMs: deps.nowMs(), error: reason };
  await storeDelivery(deps, { flow, notice, part: delivery, expiresAtS }, bounced);
}
