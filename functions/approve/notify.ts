import { approvalNoticeRoutes as routes } from "../../contract/routes/approvals/approval-notices.ts";
import { resendNoticesOfGate } from "../../services/notifications/resend-notices.ts";
import { on } from "../shared/edge.ts";
import { text } from "../shared/reply.ts";
import { type ApproveRoutes, actorOf, collaborators as c } from "./collaborators.ts";

export const notify: ApproveRoutes = [
  on(routes.notifyAgain, async ({ auth, params: { workspace, gate } }) => {
    await resendNoticesOfGate(c, { actor: actorOf(auth), action: routes.notifyAgain }, { workspace, id: gate });
    return text(200, "The approvers are notified again.");
  }),
];
