import { defined } from "../../../contract/defined.ts";
import { shortenText } from "../../notifications/event.ts";
import { toName } from "../../notifications/text.ts";
import type { ChatContent } from "../chat-content.ts";
import { toCustomId } from "./custom-id.ts";
import { escapeWithin } from "./escape-markdown.ts";

/** Limits of messages, in characters: https://docs.discord.com/developers/components/reference */
const MESSAGE_CHARS = 4000;
const BUTTON_CHARS = 80;

/** Numbers of https://docs.discord.com/developers/components/reference#component-object-component-types */
export const componentTypes = {
  row: 1,
  button: 2,
  select: 3,
  textInput: 4,
  text: 10,
  label: 18,
  file: 19,
  radioGroup: 21,
  checkboxGroup: 22,
  checkbox: 23,
} as const;

const buttonStyles = { neutral: 2, approve: 3, reject: 4, link: 5 } as const;

/** The flag of a message that consists of components. Unlike embeds, these need no further permission of the bot. */
const COMPONENTS_V2 = 1 << 15;
const ONLY_FOR_THE_PERSON = 1 << 6;

export type DiscordComponent = Readonly<Record<string, unknown>> & { readonly type: number };

/** The content of a message. Discord notifies no person because of its texts. */
export interface DiscordMessage {
  flags: number;
  components: DiscordComponent[];
  allowed_mentions: { parse: [] };
}

/** Builds a message. `isPrivate`: only the person who clicked sees it. */
export const toMessage = (components: DiscordComponent[], isPrivate = false): DiscordMessage => ({
  flags: isPrivate ? COMPONENTS_V2 | ONLY_FOR_THE_PERSON : COMPONENTS_V2,
  components,
  allowed_mentions: { parse: [] },
});

/** A paragraph of a text that is escaped. `id`: by which a later call finds it. */
export const toText = (content: string, id?: number): DiscordComponent => ({
  type: componentTypes.text,
  content,
  ...defined({ id }),
});

/** Builds a row with one button, for a message to one person. */
export const toButtonRow = (label: string, customId: string): DiscordComponent => toRow([toButton(label, "neutral", customId)]);

const toRow = (components: DiscordComponent[]): DiscordComponent => ({ type: componentTypes.row, components });

const toButton = (label: string, style: "neutral" | "approve" | "reject", customId: string): DiscordComponent => ({
  type: componentTypes.button,
  style: buttonStyles[style],
  label: shortenLabel(label, BUTTON_CHARS),
  custom_id: customId,
});

/** Shortens a text that Discord shows as it is. An emoji counts as several characters. */
export function shortenLabel(text: string, most: number): string {
  const shortened = shortenText(text, most);
  return shortened.length <= most ? shortened : shortenText(text, Math.floor(most / 2));
}

/** Renders a message that asks for a decision, reminds of it, or shows it. */
export function toDiscordMessage({ paragraphs, actions }: ChatContent): DiscordMessage {
  const texts = escapeParagraphs(paragraphs.filter((text) => text.trim() !== "")).map((text) => toText(text));
  if (!actions) return toMessage(texts);
  const { reference, approve, reject, page } = actions;
  const buttons = [
    toButton(toName(approve) || "Approve", "approve", toCustomId("approve", reference)),
    ...(reject === undefined ? [] : [toButton(toName(reject) || "Reject", "reject", toCustomId("reject", reference))]),
    { type: componentTypes.button, style: buttonStyles.link, label: "Open page", url: page },
  ];
  return toMessage([...texts, toRow(buttons)]);
}

/** Escapes the paragraphs of a message, which together have a limit. Only the longest ones become shorter. */
function escapeParagraphs(paragraphs: readonly string[]): string[] {
  let most = MESSAGE_CHARS;
  for (;;) {
    const escaped = paragraphs.map((text) => escapeWithin(text, most));
    if (escaped.join("").length <= MESSAGE_CHARS) return escaped;
    most = Math.floor(most * 0.8);
  }
}
