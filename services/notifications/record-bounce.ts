import { hasEnded } from "../../core/jobs/record/job.ts";
import { bounceSchema } from "../../core/notifications/bounce.ts";
import { countOutcome } from "../../core/telemetry/telemetry.ts";
import type { Uses } from "../uses.ts";
import { findDelivery, storeDelivery } from "./delivery-records.ts";

/**
 * Records that a mail bounced or that its reader complained. Does nothing if the flow's run was erased or is gone. Throws if there is no delivery
 * record yet: the event of SES may arrive before the record is stored, and is then delivered again.
 */
export async function recordBounce(deps: Uses<"jobs" | "nowMs">, event: unknown): Promise<void> {
  const { flow, notice, nth, reason } = bounceSchema.parse(event);
  if (flow === undefined) {
    // No run shows the deliveries of a mail that concerns no gate.
    countOutcome("NoticesFailed");
    return;
  }
  const record = await findDelivery(deps, flow, notice, nth);
  if (!record) {
    const job = await deps.jobs.get(flow);
    if (!job || (hasEnded(job) && job.erased)) return;
    throw new Error(`No delivery ${nth} of notice ${notice} is known.`);
  }
  const { delivery, version = 0, expiresAtS } = record;
  const { heldUntilMs: _, nextAtMs: __, ...ended } = delivery;
  const bounced = { delivery: { ...ended, state: "failed" as const, atMs: deps.nowMs(), error: reason }, version: version + 1 };
  const after = record.version ?? "unversioned";
  // The sender stores its outcome at the same time: the event is delivered again.
  if (!(await storeDelivery(deps, { flow, notice, part: delivery, expiresAtS }, { ...bounced, after })))
    throw new Error(`The delivery ${nth} of notice ${notice} was changed at the same time.`);
}
