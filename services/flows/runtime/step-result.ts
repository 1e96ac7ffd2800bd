import type { Outcome } from "../../../core/flows/journal.ts";
import type { ValueRef } from "../../../core/jobs/record/value-ref.ts";
import type { Uses } from "../../uses.ts";
import { storeFlowValue } from "./flow-values.ts";
import type { StepContext } from "./step-context.ts";

interface AnyResult {
  result: ValueRef;
  /** Further fields of the outcome. */
  details?: Partial<Outcome>;
}
/** `neverRan`: the module was skipped or mocked, so its approvals are not requested either. */
export type SucceededResult = AnyResult & { status: "succeeded"; neverRan?: boolean };
/** An inner step stopped the list of the module. */
export type StoppedResult = AnyResult & { status: "stopped"; skip?: boolean | undefined };
export interface FailedResult extends AnyResult {
  status: "failed";
  /** The failure module has already run, in an inner list. */
  handled?: boolean;
  /** No approval came in time: the flow counts as canceled. */
  canceled?: boolean | undefined;
}

/** The end of a module, before its approvals. */
export type StepResult = SucceededResult | StoppedResult | FailedResult;

/** A failure with its own error instead of a job's. */
export async function failedWith(
  deps: Uses<"jobs" | "storage">,
  step: StepContext,
  { name, message }: { name: string; message: string },
  details: Partial<Outcome> = {},
): Promise<FailedResult> {
  const result = await storeFlowValue(deps, step, { error: { name, message, step_id: step.module.id } });
  return { status: "failed", result, details };
}
