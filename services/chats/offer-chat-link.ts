import type { ErrorCode } from "../../contract/errors.ts";
import type { ChatDecision } from "../../core/chats/chat-call.ts";
import { findUserOfChat } from "../identity/chat-accounts/chat-accounts.ts";
import { createChatLink } from "../identity/chat-accounts/chat-links.ts";
import type { Uses } from "../uses.ts";

/**
 * Returns sentences with a link that connects the person with a user, if that can help after a refusal: the request needs a person, or the
 * connected user may not decide it. Only the person sees them. Empty for everyone else, and for guests, strangers and bots.
 */
export async function offerChatLink(
  deps: Uses<"objects" | "nowMs" | "baseUrl">,
  { user, workspace, resource }: Pick<ChatDecision, "user" | "workspace" | "resource">,
  code: ErrorCode,
): Promise<string> {
  if (!user.isMember || (code !== "approval.person" && code !== "approval.refused")) return "";
  const { email, isConnected } = await findUserOfChat(deps, user);
  if (code === "approval.refused" && !isConnected) return "";
  const link = await createChatLink(deps, user, { workspace, resource });
  const limits = "The link works once, for ten minutes, and only for you.";
  return isConnected
    ? ` Your account here is connected with ${email}. If this is the wrong user, connect another one: ${link} ${limits}`
    : ` Connect your account, and your clicks here count as yours: ${link} ${limits}`;
}
