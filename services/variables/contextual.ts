import { buildContextualVariables } from "../../core/jobs/contextual-variables.ts";
import { type Actor, toPermissionedAs } from "../../core/people/actor.ts";
import { type ContextualVariable, listContextualVariables } from "../../core/variables/contextual.ts";

/** The list describes an example job. */
const EXAMPLE_JOB = { id: "00000000-0000-0000-0000-000000000000", path: "f/example/script" };

/** Lists the variables that a job of the caller would find in its environment, with the values of an example job. It has no token. */
export function listExampleVariables(
  { baseUrl, nowMs }: { baseUrl: string; nowMs: () => number },
  actor: Actor,
  workspace: string,
): ContextualVariable[] {
  const job = { ...EXAMPLE_JOB, workspace, email: actor.email, permissionedAs: toPermissionedAs(actor), createdAtMs: nowMs() };
  return listContextualVariables(buildContextualVariables({ job, attempt: 1, token: "", internalUrl: baseUrl, baseUrl }));
}
