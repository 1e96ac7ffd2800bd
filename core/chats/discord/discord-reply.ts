import type { ChatContent } from "../chat-content.ts";
import { type DiscordComponent, toDiscordMessage, toMessage, toText } from "./discord-message.ts";
import { escapeSentence } from "./escape-markdown.ts";

/** The reply to an interaction: https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object */
export interface DiscordReply {
  type: number;
  data?: object;
}

/** The reply to the check of the address. */
export const pong: DiscordReply = { type: 1 };
/** Acknowledges an interaction. Its message remains as it is. */
export const acknowledgement: DiscordReply = { type: 6 };

/** Shows components to the person alone. `replaces`: in the place of the private message that they used. */
export const showPrivately = (components: DiscordComponent[], replaces = false): DiscordReply => ({
  type: replaces ? 7 : 4,
  data: toMessage(components, !replaces),
});

/** Shows a sentence of the service to the person alone. */
export const tell = (sentence: string, replaces = false): DiscordReply => showPrivately([toText(escapeSentence(sentence))], replaces);

/** Changes the message that the person used. */
export const changeMessage = (content: ChatContent): DiscordReply => ({ type: 7, data: toDiscordMessage(content) });

export const openModal = (modal: object): DiscordReply => ({ type: 9, data: modal });
