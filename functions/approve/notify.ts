import { SvcError } from "../../contract/errors.ts";
import { approvalNoticeRoutes as routes } from "../../contract/routes/approvals/approval-notices.ts";
import { loadGate } from "../../services/approvals/gates/change-gate.ts";
import { findApprovalRequestOfGate } from "../../services/approvals/gates/find-approval-request.ts";
import { findJob } from "../../services/jobs/read/read.ts";
import { resendNotices } from "../../services/notifications/resend-notices.ts";
import { on } from "../shared/edge.ts";
import { text } from "../shared/reply.ts";
import { type ApproveRoutes, actorOf, collaborators as c } from "./collaborators.ts";

export const notify: ApproveRoutes = [
  on(routes.notifyAgain, async ({ auth, params: { workspace, gate: id } }) => {
    const gate = await loadGate(c, id);
    if (gate?.workspace !== workspace) throw new SvcError("job.notFound", { id });
    const flow = await findJob(c, { actor: actorOf(auth), action: routes.notifyAgain }, { workspace, id: gate.flow });
    await resendNotices(c, await findApprovalRequestOfGate(c, gate, flow));
    return text(200, "The approvers are notified again.");
  }),
];
