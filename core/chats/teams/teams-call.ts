import * as z from "zod";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import { assertNever } from "../../../contract/utilities/assert-never.ts";
import { buttonFields, REASON_INPUT, type TeamsVerb, teamsVerbs } from "./teams-card.ts";
import { readInputs, type TeamsInputs } from "./teams-form.ts";

const id = z.string().min(1).max(500);
const account = z.object({ id, name: z.string().nullish(), aadObjectId: z.string().max(100).nullish() });

/**
 * The parts of an activity of the Bot Framework that are used here, as Teams sends them
 * (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference#activity-object).
 */
export const activitySchema = z.object({
  type: z.string(),
  name: z.string().nullish(),
  action: z.string().nullish(),
  channelId: z.literal("msteams"),
  serviceUrl: z.url().max(1000),
  from: account,
  recipient: z.object({ id }),
  conversation: z.object({ id, name: z.string().nullish(), tenantId: z.string().nullish() }),
  replyToId: id.nullish(),
  value: z.unknown().optional(),
  membersAdded: z.array(z.object({ id })).nullish(),
  membersRemoved: z.array(z.object({ id })).nullish(),
  channelData: z
    .object({
      tenant: z.object({ id }).nullish(),
      team: z.object({ id, name: z.string().nullish() }).nullish(),
      eventType: z.string().nullish(),
    })
    .nullish(),
});
export type TeamsActivity = z.infer<typeof activitySchema>;

/** A person who uses a card. `account`: their id in the conversation. */
export interface TeamsUser {
  account: string;
  /** The id of the person in the tenant, if Teams names it. */
  id: string | undefined;
  name: string;
}

/** A team with its channels, or another conversation, in which the bot is installed. */
export type TeamsInstallation = { kind: "team" | "chat"; id: string; name: string };

/** A use of a card's button. `isInvoked`: the client shows the answer. Old clients show none. */
export type TeamsClick = {
  reference: string;
  channel: string;
  ts: string;
  team: string | undefined;
  user: TeamsUser;
  isInvoked: boolean;
} & ({ verb: Exclude<TeamsVerb, "reject" | "submit"> } | { verb: "reject"; reason: string } | { verb: "submit"; inputs: TeamsInputs });

/** A call of Teams that concerns this service. */
export type TeamsCall =
  | ({ kind: "click" } & TeamsClick)
  /** The bot was installed or removed, or the channels of its team have changed. */
  | { kind: "installed" | "removed"; where: TeamsInstallation };

/** Returns what an activity asks for; `undefined` for one that needs no answer, such as a message to the bot. */
export function parseTeamsCall(activity: TeamsActivity): TeamsCall | undefined {
  switch (activity.type) {
    case "invoke":
      return activity.name === "adaptiveCard/action" ? toClick(activity, actionDataOf(activity.value), true) : undefined;
    case "message":
      return toClick(activity, activity.value, false);
    case "conversationUpdate":
    case "installationUpdate": {
      const change = toChange(activity);
      return change && { kind: change, where: toInstallation(activity) };
    }
    default:
      return undefined;
  }
}

function actionDataOf(value: unknown): unknown {
  const action = isJsonObject(value) ? value["action"] : undefined;
  return isJsonObject(action) ? action["data"] : undefined;
}

const dataSchema = z.object({ [buttonFields.verb]: z.enum(teamsVerbs), [buttonFields.reference]: z.string() });

function toClick(
  { replyToId: ts, conversation, from, channelData }: TeamsActivity,
  data: unknown,
  isInvoked: boolean,
): TeamsCall | undefined {
  const parsed = dataSchema.safeParse(data);
  if (!parsed.success || !ts) return undefined;
  const shared = {
    kind: "click" as const,
    reference: parsed.data[buttonFields.reference],
    channel: toChannel(conversation.id),
    ts,
    team: channelData?.team?.id,
    user: toUser(from),
    isInvoked,
  };
  const verb = parsed.data[buttonFields.verb];
  switch (verb) {
    case "reject":
      return { ...shared, verb, reason: reasonOf(data) };
    case "submit":
      return { ...shared, verb, inputs: readInputs(data) };
    case "approve":
    case "ask":
    case "back":
      return { ...shared, verb };
    default:
      return assertNever(verb);
  }
}

function reasonOf(data: unknown): string {
  const reason = isJsonObject(data) ? data[REASON_INPUT] : undefined;
  return typeof reason === "string" ? reason.trim() : "";
}

/** The conversation of a message in a channel also names the message that begins its thread. */
const toChannel = (conversation: string) => conversation.split(";", 1)[0] ?? conversation;

const toUser = ({ id: accountId, aadObjectId, name }: z.infer<typeof account>): TeamsUser => ({
  account: accountId,
  id: aadObjectId ?? undefined,
  name: (name ?? aadObjectId ?? accountId).slice(0, 200),
});

function toChange({
  type,
  action,
  recipient,
  membersAdded,
  membersRemoved,
  channelData,
}: TeamsActivity): "installed" | "removed" | undefined {
  if (type === "installationUpdate") return action === "remove" ? "removed" : action?.startsWith("add") ? "installed" : undefined;
  const hasBot = (members: TeamsActivity["membersAdded"]) => members?.some((member) => member.id === recipient.id) === true;
  if (hasBot(membersRemoved) || channelData?.eventType === "teamDeleted") return "removed";
  return hasBot(membersAdded) || /^(?:channel|team)(?!Member)/.test(channelData?.eventType ?? "") ? "installed" : undefined;
}

function toInstallation({ channelData, conversation }: TeamsActivity): TeamsInstallation {
  const team = channelData?.team;
  if (team) return { kind: "team", id: team.id, name: team.name ?? "" };
  return { kind: "chat", id: toChannel(conversation.id), name: conversation.name ?? "" };
}
