import { defined } from "../../../../contract/defined.ts";
import { toName } from "../../../notifications/text.ts";
import type { ChatChoice, ChatField, ChatForm } from "../../form/chat-form.ts";
import { toCustomId } from "../custom-id.ts";
import { componentTypes, type DiscordComponent, shortenLabel } from "../discord-message.ts";

/** Limits of modals: https://docs.discord.com/developers/components/reference */
const MOST_FIELDS = 5;
const TITLE_CHARS = 45;
const LABEL_CHARS = 45;
const HINT_CHARS = 100;
const CHOICE_CHARS = 100;
const TEXT_CHARS = 4000;
/** A menu has 1 to 25 choices. Radio buttons and boxes are easier to use, but there are at most 10. */
const MOST_CHOICES = 25;
const MOST_BOXES = 10;
const MOST_FILES = 10;

/** A modal: https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-modal */
export interface DiscordModal {
  custom_id: string;
  title: string;
  components: DiscordComponent[];
}

/** The id of the field of the modal that asks for the reason of a rejection. */
export const reasonField = "reason";

/** Builds the modal that asks for the reason of a rejection. Function `approve` knows whether the gate requires one. */
export const buildReasonModal = (reference: string): DiscordModal => ({
  custom_id: toCustomId("reason", reference),
  title: "Reject",
  components: [
    {
      type: componentTypes.label,
      label: "Reason",
      component: { type: componentTypes.textInput, custom_id: reasonField, style: 2, required: false, max_length: 2000 },
    },
  ],
});

/** The inputs of a person in an earlier modal, as the texts that `listEntries` shows, by the ids of fields. */
export type Entries = Readonly<Record<string, string>>;

/** Builds the modal with the form of a step, or returns the reason for which Discord cannot show it. `entries` replace the initial values. */
export function buildFormModal({ fields, title }: ChatForm, reference: string, entries: Entries = {}): DiscordModal | string {
  const fault = findMisfit(fields);
  if (fault) return fault;
  return {
    custom_id: toCustomId("form", reference),
    title: shortenLabel(toName(title) || "Approve", TITLE_CHARS),
    components: fields.map((field) => toLabel(field, Object.hasOwn(entries, field.id) ? entries[field.id] : undefined)),
  };
}

function findMisfit(fields: readonly ChatField[]): string | undefined {
  if (fields.length > MOST_FIELDS) return `it has more than ${MOST_FIELDS} fields`;
  if (hasEqual(fields.map(toLabelText))) return `names of its fields differ only after ${LABEL_CHARS} characters`;
  for (const field of fields) {
    if (!("choices" in field)) continue;
    if (field.choices.length > MOST_CHOICES) return `the field ${toName(field.name)} has more than ${MOST_CHOICES} choices`;
    if (hasEqual(field.choices.map(toChoiceLabel)))
      return `choices of the field ${toName(field.name)} differ only after ${CHOICE_CHARS} characters`;
  }
  return undefined;
}

const hasEqual = (texts: readonly string[]) => new Set(texts).size < texts.length;

/** Returns the label of a field as the modal shows it. */
export const toLabelText = ({ label }: Pick<ChatField, "label">): string => shortenLabel(toName(label) || "Field", LABEL_CHARS);
/** Returns the label of a choice as the modal shows it. */
export const toChoiceLabel = ({ label }: Pick<ChatChoice, "label">): string => shortenLabel(toName(label) || "(empty)", CHOICE_CHARS);

function toLabel(field: ChatField, entry: string | undefined): DiscordComponent {
  const hint = toName([notes[field.kind] ?? "", field.hint].filter(Boolean).join(" "));
  return {
    type: componentTypes.label,
    label: toLabelText(field),
    ...(hint === "" ? {} : { description: shortenLabel(hint, HINT_CHARS) }),
    component: { custom_id: field.id, ...toComponent(field, entry) },
  };
}

const notes: Partial<Record<ChatField["kind"], string>> = {
  lines: "One per line.",
  json: "JSON.",
  file: "All files: up to 180 KB.",
  date: "A date: 2026-12-31.",
  dateTime: "A time: 2026-12-31T23:59:00Z.",
};

function toComponent(field: ChatField, entry: string | undefined): object {
  switch (field.kind) {
    case "boolean":
      return { type: componentTypes.checkbox, default: entry === undefined ? field.initial : entry === YES };
    case "one":
    case "several":
      return toChoiceComponent(field, entry);
    case "file":
      return {
        type: componentTypes.file,
        required: field.isRequired && !field.isList,
        min_values: field.isRequired && !field.isList ? 1 : 0,
        max_values: field.isList ? MOST_FILES : 1,
      };
    default: {
      const value = entry ?? field.initial;
      const hasLines = ["multiline", "lines", "json"].includes(field.kind) || value?.includes("\n");
      return {
        type: componentTypes.textInput,
        style: hasLines ? 2 : 1,
        // An empty list is a value.
        required: field.isRequired && field.kind !== "lines",
        max_length: TEXT_CHARS,
        ...defined({ value }),
      };
    }
  }
}

/** The entry of a box that is ticked. */
export const YES = "Yes";

function toChoiceComponent({ kind, choices, initial, isRequired }: Extract<ChatField, { choices: unknown }>, entry: string | undefined) {
  const labels = entry?.split("\n");
  const isChosen = (choice: ChatChoice) => (labels ? labels.includes(toChoiceLabel(choice)) : initial.includes(choice.id));
  const options = choices.map((choice) => ({
    label: toChoiceLabel(choice),
    value: choice.id,
    ...(isChosen(choice) ? { default: true } : {}),
  }));
  const fitsBoxes = options.length >= 2 && options.length <= MOST_BOXES;
  if (kind === "several") {
    const range = { required: false, min_values: 0, max_values: options.length };
    return { type: options.length <= MOST_BOXES ? componentTypes.checkboxGroup : componentTypes.select, options, ...range };
  }
  // A menu can be emptied again, and radio buttons cannot.
  if (isRequired && fitsBoxes) return { type: componentTypes.radioGroup, options, required: true };
  return { type: componentTypes.select, options, required: isRequired, min_values: isRequired ? 1 : 0, max_values: 1 };
}
