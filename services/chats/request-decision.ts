import type { ChatAnswer, ChatDecision, ChatUse } from "../../core/chats/chat-call.ts";
import { buildDecidedContent } from "../../core/chats/chat-content.ts";
import type { ChatCredential } from "../../core/chats/chat-credential.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import type { ChatPlace } from "../../ports/chats.ts";
import type { ChatPorts } from "./load-credential.ts";

/** A use of a message, and the place of the message in the chat. */
export type PlacedUse = ChatUse & Pick<ChatPlace, "server">;

/**
 * Asks function `approve` to decide. It returns the form of a step that has one; the submission of the form decides. A message that still shows an older state is
 * corrected here, because the notice of the decision was lost or has not arrived.
 */
export async function requestDecision(
  deps: ChatPorts,
  credential: ChatCredential,
  { server, ...use }: PlacedUse,
  decision: Pick<ChatDecision, "approved" | "reason" | "inputs">,
): Promise<ChatAnswer> {
  const answer = await deps.functions.requestDecision({ kind: "chatDecision", ...use, ...decision });
  if (answer.outcome !== "refused" || !answer.correction) return answer;
  const { notice, decision: made } = answer.correction;
  const { channel, ts } = use;
  const updated = await deps.chats.update(credential, { channel, ts, server }, buildDecidedContent(notice, made));
  if (!updated.ok) reportFailure("A message in a chat was not corrected", new Error(updated.error), { workspace: use.workspace });
  return answer;
}
