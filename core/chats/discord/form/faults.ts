import * as z from "zod";
import { toName } from "../../../notifications/text.ts";
import type { ChatInput } from "../../chat-call.ts";
import type { ChatField } from "../../form/chat-form.ts";
import type { FieldErrors } from "../../form/read-values.ts";
import { toCustomId } from "../custom-id.ts";
import { componentTypes, type DiscordComponent, toButtonRow, toText } from "../discord-message.ts";
import { escapeMarkdown, escapeWithin, unescapeMarkdown } from "../escape-markdown.ts";
import { type Entries, toChoiceLabel, toLabelText, YES } from "./build-modal.ts";

const FAULT_CHARS = 300;
/** The share of a message that the entries may have. The rest is for the faults of five fields. */
const ENTRIES_CHARS = 2000;
/** The ids of the texts with entries begin here. The position of the field follows. */
const FIRST_ENTRY_ID = 1000;

/**
 * Builds the private message about the faults of a form, because a modal has no place for them. Its button opens the form again. The message contains the entries of
 * the person that fit, from which the form is filled again: nothing is stored.
 */
export function buildFaults(
  fields: readonly ChatField[],
  { errors, inputs }: { errors: FieldErrors; inputs: Readonly<Record<string, ChatInput>> },
  reference: string,
): DiscordComponent[] {
  const faults = fields.flatMap((field) => {
    const error = Object.hasOwn(errors, field.id) ? errors[field.id] : undefined;
    return error === undefined ? [] : [toText(`**${escapeMarkdown(toLabelText(field))}**: ${escapeWithin(toName(error), FAULT_CHARS)}`)];
  });
  const entries = listEntries(fields, inputs);
  return [
    toText("Nothing is decided yet, because some values are invalid."),
    ...faults,
    ...entries.flatMap(([index, label, entry]) => [toText(`Your entry for ${label}:`), toText(entry, FIRST_ENTRY_ID + index)]),
    toButtonRow("Open the form again", toCustomId("again", reference)),
  ];
}

/** Lists the escaped entries of a person: the position of the field, its label, and the text. */
function listEntries(fields: readonly ChatField[], inputs: Readonly<Record<string, ChatInput>>): [number, string, string][] {
  let freeChars = ENTRIES_CHARS;
  return fields.flatMap((field, index) => {
    const entry = toEntry(field, Object.hasOwn(inputs, field.id) ? inputs[field.id] : undefined);
    // Discord removes spaces around a text, so such an entry would come back changed.
    if (entry === undefined || entry.trim() !== entry || entry === "") return [];
    const row: [number, string, string] = [index, escapeMarkdown(toLabelText(field)), escapeMarkdown(entry)];
    const chars = row[1].length + row[2].length + 20;
    if (chars > freeChars) return [];
    freeChars -= chars;
    return [row];
  });
}

function toEntry(field: ChatField, input: ChatInput | undefined): string | undefined {
  if (field.kind === "file") return undefined;
  if (field.kind === "boolean") return input === undefined ? "No" : YES;
  if (input === undefined) return undefined;
  if ("text" in input) return "choices" in field ? undefined : input.text;
  if (!("chosen" in input && "choices" in field)) return undefined;
  return field.choices
    .filter(({ id }) => input.chosen.includes(id))
    .map(toChoiceLabel)
    .join("\n");
}

const entrySchema = z.object({
  type: z.literal(componentTypes.text),
  id: z.int().min(FIRST_ENTRY_ID),
  content: z.string(),
});

/** Returns the entries that a message of `buildFaults` contains, by the ids of fields. */
export function parseEntries(components: readonly unknown[]): Entries {
  const entries = components.flatMap((component) => {
    const { data } = entrySchema.safeParse(component);
    return data ? [[`f${data.id - FIRST_ENTRY_ID}`, unescapeMarkdown(data.content)]] : [];
  });
  return Object.fromEntries(entries);
}
