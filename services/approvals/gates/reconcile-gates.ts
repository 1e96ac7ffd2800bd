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
import { ROOT } from "../../../core/flows/scopes.ts";
import { getFlowRootId, type Job } from "../../../core/jobs/record/job.ts";
import type { Uses } from "../../uses.ts";
import { changeGate, loadGatesOfRun, resumeGateTask } from "./change-gate.ts";

interface ReconciledGates {
  /** The time of the next timed change (epoch ms). */
  nextMs: number;
  /** The token of a waiting task was lost. */
  lost: boolean;
  /** The current execution waits at a gate, and nothing else runs in the flow. */
  waitsAlone: boolean;
  /** A gate was changed because its time was reached. */
  isChanged: boolean;
  /** The flow was deleted while a gate is open: the gate can neither be decided nor expire. */
  isDeleted: boolean;
}

/**
 * Reminds approvers, escalates and expires the gates of a flow that are due, and resumes tasks whose resume call was lost.
 */
export async function reconcileGates(
  deps: Uses<"gatedFlows" | "jobs" | "objects" | "storage" | "nowMs">,
  flow: Job,
): Promise<ReconciledGates> {
  const none = { nextMs: Number.POSITIVE_INFINITY, lost: false, waitsAlone: false, isChanged: false, isDeleted: false };
  if (flow.suspends === undefined && flow.consents === undefined) return none;
  let { waitsAlone, isChanged, isDeleted } = none;
  let nextMs = Number.POSITIVE_INFINITY;
  let lost = false;
  for (const gate of await loadGatesOfRun(deps, getFlowRootId(flow), flow.id)) {
    const module = await deps.gatedFlows.loadModule(flow, gate.module);
    const execution = flow.flow?.execution ?? 0;
    if (isTaskTokenLost(gate, execution, deps.nowMs())) lost = true;
    else if (gate.awaitsToken?.execution === execution) nextMs = Math.min(nextMs, gate.awaitsToken.atMs + limits.taskTokenMs);
    if (isOpen(gate) && !module) isDeleted = true;
    if (!isOpen(gate) || !module) {
      await resumeGateTask(deps, gate);
      continue;
    }
    const now = deps.nowMs();
    const rule = (of: Gate) => [expireGate, escalateGate, remindApprovers].reduce((current, step) => step(current, now), of);
    const { gate: after } = await changeGate(deps, { gate, flow, module }, rule);
    nextMs = Math.min(nextMs, gateDueAtMs(after) ?? nextMs);
    if (after.revision !== gate.revision) isChanged = true;
    const waits = isOpen(after) && after.token !== undefined && after.state?.["execution"] === execution;
    if (waits && after.scope === ROOT && after.awaitsToken === undefined) waitsAlone = true;
  }
  return { nextMs, lost, waitsAlone, isChanged, isDeleted };
}
