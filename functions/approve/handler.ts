import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { SvcError } from "../../contract/errors.ts";
import { chatRoutes } from "../../contract/routes/approvals/chats.ts";
import { parseApprovalToken } from "../../core/approvals/link.ts";
import { type ChatCall, chatCallSchema } from "../../core/chats/chat-call.ts";
import { type TeamsChange, teamsChangeSchema } from "../../core/chats/teams/teams-place.ts";
import { may } from "../../core/permissions/may.ts";
import { decideInChat, showInChat } from "../../services/chats/decide-in-chat.ts";
import { storeInstallation } from "../../services/chats/teams/store-installation.ts";
import { auditCalls } from "../shared/edge/audited-call.ts";
import { apiHandler } from "../shared/edge/edge.ts";
import { checkAccess } from "../shared/edge/guard.ts";
import { logInvocation } from "../shared/observe.ts";
import { auditLogRoutes } from "./audit-log.ts";
import { chatAskRoutes } from "./chats.ts";
import { type Auth, authenticateActor, authenticateDeps, deps, optionalActor } from "./deps.ts";
import { linkRoutes } from "./links.ts";
import { noticeRoutes } from "./notices.ts";
import { pageRoutes } from "./page.ts";
import { approvalRunRoutes } from "./runs.ts";
import { webhookSecretHandlers } from "./webhook-secret.ts";

const api = apiHandler<Auth>(
  [...linkRoutes, ...pageRoutes, ...approvalRunRoutes, ...auditLogRoutes, ...noticeRoutes, ...chatAskRoutes, ...webhookSecretHandlers],
  async (token, route, params) => {
    const { workspace, run_id: run } = params;
    // The holder of a link may also be signed in.
    if (route.auth !== "token") {
      // On the page, the query parameter `token` may contain the link's token, which does not identify the caller.
      const isLink = token !== undefined && parseApprovalToken(token) !== undefined;
      return { actor: await optionalActor(isLink ? undefined : token, route, workspace ?? "") };
    }
    if (run !== undefined) {
      const job = /^[0-9a-f-]{36}$/.test(run) ? await deps.jobs.get(run) : undefined;
      const actor = await authenticateActor(token, job?.workspace);
      // Only the token's limits count here. The right to see the run or to decide depends on its gates, which the handler reads.
      const access = { ...route.access, need: "self" } as const;
      if (!may(actor, access, job ? { workspace: job.workspace } : {})) throw new SvcError("auth.forbidden", { action: route.name });
      return { actor, run: job };
    }
    const actor = await authenticateActor(token, workspace);
    // The address of this call names no workspace, so that of the token counts: a job changes nothing outside of its workspace.
    if (route.name === chatRoutes.postInTeams.name && actor.workspace !== undefined) {
      const member = await authenticateActor(token, actor.workspace);
      checkAccess(member, route, { ...params, workspace: actor.workspace });
      return { actor: member, sentToken: token };
    }
    checkAccess(actor, route, params);
    return { actor, sentToken: token };
  },
  auditCalls(authenticateDeps),
);

/**
 * Approvals: links, the data of the approval page, decisions, pending approvals and the audit log. Function `chat` calls the function for a person who decides in a
 * chat, or who opens a form there, and to store where a bot is installed. API Gateway's events have no field `kind`.
 */
export const handler = async (event: APIGatewayProxyEvent | ChatCall | TeamsChange, context: Context) => {
  if (!("kind" in event)) return api(event, context);
  return event.kind === "teamsChange" ? storeChange(event, context) : answerChat(event, context);
};

async function storeChange(change: TeamsChange, context: Context): Promise<void> {
  await storeInstallation(deps, teamsChangeSchema.parse(change));
  await logInvocation("chat", context, { workspace: change.workspace, outcome: "stored" });
}

async function answerChat(call: ChatCall, context: Context) {
  const parsed = chatCallSchema.parse(call);
  const answer = parsed.kind === "chatContent" ? await showInChat(deps, parsed) : await decideInChat(deps, parsed);
  await logInvocation("chat", context, { workspace: call.workspace, outcome: answer.outcome });
  return answer;
}
