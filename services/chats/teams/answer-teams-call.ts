import { defined } from "../../../contract/defined.ts";
import { assertNever } from "../../../contract/utilities/assert-never.ts";
import { identifyChatApp } from "../../../core/chats/chat-account.ts";
import type { ChatAnswer, ChatUser } from "../../../core/chats/chat-call.ts";
import { buildDecidedContent } from "../../../core/chats/chat-content.ts";
import { parseTeamsCall, type TeamsClick } from "../../../core/chats/teams/teams-call.ts";
import { buildNoteCard, buildReasonCard, toTeamsCard } from "../../../core/chats/teams/teams-card.ts";
import { buildFormCard, type SubmittedForm } from "../../../core/chats/teams/teams-form.ts";
import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import type { TeamsCredential } from "../../../ports/chats.ts";
import type { Uses } from "../../uses.ts";
import type { ChatPorts } from "../load-credential.ts";
import { openCall, type ReceivedCall } from "../received-call.ts";
import { type PlacedUse, requestDecision } from "../request-decision.ts";
import { reportInstallation } from "./report-installation.ts";
import { verifyTeamsCall } from "./verify-teams-call.ts";

/** The ports with which a call of Teams is answered. */
export type TeamsPorts = ChatPorts & Uses<"teams" | "baseUrl">;

/** The answer to a click, which the person alone sees: a card in place of the message, or else the text. */
interface Shown {
  text: string;
  card?: object;
}

/**
 * Answers a call of Teams and returns the JSON of the reply. The token is checked before anything of the call is used. Throws `chat.noResource`,
 * `chat.signature`, `body.tooLarge` and `service.busy`.
 */
export async function answerTeamsCall(deps: TeamsPorts, call: ReceivedCall): Promise<object> {
  const { workspace, path, headers } = call;
  const { credential, bytes } = await openCall(deps, call, "ms_teams_bot");
  const activity = await verifyTeamsCall(deps, credential, { workspace, authorization: headers["authorization"], bytes });
  const teamsCall = parseTeamsCall(activity);
  if (!teamsCall) return {};
  const { serviceUrl: server } = activity;
  if (teamsCall.kind !== "click") {
    await reportInstallation(deps, credential, { workspace, resource: path, server }, teamsCall);
    return {};
  }
  const { reference, channel, ts } = teamsCall;
  const user = await identify(deps, credential, server, teamsCall);
  const shown = await answerClick(deps, credential, { workspace, resource: path, reference, channel, ts, server, user }, teamsCall);
  if (teamsCall.isInvoked) return toReply(shown);
  // An old client shows no answer, so the person gets the text in their chat with the bot.
  const answer = await deps.teams.tell(credential, { server, account: teamsCall.user.account }, shown.text);
  if (!answer.ok) reportFailure("A person in a chat was not told the answer", new Error(answer.error), { workspace });
  return {};
}

/** The reply to a universal action: https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/universal-actions-for-adaptive-cards/work-with-universal-actions-for-adaptive-cards */
const toReply = ({ text, card }: Shown) => ({
  statusCode: 200,
  ...(card
    ? { type: "application/vnd.microsoft.card.adaptive", value: card }
    : { type: "application/vnd.microsoft.activity.message", value: text }),
});

async function answerClick(deps: TeamsPorts, credential: TeamsCredential, use: PlacedUse, click: TeamsClick): Promise<Shown> {
  const { reference } = click;
  switch (click.verb) {
    case "ask":
    case "back": {
      const answer = await deps.functions.requestContent({ kind: "chatContent", ...use });
      if (answer.outcome !== "content") return show(deps, reference, answer);
      const { content } = answer;
      const text = content.actions ? `Decide on the approval page: ${content.actions.page}` : content.title;
      return { text, card: click.verb === "ask" && content.actions ? buildReasonCard(reference) : toTeamsCard(content) };
    }
    case "approve":
      return show(deps, reference, await requestDecision(deps, credential, use, { approved: true }));
    case "reject": {
      const answer = await requestDecision(deps, credential, use, { approved: false, reason: click.reason });
      const needsReason = answer.outcome === "refused" && answer.needsReason;
      return needsReason ? { text: answer.text, card: buildReasonCard(reference, answer.text) } : show(deps, reference, answer);
    }
    case "submit": {
      const { inputs } = click;
      const answer = await requestDecision(deps, credential, use, { approved: true, inputs });
      const errors = answer.outcome === "refused" ? answer.fieldErrors : undefined;
      if (!errors) return show(deps, reference, answer);
      const form = await deps.functions.requestDecision({ kind: "chatForm", ...use });
      return show(deps, reference, form, { inputs, errors });
    }
    default:
      return assertNever(click);
  }
}

/** Shows the answer of function `approve`. `submitted`: what the person has entered, and its faults. */
function show(deps: TeamsPorts, reference: string, answer: ChatAnswer, submitted?: SubmittedForm): Shown {
  switch (answer.outcome) {
    case "counted":
      return { text: answer.text, card: buildNoteCard(answer.text, { reference }) };
    case "form": {
      const { form } = answer;
      const card = buildFormCard(form, reference, submitted);
      const advice = `Decide on the approval page: ${form.page}`;
      if (typeof card !== "string") return { text: advice, card };
      const text = `The form does not fit into Teams, because ${card}. ${advice}`;
      return { text, card: buildNoteCard(text, { links: [form.page], reference }) };
    }
    case "refused": {
      const { text, correction } = answer;
      if (correction) return { text, card: toTeamsCard(buildDecidedContent(correction.notice, correction.decision)) };
      const links = (text.match(/https?:\/\/\S+/g) ?? []).filter((link) => link.startsWith(`${deps.baseUrl}/`));
      return links.length === 0 ? { text } : { text, card: buildNoteCard(text, { links, reference }) };
    }
    default:
      return assertNever(answer);
  }
}

/**
 * Returns the person with the facts that Teams returns. A person without facts is not a member of the tenant. The address is the sign-in name, because its domain belongs to the tenant;
 * an e-mail address in Entra can be any text.
 */
async function identify(
  deps: TeamsPorts,
  credential: TeamsCredential,
  server: string,
  { user, team, channel }: TeamsClick,
): Promise<ChatUser> {
  const { tenant_id: tenant } = credential;
  const id = user.id?.toLowerCase();
  const person = {
    vendor: "teams" as const,
    team: tenant,
    id: id ?? user.account,
    name: user.name,
    app: identifyChatApp(credential),
    account: user.account,
    isMember: false,
  };
  if (id === undefined) return person;
  const found = await deps.teams.findPerson(credential, { server, conversation: team ?? channel, account: user.account });
  if (!found.ok || !found.value.isUser || found.value.id?.toLowerCase() !== id || found.value.tenant?.toLowerCase() !== tenant)
    return person;
  const { principalName: address } = found.value;
  return { ...person, isMember: true, ...defined({ address, email: credential.trust_email === true ? address : undefined }) };
}
