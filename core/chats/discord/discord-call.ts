import * as z from "zod";
import { defined } from "../../../contract/defined.ts";
import { tryParseJson } from "../../payload/json.ts";
import { parseCustomId } from "./custom-id.ts";
import { reasonField } from "./form/build-modal.ts";
import { parseEntries } from "./form/faults.ts";
import { type DiscordForm, modalSchema, toDiscordForm } from "./form/form-call.ts";

const snowflake = z.string().regex(/^\d{1,20}$/);
const user = z.object({ id: snowflake, username: z.string(), bot: z.boolean().optional(), system: z.boolean().optional() });

/** The message that a person used. A message that answers an interaction also names the message of that interaction. */
const messageSchema = z.object({
  id: snowflake,
  interaction_metadata: z
    .object({ triggering_interaction_metadata: z.object({ interacted_message_id: snowflake.optional() }).optional() })
    .optional(),
  components: z.array(z.unknown()).optional(),
});

/** The fields of every interaction: https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-interaction-structure */
const interaction = {
  application_id: snowflake,
  channel_id: snowflake,
  message: messageSchema,
  /** In a server. */
  member: z.object({ user, flags: z.int().optional() }).optional(),
  /** In a direct message. */
  user: user.optional(),
};

const clickSchema = z.object({ type: z.literal(3), ...interaction, data: z.object({ custom_id: z.string() }) });
const submissionSchema = z.object({ type: z.literal(5), ...interaction, data: modalSchema.extend({ custom_id: z.string() }) });
const applicationSchema = z.object({ type: z.int(), application_id: snowflake });

/** A person in Discord. `isMember`: no bot, and no guest, who may only join one voice channel. */
export interface DiscordUser {
  id: string;
  name: string;
  isMember: boolean;
}

/** The message that asks for the decision. `isAnswered`: the person used a private message that answers an earlier interaction with it. */
interface UsedMessage {
  reference: string;
  channel: string;
  ts: string;
  isAnswer: boolean;
}

/** An interaction that concerns an approval. `form` and `rejection`: a submitted modal. `again`: the person opens a form with faults again. */
export type DiscordCall = UsedMessage & { user: DiscordUser } & (
    | { kind: "click"; button: "approve" | "reject" }
    | { kind: "again"; entries: Record<string, string> }
    | { kind: "rejection"; reason: string }
    | ({ kind: "form" } & DiscordForm)
  );

const PING = 1;
/** The flag of a member who is a guest: https://docs.discord.com/developers/resources/guild#guild-member-object-guild-member-flags */
const GUEST = 1 << 4;

/** Parses the body of a call. `application`: to which it belongs. `call` is `undefined` for an interaction that concerns no approval. */
export function parseDiscordCall(body: string): { application: string; isPing: boolean; call?: DiscordCall } | undefined {
  const payload = tryParseJson(body)?.json;
  const addressed = applicationSchema.safeParse(payload);
  if (!addressed.success) return undefined;
  const { application_id: application, type } = addressed.data;
  return { application, isPing: type === PING, ...defined({ call: toCall(payload) }) };
}

function toCall(payload: unknown): DiscordCall | undefined {
  const click = clickSchema.safeParse(payload);
  if (click.success) return toClick(click.data);
  const submission = submissionSchema.safeParse(payload);
  return submission.success ? toSubmission(submission.data) : undefined;
}

function toClick({ data, ...call }: z.infer<typeof clickSchema>): DiscordCall | undefined {
  const component = parseCustomId(data.custom_id);
  const use = component && toUse(call, component.reference);
  if (!use) return undefined;
  const { action } = component;
  if (action === "again") return { kind: "again", ...use, entries: parseEntries(call.message.components ?? []) };
  return action === "approve" || action === "reject" ? { kind: "click", button: action, ...use } : undefined;
}

function toSubmission({ data, ...call }: z.infer<typeof submissionSchema>): DiscordCall | undefined {
  const modal = parseCustomId(data.custom_id);
  const use = modal && toUse(call, modal.reference);
  if (!use) return undefined;
  const form = toDiscordForm(data);
  if (modal.action === "form") return { kind: "form", ...use, ...form };
  if (modal.action !== "reason") return undefined;
  const reason = form.inputs[reasonField];
  return { kind: "rejection", ...use, reason: reason && "text" in reason ? reason.text : "" };
}

/**
 * Returns the person, and the message that asks for the decision. Discord names both. A private message with a button of the service is not that message but an
 * answer to a submission of its modal, and names it as the origin of the modal.
 */
function toUse(
  { channel_id: channel, message, member, user: person = member?.user }: Omit<z.infer<typeof clickSchema>, "data" | "type">,
  reference: string,
): (UsedMessage & { user: DiscordUser }) | undefined {
  const { id, interaction_metadata: origin } = message;
  const ts = origin ? origin.triggering_interaction_metadata?.interacted_message_id : id;
  if (ts === undefined || !person) return undefined;
  const isGuest = ((member?.flags ?? 0) & GUEST) !== 0;
  const isMember = person.bot !== true && person.system !== true && !isGuest;
  return {
    reference,
    channel,
    ts,
    isAnswer: origin !== undefined,
    user: { id: person.id, name: person.username.slice(0, 200), isMember },
  };
}
