import { shortenText } from "../../notifications/event.ts";
import type { ChatActions, ChatContent } from "../chat-content.ts";
import { type DialogState, rejectDialog, slackButtons } from "./slack-call.ts";

/** Limits of Block Kit, in characters: https://docs.slack.dev/reference/block-kit */
const SECTION_CHARS = 3000;
/** A label of this length fits after its characters are escaped, unless most of them are. */
const BUTTON_CHARS = 60;

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

const button = (label: string, action: string, more: Readonly<Record<string, string>>) => ({
  type: "button",
  text: { type: "plain_text", text: escapeText(shortenText(label, BUTTON_CHARS)), emoji: false },
  action_id: action,
  ...more,
});

/** Renders the content of a message. */
export function toSlackMessage({ title, paragraphs, actions }: ChatContent): SlackMessage {
  return {
    text: escapeText(title),
    blocks: [...paragraphs.map(paragraph), ...(actions ? [{ type: "actions", elements: toButtons(actions) }] : [])],
  };
}

const toButtons = ({ reference: value, approve, reject, page }: ChatActions) => [
  button(approve, slackButtons.approve, { value, style: "primary" }),
  ...(reject === undefined ? [] : [button(reject, slackButtons.reject, { value, style: "danger" })]),
  button("Open page", slackButtons.open, { url: page }),
];

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
