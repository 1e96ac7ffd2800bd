import type { JobTable } from "../../aws/dynamodb/job-table.ts";
import { bounceSchema } from "../../core/notifications/bounce.ts";
import { findDelivery, storeDelivery } from "./delivery-records.ts";

interface Collaborators {
  jobs: Pick<JobTable, "getChild" | "putChild">;
  nowMs: () => number;
}

/**
 * A mail came back, or its reader complained of it: its record says so. Throws where there is none: what SES knows at once may come before the
 * sender has written anything down, and is told again.
 */
export async function recordBounce(collaborators: Collaborators, event: unknown): Promise<void> {
  const { flow, notice, nth, reason } = bounceSchema.parse(event);
  const known = await findDelivery(collaborators, flow, notice, nth);
  if (!known) throw new Error(`No delivery ${nth} of notice ${notice} is known.`);
  const { delivery, expiresAtS } = known;
  const bounced = { ...delivery, state: "failed" as const, atMs: collaborators.nowMs(), error: reason };
  await storeDelivery(collaborators, { flow, notice, part: delivery, expiresAtS }, bounced);
}
