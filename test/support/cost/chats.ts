import { parseReference } from "../../../core/chats/chat-message.ts";
import { parseCustomId } from "../../../core/chats/discord/custom-id.ts";
import { parseDiscordCall } from "../../../core/chats/discord/discord-call.ts";
import { toDiscordMessage } from "../../../core/chats/discord/discord-message.ts";
import { escapeSentence } from "../../../core/chats/discord/escape-markdown.ts";
import { toChatFields } from "../../../core/chats/form/chat-form.ts";
import { readValues } from "../../../core/chats/form/read-values.ts";
import { formDialog } from "../../../core/chats/slack/form/form-call.ts";
import { parseSlackCall } from "../../../core/chats/slack/slack-call.ts";
import { activitySchema, parseTeamsCall } from "../../../core/chats/teams/teams-call.ts";
import { tryParseJson } from "../../../core/payload/json.ts";
import { type CostCase, feed } from "./growth.ts";
import { type Build, between, mix, nest, numbered, repeat } from "./shapes.ts";

const MOST = 256 * 1024;

const fields = toChatFields(
  {
    properties: {
      json: { type: "object" },
      lines: { type: "array", items: { type: "string" } },
      some: { type: "array", items: { enum: ["a"] } },
    },
  },
  {},
);

/** Builds the call that follows the submission of a form. `element`: the JSON of each field's state. */
const submission = (element: string): string => {
  const user = { id: "U0", team_id: "T0" };
  const metadata = JSON.stringify({ reference: "a", channel: "C0", ts: "1.2" });
  const values = ["f0", "f1", "f2"].map((id) => `"${id}":{"value":${element}}`).join();
  const view = `{"callback_id":"${formDialog}","private_metadata":${JSON.stringify(metadata)},"state":{"values":{${values}}}}`;
  return new URLSearchParams({ payload: `{"type":"view_submission","user":${JSON.stringify(user)},"view":${view}}` }).toString();
};

function readSubmission(element: string): unknown {
  const call = parseSlackCall(submission(element));
  if (call?.kind !== "form" || typeof fields === "string") throw new Error("The submission was not read.");
  return readValues(fields, call.inputs);
}

/** Builds the call that follows the submission of a modal of Discord. `component`: the JSON of each field. */
const modalSubmission = (component: string): string => {
  const customId = `svc.form.${"A".repeat(64)}`;
  const call = { type: 5, application_id: "1", channel_id: "2", message: { id: "3" }, user: { id: "4", username: "ann" } };
  return `${JSON.stringify(call).slice(0, -1)},"data":{"custom_id":"${customId}","components":[${component}]}}`;
};

function readModal(component: string): unknown {
  const { call } = parseDiscordCall(modalSubmission(component)) ?? {};
  if (call?.kind !== "form" || typeof fields === "string") throw new Error("The submission was not read.");
  return readValues(fields, call.inputs);
}

const TEAMS_CALL = JSON.stringify({
  type: "message",
  channelId: "msteams",
  serviceUrl: "https://smba.trafficmanager.net/emea/",
  from: { id: "29:a" },
  recipient: { id: "28:a" },
  conversation: { id: "19:a@thread.tacv2;messageid=1" },
  replyToId: "1",
  value: { svc_verb: "submit", svc_reference: "a" },
}).slice(0, -2);

function readTeamsCall(text: string): unknown {
  const activity = activitySchema.safeParse(tryParseJson(text)?.json);
  return activity.success && parseTeamsCall(activity.data);
}

const inputs: Record<string, Build> = {
  "one text": repeat("a"),
  lines: repeat("a\n"),
  spaces: repeat(" "),
  lists: nest("[", "]"),
  "many numbers": between("[0", repeat(",1"), "]"),
};
const typedInputs = Object.fromEntries(
  Object.entries(inputs).map(([name, build]): [string, Build] => [name, (size) => JSON.stringify({ value: build(size) })]),
);

/** The calls of the vendors of chat applications. */
export const chats: CostCase[] = [
  ...feed("the reference of a message", MOST, parseReference, mix("a", ".", "-", "0")),
  ...feed("a call of Slack", MOST, parseSlackCall, mix("payload=", "&", "%7B", "%", "{", "a")),
  ...feed("the id of a component in Discord", MOST, parseCustomId, mix("svc.form.", "A", ".", "-")),
  ...feed("a sentence in Discord", MOST, escapeSentence, mix("https://", "http", "a", "*", ":", "/", " ")),
  ...feed(
    "a message in Discord",
    MOST / 4,
    (text: string) => toDiscordMessage({ title: text, paragraphs: [text, text] }),
    mix("a", "*", "\\", "\n", "<@"),
  ),
  ...feed("a form in Discord", MOST / 4, readModal, {
    "many components": between('{"type":18}', repeat(',{"type":18,"component":{"type":4,"custom_id":"f0","value":"1"}}'), ""),
    "many choices": between('{"component":{"type":3,"custom_id":"f2","values":["a"', repeat(',"b"'), "]}}"),
  }),
  ...feed("a form in Slack", MOST / 4, readSubmission, {
    ...typedInputs,
    "many choices": between('{"selected_options":[{"value":"a"}', repeat(',{"value":"b"}'), "]}"),
    "many names": between(
      "{",
      numbered((at) => `"k${at}":1,`),
      '"value":"a"}',
    ),
  }),
  ...feed("a call of Teams", MOST, readTeamsCall, {
    "many inputs": between(
      TEAMS_CALL,
      numbered((at) => `,"date-f${at}":"a"`),
      "}}",
    ),
    "one text": between(`${TEAMS_CALL},"text-f0":"`, repeat("a"), '"}}'),
    "many choices": between(`${TEAMS_CALL},"chosen-f0":"`, repeat("a,"), '"}}'),
    "a long conversation": between('{"type":"message","channelId":"msteams","conversation":{"id":"', repeat(";"), '"}}'),
  }),
];
