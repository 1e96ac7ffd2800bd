import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { Payload } from "../../contract/payload.ts";
import type { ChatCredential } from "../../core/chats/chat-credential.ts";
import { parseSlackCall, rejectDialog, type SlackCall, type SlackUser } from "../../core/chats/slack/slack-call.ts";
import { buildDecidedMessage, buildRejectDialog } from "../../core/chats/slack/slack-message.ts";
import { parseCredential } from "../../core/http-routes/authentication/credential.ts";
import { verifySignature } from "../../core/http-routes/authentication/signature.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import { type ChatPorts, loadChatCredential } from "./load-credential.ts";

type SlackCredential = Extract<ChatCredential, { type: "slack" }>;

/** A call of Slack, which is not verified yet. `path`: the path of the resource whose address Slack called. */
interface ReceivedCall {
  workspace: string;
  path: string;
  headers: Payload["headers"];
  readPayload: () => Promise<Payload>;
}

/**
 * Answers a call of Slack and returns the JSON of the reply. The signature over the bytes is checked before anything is parsed. Throws
 * `chat.noResource`, `chat.signature` and `body.tooLarge`.
 */
export async function answerSlackCall(deps: ChatPorts, call: ReceivedCall): Promise<object> {
  const { workspace, path, headers } = call;
  const credential = await loadChatCredential(deps, { workspace, path });
  if (typeof credential === "string" || credential.type !== "slack") throw new SvcError("chat.noResource", {});
  const { bytes } = await call.readPayload();
  if (bytes.length > limits.chatCallBytes) throw new SvcError("body.tooLarge", { limitBytes: limits.chatCallBytes, what: "body" });
  const verified = await verifySignature(toSignature(credential), { headers, readBytes: async () => bytes }, deps.nowMs());
  if (verified.outcome === "answered") return { challenge: verified.body };
  if (verified.outcome !== "admitted") {
    // The caller learns no reason.
    reportFailure("A call of Slack was refused", new Error(verified.outcome === "refused" ? verified.reason : verified.outcome), {
      workspace,
    });
    throw new SvcError("chat.signature", {});
  }
  const slackCall = parseSlackCall(bytes.toString("utf8"));
  return slackCall ? handleCall(deps, { workspace, path }, credential, slackCall) : {};
}

function toSignature({ signing_secret: secret }: SlackCredential) {
  const signature = parseCredential("signature_auth", { preset: "slack", secret });
  if (typeof signature === "string" || signature.type !== "signature_auth") throw new SvcError("chat.noResource", {});
  return signature;
}

async function handleCall(
  deps: ChatPorts,
  resource: { workspace: string; path: string },
  credential: SlackCredential,
  call: SlackCall,
): Promise<object> {
  const { reference, channel, ts } = call;
  if (call.kind === "click" && call.button === "reject") {
    const opened = await deps.slack.openDialog(credential, call.trigger, buildRejectDialog({ reference, channel, ts }));
    if (!opened.ok) await tellPerson(deps, credential, call, `The dialog did not open, because ${opened.error}.`);
    return {};
  }
  const user = await identify(deps, credential, call.user);
  const answer = await deps.functions.requestDecision({
    kind: "chatDecision",
    workspace: resource.workspace,
    resource: resource.path,
    reference,
    channel,
    ts,
    user,
    approved: call.kind === "click",
    ...(call.kind === "submission" && call.reason.trim() !== "" ? { reason: call.reason } : {}),
  });
  const { correction, needsReason, text } = answer;
  if (call.kind === "submission" && needsReason) return { response_action: "errors", errors: { [rejectDialog.block]: text } };
  if (correction) await deps.slack.updateMessage(credential, { channel, ts }, buildDecidedMessage(correction.notice, correction.decision));
  if (answer.outcome === "refused") await tellPerson(deps, credential, call, text);
  return call.kind === "submission" ? { response_action: "clear" } : {};
}

/** Returns the person with their address, if the resource trusts the confirmed addresses of the team. Guests, strangers and bots have none. */
async function identify(deps: ChatPorts, credential: SlackCredential, user: SlackUser) {
  const person = { vendor: "slack" as const, ...user };
  if (credential.trust_email !== true) return person;
  const found = await deps.slack.findPerson(credential, user.id);
  if (!found.ok) return person;
  const { email, isOutsider, team } = found.value;
  return email === undefined || isOutsider || team !== user.team ? person : { ...person, email };
}

async function tellPerson(
  { slack }: ChatPorts,
  credential: SlackCredential,
  { channel, user }: Pick<SlackCall, "channel" | "user">,
  text: string,
): Promise<void> {
  const answer = await slack.tell(credential, { channel, user: user.id }, text);
  if (!answer.ok) reportFailure("A person in a chat was not told about a refusal", new Error(answer.error), {});
}
