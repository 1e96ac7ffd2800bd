import { actions } from "../../../contract/access/actions.ts";
import { isSvcError, SvcError } from "../../../contract/errors.ts";
import type { FlowValue } from "../../../contract/flows/flow-value.ts";
import type { ApprovalInfo } from "../../../contract/routes/approvals/approvals.ts";
import type { ExecutionJson, FlowStatus } from "../../../contract/routes/flows/flow-status.ts";
import { listApprovers } from "../../../core/approvals/gate.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { may } from "../../../core/permissions/may.ts";
import { loadJobJson } from "../../jobs/read/read.ts";
import type { Uses } from "../../uses.ts";
import { authorizeDecision } from "../decisions/authorize-decision.ts";
import type { LinkReference } from "../decisions/decide.ts";
import { buildApproverSource, maySeeRun } from "../decisions/visibility.ts";
import { loadGateAndJob } from "../gates/change-gate.ts";
import {
  type ApprovalRequest,
  findApprovalRequest,
  findApprovalRequestInFlow,
  getApprovalRules,
  invalidLinkError,
} from "../gates/find-approval-request.ts";
import { verifyLink } from "../links/links.ts";
import { buildApprovalInfo } from "./approval-info.ts";
import type { ApprovalPageDeps } from "./flow-for-link-holder.ts";

/** The fields of a flow's job that other jobs do not have. */
interface FlowFields {
  flow_status?: FlowStatus;
  raw_flow?: FlowValue;
  execution?: ExecutionJson;
}

/** The address of an approval page: a step's gate or a flow, opened with a link, or by a person. */
export interface ApprovalPage {
  workspace: string;
  id: string;
  link?: LinkReference | undefined;
  actor: Actor | undefined;
}

/** Returns the request of a link; a link for a flow leads to the step that waits now. Throws `approval.link`. */
export async function findRequestByLink(deps: ApprovalPageDeps, link: LinkReference): Promise<ApprovalRequest> {
  const level = await verifyLink(deps, link.signature, link);
  if (level === undefined) throw invalidLinkError();
  return level === "step"
    ? findApprovalRequest(deps, link.workspace, link.id)
    : findApprovalRequestInFlow(deps, link.workspace, link.id, { onlyOwn: true });
}

/** Returns the request that a signed-in person opens. Throws `approval.person` for a caller who did not sign in. */
export async function findRequestForPerson(
  deps: Uses<"gatedFlows" | "jobs">,
  { workspace, id, actor }: ApprovalPage,
): Promise<ApprovalRequest> {
  if (!actor) throw new SvcError("approval.person", {});
  return findApprovalRequestInFlow(deps, workspace, id);
}

/** With a read-only token, the caller sees a page but cannot decide on it. */
const findDecider = (actor: Actor | undefined, workspace: string) =>
  actor && may(actor, actions.decide.access, { workspace }) ? actor : undefined;

/**
 * Returns a suspended flow for the holder of a link. If approvers must sign in, a holder who may neither decide nor see the run gets no
 * arguments, definition, execution or values that scripts stored. Throws `approval.link`.
 */
export async function showSuspendedFlow(
  deps: ApprovalPageDeps & {
    loadFlowFields(flow: Job): Promise<FlowFields>;
  },
  link: LinkReference,
  actor: Actor | undefined,
) {
  const request = await findRequestByLink(deps, link);
  const args = await mayReadFlow(deps, request, { link, actor });
  const [job, fields] = await Promise.all([loadJobJson(deps, request.flow, { args }), deps.loadFlowFields(request.flow)]);
  return { job: { ...job, ...(args ? fields : hideFlowValues(fields)) }, approvers: listApprovers(request.gate) };
}

async function mayReadFlow(
  deps: Uses<"objects">,
  request: ApprovalRequest,
  { link, actor }: { link: LinkReference; actor: Actor | undefined },
) {
  const rules = getApprovalRules(request);
  if (!rules.signedIn || maySeeRun(actor, request.flow)) return true;
  const { who, accessPath } = buildApproverSource(findDecider(actor, link.workspace), request, link);
  return (await authorizeDecision(deps, { rules, ...request }, who, accessPath)) === "yes";
}

function hideFlowValues({ flow_status: status }: FlowFields): FlowFields {
  if (!status) return {};
  const { user_states: _, ...shown } = status;
  return { flow_status: shown };
}

/**
 * Returns the data of an approval page. Throws `approval.person`, and `approval.link` also for a person without a link who may neither
 * decide nor see the run.
 */
export async function showApproval(deps: ApprovalPageDeps, page: ApprovalPage): Promise<ApprovalInfo> {
  const { link, actor } = page;
  const decider = findDecider(actor, page.workspace);
  const show = async (request: ApprovalRequest) => {
    const seesRun = maySeeRun(actor, request.flow);
    const info = await buildApprovalInfo(deps, request, buildApproverSource(decider, request, link), seesRun);
    return { seesRun, info };
  };
  if (link) return (await show(await findRequestByLink(deps, link))).info;
  const { seesRun, info } = await hideStateFromStrangers(deps, page, async () => show(await findRequestForPerson(deps, page)));
  // People who started the run already know it: they learn that they cannot approve it themselves.
  if (!seesRun && info.refused && info.refused !== "self") throw invalidLinkError();
  return info;
}

/** The errors that state whether a run waits or has ended. */
const STATE_ERRORS: ReadonlySet<string> = new Set(["approval.none", "approval.notYet", "approval.over"]);

/**
 * Calls `work` for a person without a link. If the person may not see the run, throws `approval.link` instead of an error that reveals its
 * progress.
 */
export async function hideStateFromStrangers<T>(deps: Uses<"jobs">, { id, actor }: ApprovalPage, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isSvcError(error) || !STATE_ERRORS.has(error.code)) throw error;
    const { job, gate } = await loadGateAndJob(deps, id);
    const flow = gate ? await deps.jobs.get(gate.flow) : job;
    if (flow && maySeeRun(actor, flow)) throw error;
    throw invalidLinkError();
  }
}
