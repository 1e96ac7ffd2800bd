import * as z from "zod";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import { parseFormText } from "../../payload/form-text.ts";
import { tryParseJson } from "../../payload/json.ts";
import { formDialog, type SlackForm, stateSchema, toSlackForm } from "./form/form-call.ts";

const id = z.string().min(1).max(100);
const user = z.object({ id, name: z.string().optional(), username: z.string().optional(), team_id: id.optional() });
const team = z.object({ id }).nullish();

const clickSchema = z.object({
  type: z.literal("block_actions"),
  user,
  team,
  trigger_id: z.string().max(500),
  container: z.object({ channel_id: id, message_ts: id, is_ephemeral: z.boolean().optional() }),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().optional() })).min(1),
});

const submissionSchema = z.object({
  type: z.literal("view_submission"),
  user,
  team,
  view: z.object({
    callback_id: z.string(),
    private_metadata: z.string(),
    state: z.object({ values: stateSchema }),
  }),
});

const typingSchema = z.object({
  type: z.literal("block_suggestion"),
  user,
  team,
  block_id: z.string().max(255),
  value: z.string().max(3000),
  view: z.object({ callback_id: z.literal(formDialog), private_metadata: z.string() }),
});

/** A person in Slack. The team of a click is that of the person, who can belong to another team in a shared channel. */
export interface SlackUser {
  team: string;
  id: string;
  name: string;
}

/**
 * A call of Slack that concerns an approval. `rejection` and `form`: a submitted dialog. `typing`: a person types in a field whose choices do not fit into the
 * dialog. Shapes: https://docs.slack.dev/reference/interaction-payloads
 */
export type SlackCall = DialogState & { user: SlackUser } & (
    | { kind: "click"; button: SlackButton; trigger: string }
    | { kind: "rejection"; reason: string }
    | ({ kind: "form" } & SlackForm)
    | { kind: "typing"; field: string; query: string }
  );

/** The buttons of a message by their `action_id`. */
export const slackButtons = { approve: "svc_approve", reject: "svc_reject", open: "svc_open" } as const;
type SlackButton = "approve" | "reject";

/** The dialog that asks for the reason of a rejection: its id, and those of its one field. */
export const rejectDialog = { callback: "svc_reject_reason", block: "reason", action: "text" } as const;

/** The clicked message, which dialogs return. */
const dialogStateSchema = z.object({ reference: z.string(), channel: id, ts: id });
export type DialogState = z.infer<typeof dialogStateSchema>;

/** Parses the body of an interaction in linear time (URLSearchParams takes longer for many names); `undefined` for a call that needs no answer, such as a click on a link. Throws `payload.form` for too many parts. */
export function parseSlackCall(body: string): SlackCall | undefined {
  const form = parseFormText(body);
  const text = isJsonObject(form) ? form["payload"] : undefined;
  const payload = typeof text === "string" ? tryParseJson(text)?.json : undefined;
  const click = clickSchema.safeParse(payload);
  if (click.success) return toClick(click.data);
  const submission = submissionSchema.safeParse(payload);
  if (submission.success) return toSubmission(submission.data);
  const typing = typingSchema.safeParse(payload);
  return typing.success ? toTyping(typing.data) : undefined;
}

function toClick({ user, team, trigger_id: trigger, container, actions }: z.infer<typeof clickSchema>): SlackCall | undefined {
  const [action] = actions;
  const button = (["approve", "reject"] as const).find((name) => slackButtons[name] === action?.action_id);
  if (!button || action?.value === undefined) return undefined;
  const { channel_id: channel, message_ts: ts } = container;
  return { kind: "click", button, reference: action.value, channel, ts, trigger, user: toUser(user, team) };
}

function toSubmission({ user, team, view }: z.infer<typeof submissionSchema>): SlackCall | undefined {
  const state = parseState(view.private_metadata);
  if (!state) return undefined;
  const dialog = { ...state, user: toUser(user, team) };
  if (view.callback_id === formDialog) return { kind: "form", ...dialog, ...toSlackForm(view.state.values) };
  if (view.callback_id !== rejectDialog.callback) return undefined;
  return { kind: "rejection", ...dialog, reason: view.state.values[rejectDialog.block]?.[rejectDialog.action]?.value ?? "" };
}

function toTyping({ user, team, view, block_id: field, value: query }: z.infer<typeof typingSchema>): SlackCall | undefined {
  const state = parseState(view.private_metadata);
  return state && { kind: "typing", ...state, field, query, user: toUser(user, team) };
}

const parseState = (metadata: string): DialogState | undefined => dialogStateSchema.safeParse(tryParseJson(metadata)?.json).data;

const toUser = ({ id: userId, name, username, team_id: ownTeam }: z.infer<typeof user>, teamOfCall: z.infer<typeof team>): SlackUser => ({
  team: ownTeam ?? teamOfCall?.id ?? "",
  id: userId,
  name: (username ?? name ?? userId).slice(0, 200),
});
