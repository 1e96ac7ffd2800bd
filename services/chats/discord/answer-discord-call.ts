import { assertNever } from "../../../contract/utilities/assert-never.ts";
import { identifyChatApp } from "../../../core/chats/chat-account.ts";
import type { ChatDecision, ChatRefusal, ChatUse } from "../../../core/chats/chat-call.ts";
import { buildDecidedContent } from "../../../core/chats/chat-content.ts";
import { toCustomId } from "../../../core/chats/discord/custom-id.ts";
import { type DiscordCall, parseDiscordCall } from "../../../core/chats/discord/discord-call.ts";
import { toButtonRow, toText } from "../../../core/chats/discord/discord-message.ts";
import {
  acknowledgement,
  changeMessage,
  type DiscordReply,
  openModal,
  pong,
  showPrivately,
  tell,
} from "../../../core/chats/discord/discord-reply.ts";
import { escapeSentence } from "../../../core/chats/discord/escape-markdown.ts";
import { buildFormModal, buildReasonModal } from "../../../core/chats/discord/form/build-modal.ts";
import { buildFaults } from "../../../core/chats/discord/form/faults.ts";
import { findCallFault } from "../../../core/chats/discord/verify-call.ts";
import type { ChatForm } from "../../../core/chats/form/chat-form.ts";
import type { FieldErrors } from "../../../core/chats/form/read-values.ts";
import type { DiscordCredential } from "../../../ports/chats.ts";
import type { Uses } from "../../uses.ts";
import type { ChatPorts } from "../load-credential.ts";
import { loadUploads } from "../load-uploads.ts";
import { openCall, type ReceivedCall, refuseCall } from "../received-call.ts";

type DiscordPorts = Omit<ChatPorts, "chats"> & Uses<"discord">;

/** The use of a message by a person, and the credential of the resource. */
interface Interaction {
  credential: DiscordCredential;
  use: ChatUse;
}

/**
 * Answers a call of Discord and returns the JSON of the reply. The signature over the bytes is checked before anything is parsed. The reply alone shows the person
 * something, so that nothing else has to happen within the three seconds of a click. Throws `chat.noResource`, `chat.signature` and `body.tooLarge`.
 */
export async function answerDiscordCall(deps: DiscordPorts, received: ReceivedCall): Promise<DiscordReply> {
  const { workspace, path, headers } = received;
  const { credential, bytes } = await openCall(deps, received, "discord");
  const fault = await findCallFault(credential.public_key, { headers, bytes }, deps.nowMs());
  const body = fault === undefined ? parseDiscordCall(bytes.toString("utf8")) : undefined;
  if (!body || body.application !== credential.application_id)
    throw refuseCall("Discord", workspace, new Error(fault ?? "otherApplication"));
  if (body.isPing) return pong;
  const { call } = body;
  if (!call) return tell("This message does not belong to an approval any more.");
  return handleCall(deps, { credential, use: toUse({ workspace, path }, credential, call) }, call);
}

/**
 * Returns the fields of a call of function `approve`. The id of a person is the same in every server and in direct messages. The app is identified by its public
 * key, because every creator of a resource can choose a key and sign calls in the name of every person.
 */
function toUse(
  { workspace, path: resource }: { workspace: string; path: string },
  credential: DiscordCredential,
  { reference, channel, ts, user }: DiscordCall,
): ChatUse {
  const person = { vendor: "discord" as const, team: "discord", app: identifyChatApp(credential) };
  return { workspace, resource, reference, channel, ts, user: { ...person, ...user } };
}

async function handleCall(deps: DiscordPorts, interaction: Interaction, call: DiscordCall): Promise<DiscordReply> {
  switch (call.kind) {
    case "click":
      return call.button === "approve" ? decide(deps, interaction, call, { approved: true }) : openModal(buildReasonModal(call.reference));
    case "again":
      return decide(deps, interaction, call, { approved: true });
    case "rejection":
      return decide(deps, interaction, call, { approved: false, reason: call.reason });
    case "form": {
      const files = await loadUploads(call.files, ({ url, bytes }) => deps.discord.downloadFile(interaction.credential, url, bytes));
      if ("errors" in files) return showFaults(deps, interaction, call, files.errors);
      return decide(deps, interaction, call, { approved: true, inputs: { ...call.inputs, ...files.inputs } });
    }
    default:
      return assertNever(call);
  }
}

/** Asks function `approve` to decide. It returns the form of a step that has one, which this opens; the submission decides. */
async function decide(
  deps: DiscordPorts,
  interaction: Interaction,
  call: DiscordCall,
  decision: Pick<ChatDecision, "approved" | "reason" | "inputs">,
): Promise<DiscordReply> {
  const answer = await deps.functions.requestDecision({ kind: "chatDecision", ...interaction.use, ...decision });
  switch (answer.outcome) {
    case "counted":
      // The notice of the decision changes the message.
      return call.isAnswer ? tell(answer.text, true) : acknowledgement;
    case "form":
      return openForm(answer.form, call);
    case "refused":
      return explain(deps, interaction, call, answer);
    default:
      return assertNever(answer);
  }
}

function openForm(form: ChatForm, call: DiscordCall): DiscordReply {
  const modal = buildFormModal(form, call.reference, call.kind === "again" ? call.entries : {});
  if (typeof modal !== "string") return openModal(modal);
  return tell(`The form does not fit into Discord, because ${modal}. Decide on the approval page: ${form.page}`, call.isAnswer);
}

async function explain(
  deps: DiscordPorts,
  interaction: Interaction,
  call: DiscordCall,
  { text, fieldErrors, needsReason, correction }: ChatRefusal,
): Promise<DiscordReply> {
  if (fieldErrors && call.kind === "form") return showFaults(deps, interaction, call, fieldErrors);
  if (needsReason) {
    const button = toButtonRow("Enter a reason", toCustomId("reject", call.reference));
    return showPrivately([toText(escapeSentence(text)), button], call.isAnswer);
  }
  // The changed message shows the person who has decided.
  if (correction && !call.isAnswer) return changeMessage(buildDecidedContent(correction.notice, correction.decision));
  return tell(text, call.isAnswer);
}

/** Shows the faults of a submitted form, and a button that opens it again. Function `approve` knows the labels of the fields. */
async function showFaults(
  deps: DiscordPorts,
  { use }: Interaction,
  { inputs, reference, isAnswer }: Extract<DiscordCall, { kind: "form" }>,
  errors: FieldErrors,
): Promise<DiscordReply> {
  const answer = await deps.functions.requestDecision({ kind: "chatForm", ...use });
  if (answer.outcome !== "form") return tell(answer.text, isAnswer);
  return showPrivately(buildFaults(answer.form.fields, { errors, inputs }, reference), isAnswer);
}
