import { chatOperations } from "../../contract/client/operations/approvals.ts";
import { type Operations, toRequest } from "../../contract/client/request.ts";
import type { ChatType } from "./chat-credential.ts";

/** The vendor in the addresses of each type of resource. */
const vendors: Readonly<Record<string, string>> & Readonly<Record<ChatType, string>> = {
  slack: "slack",
  ms_teams_bot: "teams",
  discord: "discord",
};

/**
 * The addresses of a resource of a chat application: the one that its vendor calls, and the manifest of its app, if the vendor has manifests. That of Teams contains the id of the app,
 * so there is none without it.
 */
export function buildChatAddresses(
  baseUrl: string,
  type: ChatType,
  { workspace, path, appId }: { workspace: string; path: string; appId?: unknown },
): { callback: string; manifest?: string } {
  const operations: Operations = chatOperations;
  const addressOf = (name: string, query = {}) => `${baseUrl}${toRequest(operations, name, { workspace, path, query }).address}`;
  const manifest = `chats.${vendors[type]}Manifest`;
  const query = type === "ms_teams_bot" && typeof appId === "string" ? { app_id: appId } : {};
  const isKnown = type !== "ms_teams_bot" || "app_id" in query;
  return {
    callback: addressOf(`chats.${vendors[type]}`),
    ...(isKnown && Object.hasOwn(operations, manifest) ? { manifest: addressOf(manifest, query) } : {}),
  };
}
