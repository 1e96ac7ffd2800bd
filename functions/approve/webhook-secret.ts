import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { webhookKeys } from "../../aws/kms/data-keys.ts";
import type { Route } from "../../contract/route.ts";
import { approvalNoticeRoutes as routes } from "../../contract/routes/approvals/approval-notices.ts";
import { toOperation } from "../../core/audit/entry.ts";
import { nameInAuditLog } from "../../core/people/actor.ts";
import { runAudited } from "../../services/audit/audit.ts";
import { getWebhookSecret, rotateWebhookSecret } from "../../services/notifications/webhook-secret.ts";
import { on } from "../shared/edge.ts";
import { json } from "../shared/reply.ts";
import { type ApproveRoutes, type Auth, requireActor } from "./deps.ts";

const secretDeps = { objects: objectTable, jobs: jobTable, webhookKeys, nowMs: Date.now };

const readerOf = (auth: Auth, workspace: string, { name }: Route) => ({
  ...{ actor: requireActor(auth), workspace },
  token: auth.sentToken ?? "",
  operation: toOperation(name),
});

const read = async (auth: Auth, workspace: string, route: Route) =>
  json(200, { secret: await getWebhookSecret(secretDeps, readerOf(auth, workspace, route)) });

const rotate = async (auth: Auth, workspace: string, route: Route) => {
  const reader = readerOf(auth, workspace, route);
  const username = nameInAuditLog(reader.actor);
  const action = { workspace, username, operation: reader.operation, action_kind: "Updated" as const };
  return json(200, { secret: await runAudited(secretDeps, action, () => rotateWebhookSecret(secretDeps, reader)) });
};

/** The routes of the webhook secret. Their access rule requires an admin. Each access has an entry in the audit log. */
export const webhookSecretHandlers: ApproveRoutes = [
  on(routes.webhookSecret, ({ auth, params: { workspace } }) => read(auth, workspace, routes.webhookSecret)),
  on(routes.workspaceWebhookSecret, ({ auth, params: { workspace } }) => read(auth, workspace, routes.workspaceWebhookSecret)),
  on(routes.rotateWebhookSecret, ({ auth, params: { workspace } }) => rotate(auth, workspace, routes.rotateWebhookSecret)),
  on(routes.rotateWorkspaceWebhookSecret, ({ auth, params: { workspace } }) =>
    rotate(auth, workspace, routes.rotateWorkspaceWebhookSecret),
  ),
];
