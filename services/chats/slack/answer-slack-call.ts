import { defined } from "../../../contract/defined.ts";
import { SvcError } from "../../../contract/errors.ts";
import { assertNever } from "../../../contract/utilities/assert-never.ts";
import { identifyChatApp } from "../../../core/chats/chat-account.ts";
import type { ChatDecision, ChatUser } from "../../../core/chats/chat-call.ts";
import type { ChatForm } from "../../../core/chats/form/chat-form.ts";
import { buildFormDialog, buildSuggestions } from "../../../core/chats/slack/form/build-form-dialog.ts";
import { parseSlackCall, rejectDialog, type SlackCall, type SlackUser } from "../../../core/chats/slack/slack-call.ts";
import { buildRejectDialog, type SlackBlock } from "../../../core/chats/slack/slack-message.ts";
import { parseCredential } from "../../../core/http-routes/authentication/credential.ts";
import { verifySignature } from "../../../core/http-routes/authentication/signature.ts";
import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import type { SlackCredential } from "../../../ports/chats.ts";
import type { Uses } from "../../uses.ts";
import type { ChatPorts } from "../load-credential.ts";
import { loadUploads } from "../load-uploads.ts";
import { openCall, type ReceivedCall, refuseCall } from "../received-call.ts";
import { requestDecision } from "../request-decision.ts";

type SlackPorts = ChatPorts & Uses<"slack">;
type SlackClick = Extract<SlackCall, { kind: "click" }>;

/**
 * Answers a call of Slack and returns the JSON of the reply. The signature over the bytes is checked before anything is parsed. Throws
 * `chat.noResource`, `chat.signature` and `body.tooLarge`.
 */
export async function answerSlackCall(deps: SlackPorts, call: ReceivedCall): Promise<object> {
  const { workspace, path, headers } = call;
  const { credential, bytes } = await openCall(deps, call, "slack");
  const verified = await verifySignature(toSignature(credential), { headers, readBytes: async () => bytes }, deps.nowMs());
  if (verified.outcome === "answered") return { challenge: verified.body };
  if (verified.outcome !== "admitted")
    throw refuseCall("Slack", workspace, new Error(verified.outcome === "refused" ? verified.reason : verified.outcome));
  const slackCall = parseSlackCall(bytes.toString("utf8"));
  return slackCall ? handleCall(deps, { workspace, path }, credential, slackCall) : {};
}

function toSignature({ signing_secret: secret }: SlackCredential) {
  const signature = parseCredential("signature_auth", { preset: "slack", secret });
  if (typeof signature === "string" || signature.type !== "signature_auth") throw new SvcError("chat.noResource", {});
  return signature;
}

interface Resource {
  workspace: string;
  path: string;
}

async function handleCall(deps: SlackPorts, resource: Resource, credential: SlackCredential, call: SlackCall): Promise<object> {
  switch (call.kind) {
    case "click":
      return call.button === "approve"
        ? decide(deps, resource, credential, call, { approved: true })
        : openDialog(deps, credential, call, buildRejectDialog(toMessage(call)));
    case "rejection":
      return decide(deps, resource, credential, call, { approved: false, reason: call.reason });
    case "form": {
      const files = await loadUploads(call.files, ({ url, bytes }) => deps.slack.downloadFile(credential, url, bytes));
      if ("errors" in files) return { response_action: "errors", errors: files.errors };
      return decide(deps, resource, credential, call, { approved: true, inputs: { ...call.inputs, ...files.inputs } });
    }
    case "typing": {
      const answer = await deps.functions.requestDecision({ kind: "chatForm", ...(await toUse(deps, resource, credential, call)) });
      const fields = answer.outcome === "form" ? answer.form.fields : [];
      return buildSuggestions(
        fields.find(({ id }) => id === call.field),
        call.query,
      );
    }
    default:
      return assertNever(call);
  }
}

const toMessage = ({ reference, channel, ts }: SlackCall) => ({ reference, channel, ts });

/** Returns the fields of a call of function `approve`. */
const toUse = async (deps: SlackPorts, { workspace, path }: Resource, credential: SlackCredential, call: SlackCall) => ({
  workspace,
  resource: path,
  ...toMessage(call),
  user: await identify(deps, credential, call.user),
});

type Decision = Pick<ChatDecision, "approved" | "reason" | "inputs">;

/** Asks function `approve` to decide. It returns the form of a step that has one, which this opens; the submission decides. */
async function decide(
  deps: SlackPorts,
  resource: Resource,
  credential: SlackCredential,
  call: Exclude<SlackCall, { kind: "typing" }>,
  decision: Decision,
): Promise<object> {
  const use = await toUse(deps, resource, credential, call);
  const answer = await requestDecision(deps, credential, use, decision);
  if (answer.outcome === "form") return call.kind === "click" ? openForm(deps, credential, call, answer.form) : {};
  if (answer.outcome === "refused") {
    const { needsReason, fieldErrors, text } = answer;
    const errors = fieldErrors ?? (needsReason ? { [rejectDialog.block]: text } : undefined);
    if (errors && call.kind !== "click") return { response_action: "errors", errors };
    await tellPerson(deps, credential, call, text);
  }
  return call.kind === "click" ? {} : { response_action: "clear" };
}

async function openForm(deps: SlackPorts, credential: SlackCredential, call: SlackClick, form: ChatForm): Promise<object> {
  const dialog = buildFormDialog(form, toMessage(call));
  const advice = `Decide on the approval page: ${form.page}`;
  if (typeof dialog !== "string") return openDialog(deps, credential, call, dialog, advice);
  await tellPerson(deps, credential, call, `The form does not fit into Slack, because ${dialog}. ${advice}`);
  return {};
}

async function openDialog(
  deps: SlackPorts,
  credential: SlackCredential,
  call: SlackClick,
  dialog: SlackBlock,
  advice = "",
): Promise<object> {
  const opened = await deps.slack.openDialog(credential, call.trigger, dialog);
  if (!opened.ok) await tellPerson(deps, credential, call, `The dialog did not open, because ${opened.error}. ${advice}`.trim());
  return {};
}

/** Returns the person with the facts that Slack returns. A person without facts is not a member of the team. */
async function identify(deps: SlackPorts, credential: SlackCredential, user: SlackUser): Promise<ChatUser> {
  const person = { vendor: "slack" as const, ...user, app: identifyChatApp(credential), isMember: false };
  const found = await deps.slack.findPerson(credential, user.id);
  if (!found.ok || found.value.isOutsider || found.value.team !== user.team) return person;
  const { email: address } = found.value;
  return { ...person, isMember: true, ...defined({ address, email: credential.trust_email === true ? address : undefined }) };
}

async function tellPerson(
  { slack }: SlackPorts,
  credential: SlackCredential,
  { channel, user }: Pick<SlackCall, "channel" | "user">,
  text: string,
): Promise<void> {
  const answer = await slack.tell(credential, { channel, user: user.id }, text);
  if (!answer.ok) reportFailure("A person in a chat was not told about a refusal", new Error(answer.error), {});
}
