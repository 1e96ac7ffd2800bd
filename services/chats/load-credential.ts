import type { ChatCredential } from "../../core/chats/chat-credential.ts";
import { chatCredentialObject } from "../../core/secrets/sealed-copy.ts";
import { openChatCredential } from "../secrets/open-copy.ts";
import type { Uses } from "../uses.ts";

/** The ports with which a call of any vendor is answered. */
export type ChatPorts = Uses<"objects" | "chatKeys" | "chats" | "functions" | "nowMs">;

/** Loads what the service needs of the resource of a chat application, or a sentence part about the reason for which it cannot be used. */
export async function loadChatCredential(
  deps: Uses<"objects" | "chatKeys" | "nowMs">,
  { workspace, path }: { workspace: string; path: string },
): Promise<ChatCredential | string> {
  const stored = await deps.objects.get(chatCredentialObject.key(workspace, path));
  if (!stored) return `there is no resource of a chat application at ${path}, or it was last saved by an earlier release: save it again`;
  const copy = chatCredentialObject.parse(stored);
  if ("fault" in copy) return `the resource ${path} cannot be used. ${copy.fault}`;
  return (await openChatCredential(deps, { workspace, path }, stored)) ?? `the resource ${path} cannot be used`;
}
