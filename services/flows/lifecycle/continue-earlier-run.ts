import { actions } from "../../../contract/access/actions.ts";
import { storedFlowValueSchema } from "../../../contract/flows/flow-value.ts";
import type { FlowPreview } from "../../../contract/routes/flows/flow-runs.ts";
import { outcomeFormat, parseJournalRef } from "../../../core/flows/journal.ts";
import { indexFlow } from "../../../core/flows/scopes.ts";
import type { Actor } from "../../../core/people/actor.ts";
import type { RunCall } from "../../execution/requests/run-request.ts";
import { findJob } from "../../jobs/read/read.ts";
import type { Uses } from "../../uses.ts";
import { assertRestartable, loadReusedSteps, notRestartedError } from "./restart.ts";

/**
 * Adds the results of an earlier run to the request of a flow's preview, if its body names that run. The preview runs with the rights of its
 * caller, who must be allowed to read the run. Throws `job.notFound` and `flow.notRestarted`.
 */
export async function continueEarlierRun(
  deps: Uses<"jobs" | "objects" | "storage">,
  actor: Actor,
  request: RunCall,
  { value: previewValue, restarted_from: from }: FlowPreview,
): Promise<RunCall> {
  if (!from || request.version) return request;
  const { workspace } = request.job;
  const origin = await findJob(deps, { actor, action: actions.readJob }, { workspace, id: from.flow_job_id });
  if (from.nested !== undefined && from.nested !== null)
    throw notRestartedError(origin, "a preview can only restart at a step of its outermost list");
  assertRestartable(origin);
  const value = storedFlowValueSchema.parse(previewValue);
  const reusedSteps = await loadReusedSteps(deps, actor, origin, { plan: { value, index: indexFlow(value) }, request: from });
  // An approval applies only to the flow that the approvers have seen.
  const approved = reusedSteps.find(
    (item) => parseJournalRef(item.ref)?.kind === "outcome" && outcomeFormat.parse(item).gate !== undefined,
  );
  if (approved) {
    const { id = "" } = parseJournalRef(approved.ref) ?? {};
    throw notRestartedError(origin, `its step ${id} was approved for that run alone, so a preview must restart at that step or before it`);
  }
  return { ...request, job: { ...request.job, flow: { execution: 0 }, reusedSteps, restartedFrom: origin.id } };
}
