import { webhookKeys } from "../../aws/data-keys.ts";
import { objectTable } from "../../aws/object-table.ts";
import { approvalNoticeRoutes as routes } from "../../contract/routes/approval-notices.ts";
import { rotateWebhookSecret, webhookSecret } from "../../services/approvals/webhook-secret.ts";
import { type Handled, on } from "../shared/edge.ts";
import { json } from "../shared/reply.ts";

const signing = { objects: objectTable, webhookKeys, nowMs: Date.now };

/** For the workspace's admins: that who calls is one is asked before. */
export const webhookSecretHandlers: Handled<unknown>[] = [
  on(routes.webhookSecret, async ({ params: { workspace } }) => json(200, { secret: await webhookSecret(signing, workspace) })),
  on(routes.rotateWebhookSecret, async ({ params: { workspace } }) => json(200, { secret: await rotateWebhookSecret(signing, workspace) })),
];
