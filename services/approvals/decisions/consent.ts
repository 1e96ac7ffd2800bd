import { SvcError } from "../../../contract/errors.ts";
import type { AccessPath } from "../../../core/approvals/authorize.ts";
import { type Gate, isOpen } from "../../../core/approvals/gate.ts";
import { getFlowRootId, type Job } from "../../../core/jobs/record/job.ts";
import type { Actor } from "../../../core/people/actor.ts";
import type { Uses } from "../../uses.ts";
import { loadGatesOfRun } from "../gates/change-gate.ts";
import { findApprovalRequestOfGate } from "../gates/find-approval-request.ts";
import { approverFrom } from "./approver.ts";
import { authorizeDecision } from "./authorize-decision.ts";
import { type DecideDeps, decideGate } from "./decide.ts";
import { maySeeRun } from "./visibility.ts";

interface Consent {
  decision: "approved" | "rejected";
  reason?: string | undefined;
  /** The id of the module or gate, if several gates wait. */
  gate?: string | undefined;
}

const ACCESS_PATH: AccessPath = { by: "account", mayStop: false };

/** Returns the gates of a run that the caller may decide as one of their approvers. */
export async function filterDecidableGates(deps: Uses<"objects">, actor: Actor, flow: Job, gates: readonly Gate[]): Promise<Gate[]> {
  const who = approverFrom(actor, flow.workspace);
  const verdicts = await Promise.all(
    gates.map(async (gate) => gate.opened && (await authorizeDecision(deps, { rules: gate.opened.rules, gate, flow }, who, ACCESS_PATH))),
  );
  return gates.filter((_, index) => verdicts[index] === "yes");
}

/**
 * Decides a ConsentGate of a run. Throws `job.notFound` for a caller who may neither see the run nor decide one of its gates, `approval.none`,
 * `approval.several`, and what a decision throws.
 */
export async function decideConsent(deps: DecideDeps, actor: Actor, job: Job, input: Consent) {
  const root = getFlowRootId(job);
  const gates = (await loadGatesOfRun(deps, root, root === job.id ? undefined : job.id))
    .filter(({ opened }) => opened?.kind === "consent")
    .filter(({ id, module }) => input.gate === undefined || input.gate === id || input.gate === module);
  const decidable = await filterDecidableGates(deps, actor, job, gates);
  if (!maySeeRun(actor, job) && decidable.length === 0) throw new SvcError("job.notFound", { id: job.id });
  const open = gates.filter(isOpen);
  const theirs = decidable.filter(isOpen);
  if (theirs.length > 1) throw new SvcError("approval.several", { id: job.id, gates: theirs.map(({ module }) => module) });
  // A caller who may not decide any gate is refused; if no gate waits, the last one reports its decision.
  const gate = theirs[0] ?? open[0] ?? gates.at(-1);
  if (!gate) throw new SvcError("approval.none", { id: job.id });
  const request = await findApprovalRequestOfGate(deps, gate, job);
  const approved = input.decision === "approved";
  const from = { who: approverFrom(actor, job.workspace), accessPath: ACCESS_PATH };
  const { gate: after } = await decideGate(deps, request, from, { approved, ...(input.reason ? { reason: input.reason } : {}) });
  const goesOn = approved || request.module.continue_on_error === true;
  return {
    run_id: job.id,
    state: goesOn ? "running" : "failed",
    decision: input.decision,
    approver: actor.username,
    reason: after.decision?.reason ?? input.reason ?? null,
  };
}
