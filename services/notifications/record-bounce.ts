import type { JobTable } from "../../aws/dynamodb/job-table.ts";
import { bounceSchema } from "../../core/notifications/bounce.ts";
import { findDelivery, storeDelivery } from "./delivery-records.ts";

interface Collaborators {
  jobs: Pick<JobTable, "getChild" | "putChild">;
  nowMs: () => number;
}

/**
 * Records that a mail bounced or that its reader complained. Throws if there is no record yet: the event of SES may arrive before the sender
 * has written the record, and the event is delivered again.
 */
export async function recordBounce(deps: Collaborators, event: unknown): Promise<void> {
  const { flow, notice, nth, reason } = bounceSchema.parse(event);
  const known = await findDelivery(deps, flow, notice, nth);
  if (!known) throw new Error(`No delivery ${nth} of notice ${notice} is known.`);
  const { delivery, expiresAtS } = known;
  const bounced = { ...delivery, state: "failed" as const, atMs: deps.nowMs(), error: reason };
  await storeDelivery(deps, { flow, notice, part: delivery, expiresAtS }, bounced);
}
