import { issuesOf, type Refused } from "../../../shared/service.ts";
import type { FlowValue } from "./document/flow-document.ts";
import { findStep } from "./document/lists.ts";

/** Returns the first step that a refusal of the service names, if the flow has it. */
export const refusedStep = (value: FlowValue, refused: Pick<Refused, "issues">): string | undefined =>
  issuesOf(refused)
    .map(({ step }) => step)
    .find((step): step is string => typeof step === "string" && findStep(value, step) !== undefined);
