import type { Refused } from "../../../shared/service.ts";
import type { FlowValue } from "./document/flow-document.ts";
import { findStep } from "./document/lists.ts";

/** Returns the first step that a refusal of the service names, if the flow has it. */
export function refusedStep(value: FlowValue, { issues }: Pick<Refused, "issues">): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(issues);
  } catch {
    // A proxy may have cut the header.
  }
  const steps = (Array.isArray(parsed) ? parsed : []).map((issue: unknown) =>
    typeof issue === "object" && issue !== null && "step" in issue ? issue.step : undefined,
  );
  return steps.find((step): step is string => typeof step === "string" && findStep(value, step) !== undefined);
}
