import { defined } from "../../../contract/defined.ts";
import type { Attempt } from "../../deliveries/attempt.ts";

/** The advice about an error of the connector, by its code (https://learn.microsoft.com/microsoftteams/platform/bots/build-conversational-capability#status-codes-from-bot-conversational-apis). */
const advice: Readonly<Record<string, string>> = {
  BotNotInConversationRoster: "the bot is not installed there: add the app to the team or chat",
  ConversationBlockedByUser: "the person has blocked the bot",
  ForbiddenOperationException: "the bot is not installed for this person, or the administrators of the tenant do not allow the app",
  ConversationNotFound: "there is no such conversation: use the id of a channel or chat in which the bot is installed",
  ActivityNotFoundInConversation: "the message was deleted",
  MessageSizeTooBig: "the message is too large",
  BotDisabledByAdmin: "an administrator of the tenant has disabled the bot",
  invalid_client: "the app_password is wrong or has expired: create another secret and save it in the resource",
  unauthorized_client: "there is no app with this app_id in the tenant: compare app_id and tenant_id of the resource",
  invalid_request: "there is no such tenant: check the tenant_id of the resource",
};
const byStatus: Readonly<Record<number, string>> = {
  401: "the token of the bot is not valid: check the app_id, app_password and tenant_id of the resource",
  403: "the bot is not installed there, or may not do this: add the app to the team or chat",
  404: "the conversation or the message does not exist any more",
  413: "the message is too large",
};

type Failure = Extract<Attempt, { ok: false }>;

/** Statuses after which the same call may succeed. 401: the next attempt requests another token. */
const isTemporary = (status: number) => [401, 408, 412, 429].includes(status) || status >= 500;

/** Describes a reply of Teams that is an error: its code and what to do. The code is shortened, because a server of the resource chooses it. */
export function describeTeamsError(status: number, code: string | undefined, retryAfterMs: number | undefined): Failure {
  const shown = (code ?? "").replace(/[^\w.-]/g, "_").slice(0, 60) || `status ${status}`;
  const sentence = (Object.hasOwn(advice, shown) ? advice[shown] : undefined) ?? byStatus[status];
  if (status === 429) return { ok: false, final: false, error: "Teams asks to send less", ...defined({ retryAfterMs }) };
  const final = Object.hasOwn(advice, shown) || !isTemporary(status);
  return { ok: false, final, error: sentence === undefined ? `Teams answered ${shown}` : `Teams answered ${shown}: ${sentence}` };
}
