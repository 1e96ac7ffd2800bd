import { describeError, isSvcError } from "../../../contract/errors.ts";
import { tryParseJson } from "../../payload/json.ts";
import type { ChatInput } from "../chat-call.ts";
import type { ChatField } from "./chat-form.ts";

/** A sentence for each field with a fault, by its id. */
export type FieldErrors = Record<string, string>;
type Inputs = Readonly<Record<string, ChatInput>>;
/** `undefined`: the field has no value. */
type Outcome = { value: unknown } | { error: string } | undefined;

/**
 * Converts the inputs of a submitted form to the values that the approval page would send. The step's schema is not checked here. Inputs of fields that the
 * form does not have are ignored.
 */
export function readValues(fields: readonly ChatField[], inputs: Inputs): { values: Record<string, unknown> } | { errors: FieldErrors } {
  const outcomes = fields.map(
    (field) => [field, readField(field, Object.hasOwn(inputs, field.id) ? inputs[field.id] : undefined)] as const,
  );
  const errors = outcomes.flatMap(([{ id }, outcome]) => (outcome && "error" in outcome ? [[id, outcome.error]] : []));
  if (errors.length > 0) return { errors: Object.fromEntries(errors) };
  return {
    values: Object.fromEntries(outcomes.flatMap(([{ name }, outcome]) => (outcome && "value" in outcome ? [[name, outcome.value]] : []))),
  };
}

/** Returns the faults of values at the fields that have them. A fault elsewhere is at the first field, because a dialog has no other place. */
export function toFieldErrors(fields: readonly ChatField[], issues: readonly { at?: readonly string[]; reason: string }[]): FieldErrors {
  const errors = issues.map(({ at = [], reason }) => {
    const [name, ...inner] = at;
    const field = fields.find((each) => each.name === name);
    const subject = field && inner.length === 0 ? "This value" : `The value ${at.join(".")}`.trim();
    return [(field ?? fields[0])?.id ?? "", `${subject} ${reason}.`] as const;
  });
  // The first fault of each field wins.
  return Object.fromEntries(errors.toReversed());
}

const CHANGED = "The form has changed. Close it and click Approve again.";

function readField(field: ChatField, input: ChatInput | undefined): Outcome {
  switch (field.kind) {
    case "boolean":
      return { value: input !== undefined };
    case "one":
    case "several":
      return readChoices(field, input);
    case "file":
      return readFiles(field, input);
    default:
      return readTyped(field, input);
  }
}

function readChoices({ kind, choices, isRequired }: Extract<ChatField, { choices: unknown }>, input: ChatInput | undefined): Outcome {
  if (input === undefined) return kind === "several" && isRequired ? { value: [] } : undefined;
  const chosen = "chosen" in input ? input.chosen.map((id) => choices.find((choice) => choice.id === id)) : [undefined];
  const values = chosen.flatMap((choice) => (choice ? [choice.value] : []));
  if (values.length < chosen.length) return { error: CHANGED };
  return { value: kind === "several" ? values : values[0] };
}

function readFiles({ isList, encoding, isRequired }: Extract<ChatField, { kind: "file" }>, input: ChatInput | undefined): Outcome {
  if (input === undefined) return isList && isRequired ? { value: [] } : undefined;
  if (!("files" in input)) return { error: CHANGED };
  const texts = input.files.map(({ name, type, base64 }) =>
    encoding === "base64" ? base64 : `data:${type};name=${encodeURIComponent(name)};base64,${base64}`,
  );
  return { value: isList ? texts : texts[0] };
}

function readTyped({ kind, isRequired }: Extract<ChatField, { initial?: string }>, input: ChatInput | undefined): Outcome {
  if (input === undefined) return kind === "lines" && isRequired ? { value: [] } : undefined;
  if (!("text" in input)) return { error: CHANGED };
  const { text } = input;
  switch (kind) {
    case "integer":
    case "number":
      return readNumber(kind, text.trim());
    case "lines": {
      const lines = text.split("\n").map((line) => line.trim());
      return { value: lines.filter((line) => line !== "") };
    }
    case "json":
      return readJson(text);
    case "date":
      return /^\d{4}-\d{2}-\d{2}$/.test(text) ? { value: text } : { error: "Enter a date." };
    case "dateTime":
      return Number.isNaN(Date.parse(text)) ? { error: "Enter a date and a time." } : { value: text };
    case "email":
    case "url":
      return { value: text.trim() };
    case "text":
    case "multiline":
      return { value: text };
  }
}

function readNumber(kind: "integer" | "number", text: string): Outcome {
  const value = text === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(value) || (kind === "integer" && !Number.isInteger(value)))
    return { error: kind === "integer" ? "Enter a whole number." : "Enter a number." };
  // A double cannot represent each of these numbers.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return { error: "This number has too many digits. Use the approval page." };
  return { value };
}

function readJson(text: string): Outcome {
  try {
    const parsed = tryParseJson(text);
    return parsed ? { value: parsed.json } : { error: "This is not valid JSON." };
  } catch (error) {
    if (!isSvcError(error)) throw error;
    return { error: describeError(error).sentence };
  }
}
