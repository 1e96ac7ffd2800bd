import { dueAtMs, escalate, expire, type Gate, isOpen, remind } from "../../../core/approvals/gate.ts";
import { outcomeRef } from "../../../core/flows/journal.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { loadPlanIfThere } from "../../flows/definitions/load.ts";
import { changeGate, type GateDeps, gatesOfRun, hasLostItsTask, tell } from "./change-gate.ts";

/**
 * What is to happen to a flow's gates by themselves: reminding, asking others, the end of the time; and tasks that were not told of a decision are.
 * Answers when the next of it is due, and whether a task that should wait is not there.
 */
export async function reconcileGates(deps: GateDeps, flow: Job): Promise<{ nextMs: number; lost: boolean }> {
  if (flow.suspends === undefined && flow.consents === undefined) return { nextMs: Number.POSITIVE_INFINITY, lost: false };
  const plan = await loadPlanIfThere(deps, flow.flow?.plan ?? "");
  let nextMs = Number.POSITIVE_INFINITY;
  let lost = false;
  for (const gate of await gatesOfRun(deps, flow.root ?? flow.id, flow.id)) {
    const module = plan?.index.modules.get(gate.module)?.module;
    const outcome = outcomeRef(gate.module, gate.scope, gate.at);
    // One that was passed needs no task any more.
    if (hasLostItsTask(gate, deps.nowMs()) && !(await deps.jobs.getChild(flow.id, outcome))) lost = true;
    if (!isOpen(gate) || !module) {
      await tell(deps, gate);
      continue;
    }
    const now = deps.nowMs();
    const rule = (of: Gate) => [expire, escalate, remind].reduce((known, step) => step(known, now), of);
    const { gate: after } = await changeGate(deps, { gate, flow }, module, rule);
    nextMs = Math.min(nextMs, dueAtMs(after) ?? nextMs);
  }
  return { nextMs, lost };
}
