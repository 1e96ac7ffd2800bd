import type { Gate } from "../../core/approvals/gate.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Actor } from "../../core/people/actor.ts";
import type { Gating, With } from "./gates.ts";

/** What is written with a decision, or with an approval on the way to one: its entry in the run's record, and the notice of the decision. */
export async function recorded(_gating: Gating, _flow: Job, before: Gate, after: Gate, _actor?: Actor): Promise<With> {
  const decides = after.decision !== undefined && before.decision === undefined && before.opened !== undefined;
  return { notices: decides ? [after.decision?.how === "expired" ? "expired" : "decided"] : [] };
}
