import * as z from "zod";
import { inWorkspace, jobId, workspaceId } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const w = "/api/w/{workspace}/approvals";
const secretSchema = z.object({
  secret: z.string().describe("`whsec_…`, in the format of the Standard Webhooks libraries."),
});

const readSecret = {
  summary: "Get the secret with which receivers verify the signatures of the workspace's webhooks.",
  method: "GET",
  fn: "approve",
  auth: "token",
  params: inWorkspace,
  status: 200,
  reply: { json: secretSchema },
  errors: [],
} as const;
const rotateSecret = {
  summary: "Create a new webhook secret. For one day, webhooks are also signed with the old one.",
  method: "POST",
  fn: "approve",
  auth: "token",
  params: inWorkspace,
  status: 200,
  reply: { json: secretSchema },
  errors: ["write.collided"],
} as const;

export const approvalNoticeRoutes = {
  notifyAgain: defineRoute({
    name: "approvals.notify",
    summary: "Notify the approvers again while the flow is waiting. At most once a minute.",
    method: "POST",
    path: `${w}/notify/{gate}`,
    access: { domain: "approvals", verb: "write", need: "run", target: "job" },
    audits: "nothing",
    fn: "approve",
    auth: "token",
    params: z.object({ workspace: workspaceId, gate: jobId }),
    status: 200,
    reply: { text: "A confirmation." },
    errors: ["job.notFound", "approval.noticeOver", "approval.noticeAgain"],
  }),
  webhookSecret: defineRoute({
    ...readSecret,
    name: "approvals.getWebhookSecret",
    path: `${w}/webhook_secret`,
    access: { domain: "signing_secret", verb: "read", need: "admin", target: "none" },
    reveals: "webhook secret",
  }),
  rotateWebhookSecret: defineRoute({
    ...rotateSecret,
    name: "approvals.rotateWebhookSecret",
    path: `${w}/webhook_secret`,
    access: { domain: "signing_secret", verb: "write", need: "admin", target: "none" },
    audits: { kind: "Updated", resource: "none" },
    reveals: "webhook secret",
  }),
  /** The same secret under the name that users of events expect. */
  workspaceWebhookSecret: defineRoute({
    ...readSecret,
    name: "workspaces.getWebhookSecret",
    path: "/api/w/{workspace}/workspaces/webhook_secret",
    access: { domain: "signing_secret", verb: "read", need: "admin", target: "none" },
    reveals: "webhook secret",
  }),
  rotateWorkspaceWebhookSecret: defineRoute({
    ...rotateSecret,
    name: "workspaces.rotateWebhookSecret",
    path: "/api/w/{workspace}/workspaces/webhook_secret",
    access: { domain: "signing_secret", verb: "write", need: "admin", target: "none" },
    audits: { kind: "Updated", resource: "none" },
    reveals: "webhook secret",
  }),
};
