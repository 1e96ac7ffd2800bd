import { shortenText } from "../../../notifications/event.ts";
import { toName } from "../../../notifications/text.ts";
import type { ChatChoice, ChatField, ChatForm } from "../../form/chat-form.ts";
import type { DialogState } from "../slack-call.ts";
import { escapeText, type SlackBlock } from "../slack-message.ts";
import { formDialog } from "./form-call.ts";

/** Limits of Block Kit: https://docs.slack.dev/reference/block-kit */
const LABEL_CHARS = 2000;
const OPTION_CHARS = 75;
const MOST_OPTIONS = 100;
const VIEW_BYTES = 250_000;

/** Builds the dialog with the form of a step, or returns the reason for which Slack cannot show it. */
export function buildFormDialog(form: ChatForm, state: DialogState): SlackBlock | string {
  const ambiguous = form.fields.find((field) => "choices" in field && hasEqualLabels(field.choices));
  if (ambiguous) return `choices of the field ${ambiguous.name} differ only after ${OPTION_CHARS} characters`;
  const dialog = {
    type: "modal",
    callback_id: formDialog,
    private_metadata: JSON.stringify(state),
    title: plainText("Approve", 24),
    submit: plainText("Approve", 24),
    close: plainText("Cancel", 24),
    blocks: [{ type: "section", text: plainText(toName(form.title), LABEL_CHARS) }, ...form.fields.map(toBlock)],
  };
  return Buffer.byteLength(JSON.stringify(dialog)) > VIEW_BYTES ? "it is larger than Slack allows" : dialog;
}

/** Builds the answer to a person who types in a field with too many choices. */
export function buildSuggestions(field: ChatField | undefined, query: string): { options: object[] } {
  const typedText = query.trim().toLowerCase();
  const choices = field && "choices" in field ? field.choices.filter(({ label }) => label.toLowerCase().includes(typedText)) : [];
  return { options: choices.slice(0, MOST_OPTIONS).map(toOption) };
}

/** Slack shows `<…>` in any text as a mention or a link. A text that is too long after its characters are escaped becomes much shorter. */
function plainText(text: string, most: number) {
  const escaped = escapeText(shortenText(text, most));
  return {
    type: "plain_text",
    text: escaped.length > most ? escapeText(shortenText(text, Math.floor(most / 5))) : escaped,
    emoji: false,
  };
}

const toOption = ({ id, label }: ChatChoice) => ({ text: plainText(toName(label) || "(empty)", OPTION_CHARS), value: id });
const hasEqualLabels = (choices: readonly ChatChoice[]) =>
  new Set(choices.map((choice) => toOption(choice).text.text)).size < choices.length;

function toBlock(field: ChatField): SlackBlock {
  const hint = [field.hint, notes[field.kind] ?? ""].filter(Boolean).join(" ");
  return {
    type: "input",
    block_id: field.id,
    // Slack requires at least one choice or line in a required field, but an empty list is a value, and an empty box is a no.
    optional: !field.isRequired || ["boolean", "several", "lines"].includes(field.kind),
    label: plainText(toName(field.label) || "Field", LABEL_CHARS),
    ...(hint === "" ? {} : { hint: plainText(hint, LABEL_CHARS) }),
    element: { action_id: "value", ...toElement(field) },
  };
}

const notes: Partial<Record<ChatField["kind"], string>> = {
  lines: "Enter one per line.",
  json: "Enter JSON.",
  file: "All files together: up to 180 KB.",
};

function toElement(field: ChatField) {
  switch (field.kind) {
    case "boolean": {
      const options = [{ text: plainText("Yes", OPTION_CHARS), value: "yes" }];
      return { type: "checkboxes", options, ...(field.initial ? { initial_options: options } : {}) };
    }
    case "one":
    case "several":
      return toSelect(field);
    case "file":
      return { type: "file_input", max_files: field.isList ? 10 : 1 };
    case "date":
      return { type: "datepicker", ...initial("initial_date", field.initial) };
    case "dateTime":
      return { type: "datetimepicker", ...initial("initial_date_time", field.initial && Math.floor(Date.parse(field.initial) / 1000)) };
    default:
      return { ...inputs[field.kind], ...initial("initial_value", field.initial) };
  }
}

const inputs = {
  text: { type: "plain_text_input" },
  multiline: { type: "plain_text_input", multiline: true },
  lines: { type: "plain_text_input", multiline: true },
  json: { type: "plain_text_input", multiline: true },
  email: { type: "email_text_input" },
  url: { type: "url_text_input" },
  integer: { type: "number_input", is_decimal_allowed: false },
  number: { type: "number_input", is_decimal_allowed: true },
} as const;

const initial = (name: string, value: unknown) => (value === undefined ? {} : { [name]: value });

/** More choices than fit into the dialog are loaded while the person types. */
function toSelect({ kind, choices, initial: ids }: Extract<ChatField, { kind: "one" | "several" }>) {
  const chosen = choices.filter(({ id }) => ids.includes(id)).map(toOption);
  const prefix = kind === "several" ? "multi_" : "";
  return {
    ...(choices.length > MOST_OPTIONS
      ? { type: `${prefix}external_select`, min_query_length: 0 }
      : { type: `${prefix}static_select`, options: choices.map(toOption) }),
    ...(chosen.length === 0 ? {} : kind === "several" ? { initial_options: chosen } : { initial_option: chosen[0] }),
  };
}
