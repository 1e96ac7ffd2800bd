import type { CardElement, IAdaptiveCard } from "@microsoft/teams.cards";
import { defined } from "../../../contract/defined.ts";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import { toName } from "../../notifications/text.ts";
import type { ChatInput } from "../chat-call.ts";
import type { ChatChoice, ChatField, ChatForm } from "../form/chat-form.ts";
import type { FieldErrors } from "../form/read-values.ts";
import { backTo, button, fitsIntoTeams, openPage, toCard, toError, toText } from "./teams-card.ts";

/** The inputs of a person, by the ids of fields. */
export type TeamsInputs = Record<string, ChatInput>;

/** The kinds of inputs. The id of an input is its kind and its field, because a submission contains texts alone. */
type InputKind = "text" | "chosen" | "tick" | "date" | "time";
const inputId = (kind: InputKind, { id }: Pick<ChatField, "id">) => `${kind}-${id}`;

/** The faults of a submitted form, and its inputs, which the card shows again. */
export interface SubmittedForm {
  inputs: TeamsInputs;
  errors: FieldErrors;
}

/** Builds the card with the form of a step, which only the person sees, or returns the reason for which Teams cannot show it. */
export function buildFormCard(form: ChatForm, reference: string, submitted?: SubmittedForm): IAdaptiveCard | string {
  const file = form.fields.find(({ kind }) => kind === "file");
  if (file) return `the field ${toName(file.name)} is a file, which a card cannot upload`;
  const body = form.fields.flatMap((field) => toElements(field, submitted));
  const card = toCard(
    [toText(toName(form.title), { weight: "Bolder" }), ...body],
    [button("Approve", "submit", reference, "positive"), backTo(reference), openPage(form.page)],
  );
  return fitsIntoTeams(card) ? card : "it is larger than Teams allows";
}

function toElements(field: ChatField, submitted: SubmittedForm | undefined): CardElement[] {
  const hint = [field.hint, notes[field.kind] ?? ""].filter(Boolean).join(" ");
  const error = submitted?.errors[field.id];
  const label = toName(field.label) || "Field";
  return [
    ...toInputs(field, label, submitted),
    ...(hint === "" ? [] : [{ ...toText(hint, { isSubtle: true }), spacing: "None" as const }]),
    ...(error === undefined ? [] : [{ ...toError(error), spacing: "None" as const }]),
  ];
}

const notes: Partial<Record<ChatField["kind"], string>> = {
  lines: "Enter one per line.",
  json: "Enter JSON.",
  dateTime: "The time is in UTC.",
};

function toInputs(field: ChatField, label: string, submitted: SubmittedForm | undefined): CardElement[] {
  // An empty list is a value, and an empty box is a no, so those are never required.
  const required = field.isRequired ? { isRequired: true, errorMessage: "This field is required." } : {};
  switch (field.kind) {
    case "boolean":
      return [{ type: "Input.Toggle", id: inputId("tick", field), label, title: "Yes", value: String(isTicked(field, submitted)) }];
    case "one":
    case "several":
      return [
        {
          type: "Input.ChoiceSet",
          id: inputId("chosen", field),
          label,
          choices: field.choices.map(toChoice),
          isMultiSelect: field.kind === "several",
          style: "compact",
          wrap: true,
          value: chosenOf(field, submitted).join(","),
          ...(field.kind === "one" ? required : {}),
        },
      ];
    case "file":
      return [];
    case "dateTime": {
      const [date = "", time = ""] = toUtc(textOf(field, submitted));
      return [
        { type: "Input.Date", id: inputId("date", field), label, value: date, ...required },
        { type: "Input.Time", id: inputId("time", field), value: time, ...required },
      ];
    }
    default: {
      const text = textOf(field, submitted);
      const shared = { id: inputId("text", field), label, ...(field.kind === "lines" ? {} : required) };
      if (field.kind === "date") return [{ type: "Input.Date", ...shared, value: text }];
      if (field.kind === "integer" || field.kind === "number")
        return [{ type: "Input.Number", ...shared, ...defined({ value: toNumber(text) }) }];
      return [{ type: "Input.Text", ...shared, value: text, ...styles[field.kind] }];
    }
  }
}

const styles = {
  text: {},
  multiline: { isMultiline: true },
  lines: { isMultiline: true },
  json: { isMultiline: true },
  email: { style: "Email" },
  url: { style: "Url" },
} as const;

/** The label of a choice can be Markdown. Without these neighbours, it contains no link under another name. */
const toChoice = ({ id, label }: ChatChoice) => ({ title: (toName(label) || "(empty)").replaceAll("](", "] ("), value: id });

const isTicked = ({ id, initial }: Extract<ChatField, { kind: "boolean" }>, submitted: SubmittedForm | undefined) =>
  submitted ? submitted.inputs[id] !== undefined : initial;

function chosenOf({ id, initial }: Extract<ChatField, { choices: unknown }>, submitted: SubmittedForm | undefined): readonly string[] {
  if (!submitted) return initial;
  const input = submitted.inputs[id];
  return input && "chosen" in input ? input.chosen : [];
}

function textOf({ id, initial = "" }: Extract<ChatField, { initial?: string }>, submitted: SubmittedForm | undefined): string {
  if (!submitted) return initial;
  const input = submitted.inputs[id];
  return input && "text" in input ? input.text : "";
}

/** Returns the date and the time of a text in UTC. A text that is no time was entered by a person, and is shown as far as possible. */
function toUtc(text: string): string[] {
  const ms = Date.parse(text);
  const iso = Number.isNaN(ms) ? text : new Date(ms).toISOString();
  return [...iso.slice(0, 16).split("T")];
}

function toNumber(text: string): number | undefined {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Reads the inputs of a submitted form. Empty ones are absent. */
export function readInputs(data: unknown): TeamsInputs {
  const values = new Map(Object.entries(isJsonObject(data) ? data : {}).map(([name, value]) => [name, toInputText(value)]));
  const inputs = [...values].flatMap(([name, text]): [string, ChatInput][] => {
    const [, kind, id = ""] = /^(text|chosen|tick|date|time)-(f\d{1,3})$/.exec(name) ?? [];
    if (kind === undefined || text === "") return [];
    if (kind === "text") return [[id, { text }]];
    if (kind === "chosen") return [[id, { chosen: text.split(",") }]];
    if (kind === "tick") return text === "true" ? [[id, { chosen: ["yes"] }]] : [];
    const read = (part: InputKind) => values.get(inputId(part, { id })) ?? "";
    return [[id, { text: `${read("date")}T${read("time")}Z` }]];
  });
  return Object.fromEntries(inputs);
}

const toInputText = (value: unknown) => (typeof value === "string" || typeof value === "number" ? String(value) : "");
