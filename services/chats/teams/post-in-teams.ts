import { defined } from "../../../contract/defined.ts";
import { isSvcError, SvcError } from "../../../contract/errors.ts";
import { findCardFault } from "../../../core/chats/teams/foreign-card.ts";
import { approvalPageUrl } from "../../../core/notifications/event.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { findApprovalRequest } from "../../approvals/gates/find-approval-request.ts";
import type { Uses } from "../../uses.ts";
import { listWorkspaces } from "../../workspaces/workspaces.ts";
import { findTeamsConversation, type TeamsPlace } from "./find-place.ts";

interface SentText {
  conversation: string;
  text: string;
  card?: Record<string, unknown> | undefined;
  success?: boolean | undefined;
}

/**
 * Posts a text and a card into a conversation of a bot whose resource the caller may read. For the job of a step that requests approval, the address of the approval page follows.
 * `loadActor` returns the caller with the rights in a workspace. Throws `chat.noConversation` and `chat.notPosted`.
 */
export async function postInTeams(
  deps: Uses<"objects" | "jobs" | "gatedFlows" | "functions" | "baseUrl">,
  caller: { actor: Actor; loadActor: (workspace: string) => Promise<Actor> },
  { conversation, text, card, success }: SentText,
): Promise<void> {
  const fault = card && findCardFault(card);
  if (fault !== undefined) throw new SvcError("chat.notPosted", { reason: fault });
  const { workspace, place } = await findPlace(deps, caller, conversation);
  const page = await findPage(deps, caller.actor);
  const mark = success === undefined ? "" : success ? "✅ " : "❌ ";
  const attempt = await deps.functions.postInTeams({
    kind: "teamsPost",
    workspace,
    ...place,
    text: `${mark}${text}${page === undefined ? "" : `\n\nDecide on the approval page: ${page}`}`,
    ...defined({ card }),
  });
  if (!attempt.ok) throw new SvcError("chat.notPosted", { reason: attempt.error });
}

/** A job and a limited token have one workspace. For others, the first workspace counts whose bot is in the conversation. */
async function findPlace(
  deps: Uses<"objects">,
  { actor, loadActor }: { actor: Actor; loadActor: (workspace: string) => Promise<Actor> },
  conversation: string,
): Promise<{ workspace: string; place: TeamsPlace }> {
  const workspaces = actor.workspace === undefined ? (await listWorkspaces(deps, actor)).map(({ id }) => id) : [actor.workspace];
  for (const workspace of workspaces) {
    try {
      return { workspace, place: await findTeamsConversation(deps, await loadActor(workspace), { workspace, conversation }) };
    } catch (error) {
      if (!isSvcError(error) || error.code !== "chat.noConversation") throw error;
    }
  }
  throw new SvcError("chat.noConversation", {});
}

/** Returns the address of the approval page of the step whose job calls, or `undefined` if the step requests no approval. */
async function findPage(deps: Uses<"jobs" | "gatedFlows" | "baseUrl">, actor: Actor): Promise<string | undefined> {
  if (actor.kind !== "job") return undefined;
  const { workspace, jobId } = actor;
  try {
    const { gate } = await findApprovalRequest(deps, workspace, jobId);
    return approvalPageUrl(deps.baseUrl, { workspace, gate: gate.id });
  } catch (error) {
    if (!isSvcError(error) || !["approval.link", "approval.none", "approval.over"].includes(error.code)) throw error;
    return undefined;
  }
}
