import type { TeamsPost } from "../../../core/chats/teams/teams-post.ts";
import { type Attempt, refusedAttempt, sentAttempt } from "../../../core/deliveries/attempt.ts";
import type { Uses } from "../../uses.ts";
import { loadChatCredential } from "../load-credential.ts";
import { attemptSoon } from "../post-message.ts";

/** Sends a text and a card for function `approve`, whose caller waits for the answer. */
export async function sendTeamsPost(
  deps: Uses<"objects" | "chatKeys" | "teams" | "nowMs">,
  { workspace, resource, conversation, server, text, card }: TeamsPost,
): Promise<Attempt> {
  const credential = await loadChatCredential(deps, { workspace, path: resource });
  if (typeof credential === "string") return refusedAttempt(credential);
  if (credential.type !== "ms_teams_bot") return refusedAttempt(`the resource ${resource} is no bot in Teams`);
  return attemptSoon(async () => {
    const answer = await deps.teams.send(credential, { server, conversation }, { text, card });
    return answer.ok ? sentAttempt : answer;
  });
}
