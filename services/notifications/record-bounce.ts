import type { JobTable } from "../../aws/dynamodb/job-table.ts";
import { hasEnded } from "../../core/jobs/job.ts";
import { bounceSchema } from "../../core/notifications/bounce.ts";
import { findDelivery, storeDelivery } from "./delivery-records.ts";

interface RecordBounceDeps {
  jobs: Pick<JobTable, "get" | "getChild" | "putChild">;
  nowMs: () => number;
}

/**
 * Records that a mail bounced or that its reader complained. Does nothing if the flow's run was erased or is gone. Throws if there is no delivery
 * record yet: the event of SES may arrive before the record is stored, and is then delivered again.
 */
export async function recordBounce(deps: RecordBounceDeps, event: unknown): Promise<void> {
  const { flow, notice, nth, reason } = bounceSchema.parse(event);
  const known = await findDelivery(deps, flow, notice, nth);
  if (!known) {
    const job = await deps.jobs.get(flow);
    if (!job || (hasEnded(job) && job.erased)) return;
    throw new Error(`No delivery ${nth} of notice ${notice} is known.`);
  }
  const { delivery, expiresAtS } = known;
  const bounced = { ...delivery, state: "failed" as const, atMs: deps.nowMs(), error: reason };
  await storeDelivery(deps, { flow, notice, part: delivery, expiresAtS }, bounced);
}
