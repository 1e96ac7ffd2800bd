import type { Outcome } from "../flows/journal.ts";
import { approversOf, type Gate, type Opened } from "./gate.ts";

/** How a step ends whose gate was passed: with its own result, or with what was said at a ConsentGate. */
export function outcomeAt(gate: Gate, opened: Opened): Outcome {
  const { decision } = gate;
  const said = { approved: decision?.how === "approved", approver: decision?.by ?? null, reason: decision?.reason ?? null };
  const result = opened.kind === "consent" ? { of: gate.flow, place: { in: "head" as const, json: JSON.stringify(said) } } : opened.result;
  return {
    state: "success",
    goes: "next",
    result,
    ...opened.also,
    gate: gate.id,
    approvers: approversOf(gate),
  };
}
