import { limits } from "../../../contract/limits.ts";
import { UNNAMED_APPROVER } from "../../approvals/gate.ts";
import { approvalPageUrl, shortenText } from "../../notifications/event.ts";
import type { GateNotice } from "../../notifications/notice.ts";
import { beginnings, formatTime, toName, toSafeText } from "../../notifications/text.ts";
import { RUN_OVER, type ShownDecision } from "../chat-call.ts";
import type { ChatButtons } from "../chat-message.ts";
import { type DialogState, rejectDialog, slackButtons } from "./slack-call.ts";

/** Limits of Block Kit, in characters: https://docs.slack.dev/reference/block-kit */
const SECTION_CHARS = 3000;
/** A label of this length fits after its characters are escaped, unless most of them are. */
const BUTTON_CHARS = 60;
const MOST_INPUTS = 20;
const MOST_PEOPLE = 10;

/** The content of a message: `text` is for notifications and screen readers. */
export interface SlackMessage {
  text: string;
  blocks: SlackBlock[];
}
export type SlackBlock = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * Escapes a text of users. Slack reads `<…>` as a mention or as a link under another name, also in texts that it shows as they are
 * (https://docs.slack.dev/messaging/formatting-message-text#escaping).
 */
export const escapeText = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A paragraph that Slack shows as it is. It is shortened before it is escaped, so that no escape is cut. */
function paragraph(text: string): SlackBlock {
  const escaped = escapeText(shortenText(text, SECTION_CHARS));
  const fitting = escaped.length > SECTION_CHARS ? escapeText(shortenText(text, Math.floor(SECTION_CHARS / 5))) : escaped;
  return { type: "section", text: { type: "plain_text", text: fitting, emoji: false } };
}

function describeRequest({
  what,
  step,
  flowPath,
  flowSummary,
  requestedBy,
  workspace,
  required,
  people,
  deadlineMs,
  ...notice
}: GateNotice) {
  const title = `${beginnings[what]}: ${toName(step)} (${toName(flowPath ?? "a flow")})`;
  const shown = notice.message || notice.description;
  const inputs = (notice.inputs ?? []).slice(0, MOST_INPUTS).map(({ name, value }) => `${toName(name)}: ${toSafeText(value)}`);
  return {
    title,
    paragraphs: [
      title,
      [
        `${toName(requestedBy)} started the run in workspace ${workspace}.`,
        ...(flowSummary ? [`The flow: ${toName(flowSummary)}`] : []),
        ...(people.length > 0 ? [`Approvers: ${people.slice(0, MOST_PEOPLE).map(toName).join(", ")}.`] : []),
        ...(required > 1 ? [`It needs ${required} approvals.`] : []),
        ...(deadlineMs === undefined ? [] : [`The request expires at ${formatTime(deadlineMs)}.`]),
      ].join("\n"),
      ...(shown ? [shortenText(toSafeText(shown), limits.noticeTextChars)] : []),
      ...(inputs.length > 0 ? [inputs.join("\n")] : []),
    ],
  };
}

const button = (label: string, action: string, more: Readonly<Record<string, string>>) => ({
  type: "button",
  text: { type: "plain_text", text: escapeText(shortenText(toName(label), BUTTON_CHARS)), emoji: false },
  action_id: action,
  ...more,
});

/** Builds the message that asks for a decision. Its buttons contain a reference, and its link opens the page: no address in it decides. */
export function buildRequestMessage(
  baseUrl: string,
  notice: GateNotice,
  reference: string,
  { approve = "Approve", reject = "Reject", hidesReject }: ChatButtons,
  approvals?: GateNotice["approvals"],
): SlackMessage {
  const { title, paragraphs } = describeRequest(notice);
  const progress = approvals ? [describeApprovals(notice, approvals)] : [];
  const elements = [
    button(approve, slackButtons.approve, { value: reference, style: "primary" }),
    ...(hidesReject ? [] : [button(reject, slackButtons.reject, { value: reference, style: "danger" })]),
    button("Open page", slackButtons.open, { url: approvalPageUrl(baseUrl, notice) }),
  ];
  return { text: escapeText(title), blocks: [...[...paragraphs, ...progress].map(paragraph), { type: "actions", elements }] };
}

const describeApprovals = ({ required }: GateNotice, { count, by = UNNAMED_APPROVER }: NonNullable<GateNotice["approvals"]>) =>
  `${count} of ${required} approvals. The last one is by ${toName(by)}.`;

/** Builds the answer in the thread of a request that waits. */
export function buildReminder(notice: GateNotice): SlackMessage {
  const { title } = describeRequest(notice);
  const text = `${title}. The request above is waiting for a decision.`;
  return { text: escapeText(text), blocks: [paragraph(text)] };
}

/** Returns the outcome of a request as one sentence, with its reason on the next line. */
export function describeDecision({ how, by, reason, atMs }: ShownDecision): string {
  if (how === RUN_OVER) return "The run has ended without a decision.";
  const at = formatTime(atMs);
  if (how === "expired") return `No decision was made before ${at}.`;
  const who = by === undefined ? UNNAMED_APPROVER : toName(by);
  const verb = how === "approved" ? "Approved" : "Rejected";
  return `${verb} by ${who} at ${at}.${reason ? `\n${shortenText(toSafeText(reason), limits.noticeTextChars)}` : ""}`;
}

/** Builds the message of a decided request, without buttons. */
export function buildDecidedMessage(notice: GateNotice, decision: ShownDecision): SlackMessage {
  const { title, paragraphs } = describeRequest(notice);
  const outcome = describeDecision(decision);
  return { text: escapeText(`${title}. ${outcome}`), blocks: [...paragraphs, outcome].map(paragraph) };
}

/** Builds the dialog that asks for the reason of a rejection. Function `approve` knows whether the gate requires one. */
export function buildRejectDialog(state: DialogState): SlackBlock {
  const label = (text: string) => ({ type: "plain_text", text, emoji: false });
  return {
    type: "modal",
    callback_id: rejectDialog.callback,
    private_metadata: JSON.stringify(state),
    title: label("Reject"),
    submit: label("Reject"),
    close: label("Cancel"),
    blocks: [
      {
        type: "input",
        block_id: rejectDialog.block,
        optional: true,
        label: label("Reason"),
        element: { type: "plain_text_input", action_id: rejectDialog.action, multiline: true, max_length: 2000 },
      },
    ],
  };
}
