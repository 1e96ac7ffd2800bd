import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { webhookKeys } from "../../aws/kms/data-keys.ts";
import { approvalNoticeRoutes as routes } from "../../contract/routes/approvals/approval-notices.ts";
import { toOperation } from "../../core/audit/entry.ts";
import { runAudited } from "../../services/audit/audit.ts";
import { getWebhookSecret, rotateWebhookSecret } from "../../services/notifications/webhook-secret.ts";
import { on } from "../shared/edge.ts";
import { json } from "../shared/reply.ts";
import { type ApproveRoutes, type Auth, actorOf } from "./collaborators.ts";

const signing = { objects: objectTable, webhookKeys, nowMs: Date.now };

/** Who reads a secret stands in the audit log, as who reads any other does. */
async function secretIn(auth: Auth, workspace: string, route: { name: string }, kind: "Execute" | "Updated", ask: typeof getWebhookSecret) {
  const what = { workspace, username: actorOf(auth).username, operation: toOperation(route.name), action_kind: kind };
  return json(200, { secret: await runAudited(signing, what, () => ask(signing, workspace)) });
}

/** For the workspace's admins: that who calls is one is asked before. */
export const webhookSecretHandlers: ApproveRoutes = [
  on(routes.webhookSecret, ({ auth, params: { workspace } }) =>
    secretIn(auth, workspace, routes.webhookSecret, "Execute", getWebhookSecret),
  ),
  on(routes.rotateWebhookSecret, ({ auth, params: { workspace } }) =>
    secretIn(auth, workspace, routes.rotateWebhookSecret, "Updated", rotateWebhookSecret),
  ),
];
