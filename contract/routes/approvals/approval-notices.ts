import * as z from "zod";
import { inWorkspace, jobId, workspaceId } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const w = "/api/w/{workspace}/approvals";
const secretSchema = z.object({
  secret: z.string().describe("`whsec_…`, as libraries of Standard Webhooks take it."),
});

export const approvalNoticeRoutes = {
  notifyAgain: defineRoute({
    name: "approvals.notify",
    summary: "Have everybody who may decide told once more, while the flow waits. At most once a minute.",
    method: "POST",
    path: `${w}/notify/{gate}`,
    fn: "approve",
    auth: "token",
    params: z.object({ workspace: workspaceId, gate: jobId }),
    status: 200,
    reply: { text: "That it will be done." },
    errors: ["job.notFound", "approval.noticeOver", "approval.noticeAgain"],
  }),
  webhookSecret: defineRoute({
    name: "approvals.getWebhookSecret",
    summary: "What receivers check the signatures of the workspace's notices with.",
    method: "GET",
    path: `${w}/webhook_secret`,
    fn: "approve",
    auth: "token",
    params: inWorkspace,
    status: 200,
    reply: { json: secretSchema },
    errors: [],
  }),
  rotateWebhookSecret: defineRoute({
    name: "approvals.rotateWebhookSecret",
    summary: "A new secret. The old one signs beside it for a day.",
    method: "POST",
    path: `${w}/webhook_secret`,
    fn: "approve",
    auth: "token",
    params: inWorkspace,
    status: 200,
    reply: { json: secretSchema },
    errors: ["write.collided"],
  }),
};
