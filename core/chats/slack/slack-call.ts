import * as z from "zod";
import { tryParseJson } from "../../payload/json.ts";

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

const inputSchema = z.looseObject({ value: z.string().nullish() });
const submissionSchema = z.object({
  type: z.literal("view_submission"),
  user,
  team,
  view: z.object({
    callback_id: z.string(),
    private_metadata: z.string(),
    state: z.object({ values: z.record(z.string(), z.record(z.string(), inputSchema)) }),
  }),
});

/** A person in Slack. The team of a click is that of the person, who can belong to another team in a shared channel. */
export interface SlackUser {
  team: string;
  id: string;
  name: string;
}

/** A call of Slack that concerns an approval. Shapes: https://docs.slack.dev/reference/interaction-payloads */
export type SlackCall =
  | { kind: "click"; button: SlackButton; reference: string; channel: string; ts: string; trigger: string; user: SlackUser }
  | { kind: "submission"; reference: string; channel: string; ts: string; reason: string; user: SlackUser };

/** The buttons of a message by their `action_id`. */
export const slackButtons = { approve: "svc_approve", reject: "svc_reject", open: "svc_open" } as const;
type SlackButton = "approve" | "reject";

/** The dialog that asks for the reason of a rejection: its id, and those of its one field. */
export const rejectDialog = { callback: "svc_reject_reason", block: "reason", action: "text" } as const;

/** The click that opened the dialog of a rejection. The dialog returns it. */
const dialogStateSchema = z.object({ reference: z.string(), channel: id, ts: id });
export type DialogState = z.infer<typeof dialogStateSchema>;

/** Parses the body of an interaction; `undefined` for a call that needs no answer, such as a click on a link. */
export function parseSlackCall(body: string): SlackCall | undefined {
  const payload = tryParseJson(new URLSearchParams(body).get("payload") ?? "")?.json;
  const click = clickSchema.safeParse(payload);
  if (click.success) return toClick(click.data);
  const submission = submissionSchema.safeParse(payload);
  return submission.success ? toSubmission(submission.data) : undefined;
}

function toClick({ user, team, trigger_id: trigger, container, actions }: z.infer<typeof clickSchema>): SlackCall | undefined {
  const [action] = actions;
  const button = (["approve", "reject"] as const).find((name) => slackButtons[name] === action?.action_id);
  if (!button || action?.value === undefined) return undefined;
  const { channel_id: channel, message_ts: ts } = container;
  return { kind: "click", button, reference: action.value, channel, ts, trigger, user: toUser(user, team) };
}

function toSubmission({ user, team, view }: z.infer<typeof submissionSchema>): SlackCall | undefined {
  const state = dialogStateSchema.safeParse(tryParseJson(view.private_metadata)?.json);
  if (view.callback_id !== rejectDialog.callback || !state.success) return undefined;
  const reason = view.state.values[rejectDialog.block]?.[rejectDialog.action]?.value ?? "";
  return { kind: "submission", ...state.data, reason, user: toUser(user, team) };
}

const toUser = ({ id: userId, name, username, team_id: ownTeam }: z.infer<typeof user>, teamOfCall: z.infer<typeof team>): SlackUser => ({
  team: ownTeam ?? teamOfCall?.id ?? "",
  id: userId,
  name: (username ?? name ?? userId).slice(0, 200),
});
