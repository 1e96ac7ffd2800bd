import { chatOperations } from "../../contract/client/operations/approvals.ts";
import { toRequest } from "../../contract/client/request.ts";
import type { ChatType } from "./chat-credential.ts";

/** The vendor in the addresses of each type of resource. */
const vendors = { slack: "slack", ms_teams_bot: "teams", discord: "discord" } as const satisfies Record<ChatType, string>;

/**
 * The addresses of a resource of a chat application: the one that its vendor calls, and the manifest of its app, if the vendor has manifests. That of Teams contains the id of the app,
 * so there is none without it.
 */
export function buildChatAddresses(
  baseUrl: string,
  type: ChatType,
  { workspace, path, appId }: { workspace: string; path: string; appId?: unknown },
): { callback: string; manifest?: string } {
  const addressOf = (name: keyof typeof chatOperations, query = {}) =>
    `${baseUrl}${toRequest(chatOperations, name, { workspace, path, query }).address}`;
  const callback = addressOf(`chats.${vendors[type]}`);
  if (type === "slack") return { callback, manifest: addressOf("chats.slackManifest") };
  if (type === "ms_teams_bot" && typeof appId === "string")
    return { callback, manifest: addressOf("chats.teamsManifest", { app_id: appId }) };
  return { callback };
}
