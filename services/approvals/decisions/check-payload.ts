import { isSvcError, SvcError } from "../../../contract/errors.ts";
import type { FlowModule } from "../../../contract/flows/flow-value.ts";
import { limits } from "../../../contract/limits.ts";
import type { GateEvent } from "../../../core/approvals/gate.ts";
import { findReferences } from "../../../core/resources/references.ts";
import { loadJson } from "../../jobs/values/values.ts";
import type { Uses } from "../../uses.ts";
import type { ApprovalRequest } from "../gates/find-approval-request.ts";
import { loadPrompt } from "../page/load-prompt.ts";

/**
 * Checks the payload of an approval against the step's form. Throws `approval.form` with one issue for each field, also for references to
 * variables and resources: the holder of a link must not read with the flow's rights. Throws `body.tooLarge`.
 */
export async function checkPayload(deps: Uses<"jobs" | "storage">, request: ApprovalRequest, payload: unknown): Promise<void> {
  checkPayloadSize(payload);
  const schema = request.module.suspend?.resume_form?.["schema"];
  if (typeof schema !== "object" || schema === null) return;
  // Loaded with the first form, so that functions start faster without it.
  const { findValueIssues: valueIssues } = await import("../../../core/resources/value-check.ts");
  const value = payload ?? {};
  const issues = valueIssues(schema as Record<string, unknown>, value).map((issue) => ({
    ...issue,
    path: issue.path.replace(/^value\.?/, ""),
  }));
  const { enums = {} } = await loadPrompt(deps, request);
  for (const [field, choices] of Object.entries(enums)) {
    const chosen = (value as Record<string, unknown>)[field];
    const all = (Array.isArray(chosen) ? chosen : [chosen]).filter((each) => each !== undefined);
    if (!all.every((each) => choices.includes(String(each)))) {
      issues.push({ path: field, reason: `must be one of ${choices.join(", ")}`, at: [field] });
    }
  }
  if (issues.length > 0) throw new SvcError("approval.form", { issues });
}

/**
 * Returns whether the form of a gate accepts the payload of an approval that was made before the gate opened. Until then neither the choices
 * that the step offers nor, for an approval of the flow, the form itself are known.
 */
export async function isPayloadAccepted(
  deps: Uses<"jobs" | "storage">,
  request: ApprovalRequest,
  { payload }: GateEvent,
): Promise<boolean> {
  try {
    await checkPayload(deps, request, await loadJson(deps, { id: payload.jobId }, payload.location));
    return true;
  } catch (error) {
    if (isSvcError(error) && error.code === "approval.form") return false;
    throw error;
  }
}

/** Describes the reason for which a step's form is not a usable schema; `undefined` if it is usable or absent. */
export async function describeFormProblem({ suspend }: Pick<FlowModule, "suspend">): Promise<string | undefined> {
  const schema = suspend?.resume_form?.["schema"];
  if (schema === undefined || schema === null) return undefined;
  if (typeof schema !== "object" || Array.isArray(schema)) return "suspend.resume_form.schema must be a JSON Schema object";
  const { describeSchemaProblem: schemaProblem } = await import("../../../core/resources/value-check.ts");
  const problem = schemaProblem(schema as Record<string, unknown>);
  return problem === undefined ? undefined : `suspend.resume_form.schema cannot be used: ${problem}`;
}

/**
 * Checks the size of a pre-approval's payload, because the form of the step that will use it is not known yet. Throws `body.tooLarge`,
 * `approval.form`.
 */
export function checkPayloadSize(payload: unknown): void {
  const json = JSON.stringify(payload);
  if (Buffer.byteLength(json) > limits.approvalPayloadBytes) {
    throw new SvcError("body.tooLarge", { limitBytes: limits.approvalPayloadBytes, what: "payload of an approval" });
  }
  const [reference] = findReferences(payload);
  if (reference) throw new SvcError("approval.form", { issues: [{ path: "", reason: "must not refer to variables or resources" }] });
}
