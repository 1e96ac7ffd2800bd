import { chatAccountRoutes as routes } from "../../../contract/routes/people/chat-accounts.ts";
import { disconnectChatAccount, listChatAccounts } from "../../../services/identity/chat-accounts/chat-accounts.ts";
import { findChatLink } from "../../../services/identity/chat-accounts/chat-links.ts";
import { connectChatAccount } from "../../../services/identity/chat-accounts/connect-chat-account.ts";
import type { ApiRoutes } from "../../shared/edge/domain-api.ts";
import { on } from "../../shared/edge/edge.ts";
import { json, nameAuditedResource, text } from "../../shared/reply/reply.ts";
import { deps } from "../deps.ts";

export const chatAccounts: ApiRoutes = [
  on(routes.listChatAccounts, async ({ auth }) => json(200, await listChatAccounts(deps, auth.actor))),
  on(routes.findChatLink, async ({ auth, body }) => json(200, await findChatLink(deps, auth.actor, body.link))),
  on(routes.connectChatAccount, async ({ auth, body }) => {
    const { vendor, team, user, name } = await connectChatAccount(deps, auth.actor, body.link);
    return nameAuditedResource(text(201, `${name} is connected.`), `${vendor}:${team}:${user}`);
  }),
  on(routes.disconnectChatAccount, async ({ auth, params }) => {
    await disconnectChatAccount(deps, auth.actor, params.id);
    return text(200, "The account is disconnected.");
  }),
];
