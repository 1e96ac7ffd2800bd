import { discordFiles } from "../../aws/http/chats/discord-files.ts";
import { answerDiscordCall } from "../../services/chats/discord/answer-discord-call.ts";
import type { ReceivedCall } from "../../services/chats/received-call.ts";
import { deps } from "./deps.ts";

/** Answers a call of Discord. The function loads this code when Discord first calls it. */
export const answer = (call: ReceivedCall): Promise<object> => answerDiscordCall({ ...deps, discord: discordFiles }, call);
