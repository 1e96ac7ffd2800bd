import { approvalRoutes as routes } from "../../contract/routes/approvals/approvals.ts";
import { parseApprovalToken } from "../../core/approvals/link.ts";
import type { LinkReference } from "../../services/approvals/decisions/decide.ts";
import { invalidLinkError } from "../../services/approvals/gates/find-approval-request.ts";
import { decideOnPage } from "../../services/approvals/page/decide-on-page.ts";
import { showApproval, showSuspendedFlow } from "../../services/approvals/page/show-approval.ts";
import { on } from "../shared/edge/edge.ts";
import { json, text } from "../shared/reply/reply.ts";
import { type ApproveRoutes, deps, optionalActor } from "./deps.ts";

function parseLink(workspace: string, id: string, token: string | undefined): LinkReference | undefined {
  const parts = token === undefined ? undefined : parseApprovalToken(token);
  return parts && { workspace, id, ...parts };
}

export const pageRoutes: ApproveRoutes = [
  on(
    routes.suspendedFlow,
    async ({ auth: { actor }, params: { workspace, id, resume_id: resumeId, signature }, query: { approver = "" } }) =>
      json(200, await showSuspendedFlow(deps, { workspace, id, resumeId, signature, approver }, actor)),
  ),
  on(routes.approvalInfo, async ({ auth, params: { workspace, job_id: id }, query: { token } }) => {
    const link = parseLink(workspace, id, token);
    // The page sends either a link's token or a person's token under the same name.
    const actor = auth.actor ?? (link ? undefined : await optionalActor(token, routes.approvalInfo, workspace));
    return json(200, await showApproval(deps, { workspace, id, link, actor }), { "Cache-Control": "no-store" });
  }),
  on(routes.resumeSuspended, async ({ auth: { actor }, params: { workspace, job_id: id }, body }) => {
    const { approval_token: token, approved = true, payload = {}, reason } = body;
    const link = parseLink(workspace, id, token);
    if (token && !link) throw invalidLinkError();
    return text(200, await decideOnPage(deps, { workspace, id, link, actor }, { approved, payload, ...(reason ? { reason } : {}) }));
  }),
];
