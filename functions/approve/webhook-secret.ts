import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { webhookKeys } from "../../aws/kms/data-keys.ts";
import { approvalNoticeRoutes as routes } from "../../contract/routes/approvals/approval-notices.ts";
import { toOperation } from "../../core/audit/entry.ts";
import { runAudited } from "../../services/audit/audit.ts";
import { getWebhookSecret, rotateWebhookSecret } from "../../services/notifications/webhook-secret.ts";
import { on } from "../shared/edge.ts";
import { json } from "../shared/reply.ts";
import { type ApproveRoutes, type Auth, requireActor } from "./deps.ts";

const secretDeps = { objects: objectTable, webhookKeys, nowMs: Date.now };

interface SecretAccess {
  route: { name: string };
  kind: "Execute" | "Updated";
  load: typeof getWebhookSecret;
}

/** Each access to the secret has an entry in the audit log. */
async function answerSecret(auth: Auth, workspace: string, { route, kind, load }: SecretAccess) {
  const action = { workspace, username: requireActor(auth).username, operation: toOperation(route.name), action_kind: kind };
  return json(200, { secret: await runAudited(secretDeps, action, () => load(secretDeps, workspace)) });
}

/** The routes of the webhook secret. Their access rule requires an admin. */
export const webhookSecretHandlers: ApproveRoutes = [
  on(routes.webhookSecret, ({ auth, params: { workspace } }) =>
    answerSecret(auth, workspace, { route: routes.webhookSecret, kind: "Execute", load: getWebhookSecret }),
  ),
  on(routes.workspaceWebhookSecret, ({ auth, params: { workspace } }) =>
    answerSecret(auth, workspace, { route: routes.workspaceWebhookSecret, kind: "Execute", load: getWebhookSecret }),
  ),
  on(routes.rotateWorkspaceWebhookSecret, ({ auth, params: { workspace } }) =>
    answerSecret(auth, workspace, { route: routes.rotateWorkspaceWebhookSecret, kind: "Updated", load: rotateWebhookSecret }),
  ),
  on(routes.rotateWebhookSecret, ({ auth, params: { workspace } }) =>
    answerSecret(auth, workspace, { route: routes.rotateWebhookSecret, kind: "Updated", load: rotateWebhookSecret }),
  ),
];
