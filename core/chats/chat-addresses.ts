import { chatOperations } from "../../contract/client/operations/approvals.ts";
import { type Operations, toRequest } from "../../contract/client/request.ts";
import type { ChatType } from "./chat-credential.ts";

/** The vendor in the addresses of each type of resource. */
const vendors: Readonly<Record<string, string>> & Readonly<Record<ChatType, string>> = {
  slack: "slack",
  ms_teams_bot: "teams",
  discord: "discord",
};

/** The addresses of a resource of a chat application: the one that its vendor calls, and the manifest of its app, if the vendor has manifests. */
export function buildChatAddresses(
  baseUrl: string,
  type: ChatType,
  { workspace, path }: { workspace: string; path: string },
): { callback: string; manifest?: string } {
  const operations: Operations = chatOperations;
  const addressOf = (name: string) => `${baseUrl}${toRequest(operations, name, { workspace, path }).address}`;
  const manifest = `chats.${vendors[type]}Manifest`;
  return {
    callback: addressOf(`chats.${vendors[type]}`),
    ...(Object.hasOwn(operations, manifest) ? { manifest: addressOf(manifest) } : {}),
  };
}
