import { approvalNoticeRoutes as routes } from "../../contract/routes/approvals/approval-notices.ts";
import { resendNoticesOfGate } from "../../services/notifications/resend-notices.ts";
import { on } from "../shared/edge/edge.ts";
import { text } from "../shared/reply/reply.ts";
import { type ApproveRoutes, deps, requireActor } from "./deps.ts";

export const noticeRoutes: ApproveRoutes = [
  on(routes.notifyAgain, async ({ auth, params: { workspace, gate } }) => {
    await resendNoticesOfGate(deps, { actor: requireActor(auth), action: routes.notifyAgain }, { workspace, id: gate });
    return text(200, "The approvers are notified again.");
  }),
];
