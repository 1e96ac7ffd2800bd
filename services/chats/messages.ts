import { limits } from "../../contract/limits.ts";
import { type ChatMessage, chatMessageSchema } from "../../core/chats/chat-message.ts";
import { childPrefix, childRef } from "../../core/jobs/lists/child-items.ts";
import type { Job } from "../../core/jobs/record/job.ts";
import { parseReadable, recordFormat } from "../../core/records/record-format.ts";
import type { Uses } from "../uses.ts";

const messageFormat = recordFormat({ schema: chatMessageSchema, version: 1 });
const toRef = ({ gate, id }: Pick<ChatMessage, "gate" | "id">) => childRef("chatMessage", `${gate}#${id}`);

/** The versions of a record: a posted message, and one whose content is complete since the step has ended. */
const POSTED = 1;
const COMPLETED = 2;

/** The record of a message expires with the data of its flow. */
const toChild = (message: ChatMessage, version: number, { expiresAtMs }: Pick<Job, "expiresAtMs">) => ({
  parent: message.flow,
  ref: toRef(message),
  json: messageFormat.toJson(message),
  version,
  expiresAtS: Math.ceil(expiresAtMs / 1000),
});

/** Stores a posted message. A repeated call stores nothing. */
export async function storeChatMessage({ jobs }: Uses<"jobs">, message: ChatMessage, flow: Pick<Job, "expiresAtMs">): Promise<void> {
  await jobs.putChildIf(toChild(message, POSTED, flow), "absent");
}

/** Stores the complete content of a message. A repeated call stores nothing. */
export async function completeChatMessage({ jobs }: Uses<"jobs">, message: ChatMessage, flow: Pick<Job, "expiresAtMs">): Promise<void> {
  await jobs.putChildIf(toChild(message, COMPLETED, flow), POSTED);
}

/** Lists the messages that ask for a decision of a gate. */
export async function listChatMessages({ jobs }: Uses<"jobs">, { flow, gate }: Pick<ChatMessage, "flow" | "gate">): Promise<ChatMessage[]> {
  const found = await jobs.listChildren(flow, childRef("chatMessage", `${gate}#`), limits.chatMessages);
  return parseReadable(found, messageFormat.parse).map(([, message]) => message);
}

/** Lists the gates of a flow for whose decision messages ask. */
export async function listGatesInChats({ jobs }: Uses<"jobs">, flow: string): Promise<string[]> {
  const found = parseReadable(await jobs.listChildren(flow, childPrefix.chatMessage), messageFormat.parse);
  return [...new Set(found.map(([, { gate }]) => gate))];
}

/** Returns a message by its place, or `undefined`. */
export async function findChatMessage(
  { jobs }: Uses<"jobs">,
  place: Pick<ChatMessage, "flow" | "gate" | "id">,
): Promise<ChatMessage | undefined> {
  const child = await jobs.getChild(place.flow, toRef(place));
  return child && messageFormat.parse(child);
}
