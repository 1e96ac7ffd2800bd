import type { ValueRef } from "../jobs/record/value-ref.ts";
import { type Gate, listApprovers, type OpenedGate } from "./gate.ts";

/** The part of a step's outcome that its gate determines. */
export interface GateOutcome {
  result: ValueRef;
  /** The gate's id. */
  gate: string;
  approvers: { resume_id: number; approver: string }[];
}

/** Returns the outcome of a step after the decision of its gate: the step's own result, or the decision for a ConsentGate. */
export function toGateOutcome(gate: Gate, opened: OpenedGate): GateOutcome {
  const { decision } = gate;
  const answer = { approved: decision?.outcome === "approved", approver: decision?.approver ?? null, reason: decision?.reason ?? null };
  const result =
    opened.kind === "consent" ? { jobId: gate.flow, location: { in: "head" as const, json: JSON.stringify(answer) } } : opened.result;
  return { result, ...opened.outcomeFields, gate: gate.id, approvers: listApprovers(gate) };
}
