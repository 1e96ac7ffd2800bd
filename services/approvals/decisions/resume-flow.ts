import { findJob, type JobCaller } from "../../jobs/read/read.ts";
import { findApprovalRequestInFlow } from "../gates/find-approval-request.ts";
import { approverFrom } from "./approver.ts";
import { type DecideDeps, type DecisionInput, decideRequest } from "./decide.ts";

/**
 * Decides the step at which a flow waits, as the flow's owner may without being an approver. Returns one sentence for the caller. Throws
 * `job.notFound`, `approval.none`, `approval.over` and what a decision throws.
 */
export async function resumeFlow(
  deps: DecideDeps,
  caller: JobCaller,
  { workspace, id }: { workspace: string; id: string },
  input: DecisionInput,
) {
  const flow = await findJob(deps, caller, { workspace, id });
  const request = await findApprovalRequestInFlow(deps, workspace, id, { knownJob: flow });
  return decideRequest(deps, request, { who: approverFrom(caller.actor, workspace), accessPath: { by: "account", mayStop: true } }, input);
}
