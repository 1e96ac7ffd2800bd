import { shortenText } from "../../notifications/event.ts";

/** The characters with which Markdown, mentions, channels, times, emoji and links of Discord begin or end: https://docs.discord.com/developers/reference#message-formatting */
const PUNCTUATION = /[!-/:-@[-`{-~]/g;

/** Escapes a text of users, so that Discord shows it as it is. */
export const escapeMarkdown = (text: string): string => text.replace(PUNCTUATION, "\\$&");

/** Reverses `escapeMarkdown`. */
export const unescapeMarkdown = (text: string): string => text.replace(/\\([!-/:-@[-`{-~])/g, "$1");

/** Escapes a text and keeps it within a limit. A text that is too long is shortened before it is escaped, so that no escape is cut. */
export function escapeWithin(text: string, most: number): string {
  const escaped = escapeMarkdown(text);
  // Each character becomes at most two.
  return escaped.length <= most ? escaped : escapeMarkdown(shortenText(text, Math.floor(most / 2)));
}

/** An address that the service itself has written. Its characters cannot end a link and begin one under another name. */
const ADDRESS = /(https?:\/\/[\w.~:/?#&=%+-]+)/;

/** Escapes a sentence of the service, which can contain names of users. Addresses in it remain links under their own name. */
export const escapeSentence = (text: string): string =>
  text
    .split(ADDRESS)
    .map((part, index) => (index % 2 === 1 ? part : escapeMarkdown(part)))
    .join("");
