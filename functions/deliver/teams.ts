import { teams } from "../../aws/http/chats/teams.ts";
import type { TeamsPost } from "../../core/chats/teams/teams-post.ts";
import type { Attempt } from "../../core/deliveries/attempt.ts";
import { sendTeamsPost } from "../../services/chats/teams/send-post.ts";
import { deps } from "./deps.ts";

/** Posts a text and a card. The function loads this code for the first such call. */
export const send = (post: TeamsPost): Promise<Attempt> => sendTeamsPost({ ...deps, teams }, post);
