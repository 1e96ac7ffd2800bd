import { SvcError } from "../../contract/errors.ts";
import { approvalRoutes as routes } from "../../contract/routes/approvals/approvals.ts";
import { approversOf } from "../../core/approvals/gate.ts";
import { parseApprovalToken } from "../../core/approvals/link.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Actor } from "../../core/people/actor.ts";
import { approverFrom } from "../../services/approvals/decisions/approver.ts";
import { decideAt, decideByLink, type From, type SentLink } from "../../services/approvals/decisions/decide.ts";
import {
  type ApprovalRequest,
  findApprovalRequest,
  findApprovalRequestInFlow,
  noLink,
  rulesOf,
} from "../../services/approvals/gates/find-approval-request.ts";
import { levelOfLink } from "../../services/approvals/links/links.ts";
import { approvalInfo } from "../../services/approvals/page/approval-info.ts";
import { flowFields } from "../../services/flows/inspection/status.ts";
import { jobJson, visibleTo } from "../../services/jobs/read/read.ts";
import { on } from "../shared/edge.ts";
import { json, text } from "../shared/reply.ts";
import { type ApproveRoutes, actorIn, collaborators as c } from "./collaborators.ts";

export const mayStop = (actor: Actor | undefined, flow: Job) =>
  actor !== undefined && visibleTo({ actor, action: "approvals.resumeFlow" })(flow);
const seesRun = (actor: Actor | undefined, flow: Job) => actor !== undefined && visibleTo({ actor, action: "approvals.run" })(flow);

/** A link's gate. One for a flow shows the step that waits now. Throws `approval.link`. */
async function askedByLink(link: SentLink): Promise<ApprovalRequest> {
  const level = await levelOfLink(c, link.signature, link);
  if (level === undefined) throw noLink();
  return level === "step"
    ? findApprovalRequest(c, link.workspace, link.id)
    : findApprovalRequestInFlow(c, link.workspace, link.id, { own: true });
}

const tokenIn = (workspace: string, id: string, token: string | undefined): SentLink | undefined => {
  const parts = token === undefined ? undefined : parseApprovalToken(token);
  return parts && { workspace, id, ...parts };
};

/** Without a link it takes a person; whoever may neither decide nor see the run is told that there is nothing. */
async function askedByPerson(workspace: string, id: string, actor: Actor | undefined): Promise<ApprovalRequest> {
  if (!actor) throw new SvcError("approval.person", {});
  return findApprovalRequestInFlow(c, workspace, id);
}

export const page: ApproveRoutes = [
  on(routes.suspendedFlow, async ({ params: { workspace, id, resume_id: resumeId, signature }, query: { approver = "" } }) => {
    const asked = await askedByLink({ workspace, id, resumeId, signature, approver });
    const { flow, gate } = asked;
    // Whoever must sign in sees on the page what they may see.
    const args = !rulesOf(asked).signedIn;
    const [shown, fields] = await Promise.all([jobJson(c, flow, { args }), flowFields(c, flow)]);
    return json(200, { job: { ...shown, ...fields }, approvers: approversOf(gate) });
  }),
  on(routes.approvalInfo, async ({ auth, params: { workspace, job_id: id }, query: { token } }) => {
    const link = tokenIn(workspace, id, token);
    const actor = auth.actor ?? (token && !link ? await actorIn(token, workspace) : undefined);
    const asked = await (link ? askedByLink(link) : askedByPerson(workspace, id, actor));
    const from: From = {
      who: approverFrom(actor, workspace),
      way: { link: link !== undefined, mayStop: mayStop(actor, asked.flow) },
      ...(link ? { link } : {}),
    };
    const sees = seesRun(actor, asked.flow);
    const info = await approvalInfo(c, asked, from, sees);
    if (!link && !sees && info.refused && info.refused !== "self") throw noLink();
    return json(200, info, { "Cache-Control": "no-store" });
  }),
  on(routes.resumeSuspended, async ({ auth, params: { workspace, job_id: id }, body }) => {
    const { approval_token: token, approved = true, payload = {}, reason } = body;
    const said = { approved, payload, ...(reason ? { reason } : {}) };
    const link = tokenIn(workspace, id, token);
    if (token && !link) throw noLink();
    if (link) return text(200, await decideByLink(c, link, auth.actor, said));
    const asked = await askedByPerson(workspace, id, auth.actor);
    const from: From = { who: approverFrom(auth.actor, workspace), way: { link: false, mayStop: mayStop(auth.actor, asked.flow) } };
    const answered = decideAt(c, asked, from, said).catch((error: unknown) => {
      if (error instanceof SvcError && error.code === "approval.refused" && !seesRun(auth.actor, asked.flow)) throw noLink();
      throw error;
    });
    return text(200, await answered);
  }),
];
