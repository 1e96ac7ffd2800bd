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
export async function recordBounce(collaborators: Collaborators, event: unknown): Promise<void> {
  const { flow, notice, nth, reason } = bounceSchema.parse(event);
  const known = await findDelivery(collaborators, flow, notice, nth);
  if (!known) throw new Error(`No delivery ${nth} of notice ${notice} is known.`);
  const { delivery, expiresAtS } = known;
  const bounced = { ...delivery, state: "failed" as const, atMs: collaborators.nowMs(), error: reason };
  await storeDelivery(collaborators, { flow, notice, part: delivery, expiresAtS }, bounced);
}
