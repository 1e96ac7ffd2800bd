import { limits } from "../../../contract/limits.ts";
import {
  escalateGate,
  expireGate,
  type Gate,
  gateDueAtMs,
  isOpen,
  isTaskTokenLost,
  remindApprovers,
} from "../../../core/approvals/gate.ts";
import { getFlowRootId, type Job } from "../../../core/jobs/job.ts";
import { changeGate, type GateDeps, loadGatesOfRun, resumeGateTask } from "./change-gate.ts";

/**
 * Reminds approvers, escalates and expires the gates of a flow that are due, and resumes tasks whose resume call was lost.
 * Returns when the next of this is due (epoch ms), and whether a waiting task was lost.
 */
export async function reconcileGates(deps: GateDeps, flow: Job): Promise<{ nextMs: number; lost: boolean }> {
  if (flow.suspends === undefined && flow.consents === undefined) return { nextMs: Number.POSITIVE_INFINITY, lost: false };
  let nextMs = Number.POSITIVE_INFINITY;
  let lost = false;
  for (const gate of await loadGatesOfRun(deps, getFlowRootId(flow), flow.id)) {
    const module = await deps.gatedFlows.loadModule(flow, gate.module);
    const execution = flow.flow?.execution ?? 0;
    if (isTaskTokenLost(gate, execution, deps.nowMs())) lost = true;
    else if (gate.awaitsToken?.execution === execution) nextMs = Math.min(nextMs, gate.awaitsToken.atMs + limits.taskTokenMs);
    if (!isOpen(gate) || !module) {
      await resumeGateTask(deps, gate);
      continue;
    }
    const now = deps.nowMs();
    const rule = (of: Gate) => [expireGate, escalateGate, remindApprovers].reduce((known, step) => step(known, now), of);
    const { gate: after } = await changeGate(deps, { gate, flow, module }, rule);
    nextMs = Math.min(nextMs, gateDueAtMs(after) ?? nextMs);
  }
  return { nextMs, lost };
}
