import type { Action } from "../../../contract/access/access-rule.ts";
import { actions } from "../../../contract/access/actions.ts";
import { defined } from "../../../contract/defined.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { createVisibilityFilter } from "../../jobs/read/read.ts";
import type { ApprovalRequest } from "../gates/find-approval-request.ts";
import { approverFrom } from "./approver.ts";
import type { ApproverSource, LinkReference } from "./decide.ts";

type Caller = Actor | undefined;

const may = (actor: Caller, action: Action, run: Job) => actor !== undefined && createVisibilityFilter({ actor, action })(run);

/** Returns whether the caller may resume or cancel the flow, as its owner may, without being an approver. */
export const mayResumeFlow = (actor: Caller, flow: Job): boolean => may(actor, actions.resumeFlow, flow);

/** Returns whether the caller may see the whole run, not only the gates that they may decide. */
export const maySeeRun = (actor: Caller, run: Job): boolean => may(actor, actions.readRun, run);

/** Returns whether the caller may create links to the run's gates. */
export const mayCreateLinks = (actor: Caller, run: Job): boolean => may(actor, actions.createLinks, run);

/** Returns the caller of the approval page as an approver: with a link, or by their own rights. */
export function buildApproverSource(actor: Caller, { flow }: Pick<ApprovalRequest, "flow">, link?: LinkReference): ApproverSource {
  const accessPath = { by: link ? ("link" as const) : ("account" as const), mayStop: mayResumeFlow(actor, flow) };
  return { who: approverFrom(actor, flow.workspace), accessPath, ...defined({ link }) };
}
