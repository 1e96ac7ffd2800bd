import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { webhookKeys } from "../../aws/kms/data-keys.ts";
import type { RevealingRoute } from "../../contract/route.ts";
import { approvalNoticeRoutes as routes } from "../../contract/routes/approvals/approval-notices.ts";
import { getWebhookSecret, rotateWebhookSecret } from "../../services/notifications/webhook-secret.ts";
import { secretReader } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json } from "../shared/reply/reply.ts";
import { type ApproveRoutes, type Auth, requireActor } from "./deps.ts";

const secretDeps = { objects: objectTable, jobs: jobTable, webhookKeys, nowMs: Date.now };

const readerOf = (auth: Auth, workspace: string, route: RevealingRoute) =>
  secretReader({ ...auth, actor: requireActor(auth) }, workspace, route);

const read = async (auth: Auth, workspace: string, route: RevealingRoute) =>
  json(200, { secret: await getWebhookSecret(secretDeps, readerOf(auth, workspace, route)) });

const rotate = async (auth: Auth, workspace: string, route: RevealingRoute) =>
  json(200, { secret: await rotateWebhookSecret(secretDeps, readerOf(auth, workspace, route)) });

/** The routes of the webhook secret. Their access rule requires an admin. Each access has an entry in the audit log. */
export const webhookSecretHandlers: ApproveRoutes = [
  on(routes.webhookSecret, ({ auth, params: { workspace } }) => read(auth, workspace, routes.webhookSecret)),
  on(routes.workspaceWebhookSecret, ({ auth, params: { workspace } }) => read(auth, workspace, routes.workspaceWebhookSecret)),
  on(routes.rotateWebhookSecret, ({ auth, params: { workspace } }) => rotate(auth, workspace, routes.rotateWebhookSecret)),
  on(routes.rotateWorkspaceWebhookSecret, ({ auth, params: { workspace } }) =>
    rotate(auth, workspace, routes.rotateWorkspaceWebhookSecret),
  ),
];
