import { createRequire } from "node:module";
import type * as AdaptiveCards from "adaptivecards";

// The entry of the package is for bundlers.
const cards = createRequire(import.meta.url)("adaptivecards/dist/adaptivecards.js") as typeof AdaptiveCards;

/** An element or an action of a card, of any type. */
interface Part {
  type: string;
  id?: string;
  label?: string;
  title?: string;
  value?: string | number;
  url?: string;
  verb?: string;
  data?: Record<string, unknown>;
  fallback?: Part;
  associatedInputs?: string;
  isRequired?: boolean;
  isMultiSelect?: boolean;
  choices?: { title: string; value: string }[];
  inlines?: { type: string; text: string; color?: string }[];
}
/** An adaptive card. */
export interface Card {
  version: string;
  body: Part[];
  actions: Part[];
}

/** Checks a card with the parser of its authors, and the limits of Teams. */
export function checkCard(card: Card): void {
  if (Buffer.byteLength(JSON.stringify(card)) > 24 * 1024) throw new Error("A card has at most 24 KB.");
  if (card.version !== "1.5") throw new Error("The version of a card is 1.5.");
  const parsed = new cards.AdaptiveCard();
  const context = new cards.SerializationContext();
  parsed.parse(card, context);
  const faults = Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index).message);
  if (faults.length > 0) throw new Error(`The card is not valid: ${faults.join(" ")}`);
  const ids = parsed.getAllInputs().map(({ id }) => id);
  if (new Set(ids).size < ids.length) throw new Error("The ids of inputs are unique.");
  if (card.body.some(({ type }) => type === "TextBlock")) throw new Error("A text block would show Markdown.");
}

/** Returns the lines of a card. */
export const linesOf = ({ body }: Card): string[] => body.flatMap(({ inlines = [] }) => inlines.map(({ text }) => text));
/** Returns the errors that a card shows, each after its input. */
export const errorsOf = ({ body }: Card): string[] =>
  body.flatMap(({ inlines = [] }) => inlines.filter(({ color }) => color === "Attention").map(({ text }) => text));
/** Returns the labels of the buttons of a card. */
export const labelsOf = ({ actions }: Card): string[] => actions.map(({ title = "" }) => title);

/** The inputs of a person, by the labels of fields: a text, or the labels of choices. The time of a date follows it after a space. */
export type Entries = Readonly<Record<string, string | readonly string[]>>;

/** Returns the data that a client sends for a button, after a person has entered something. Other inputs keep their values. */
export function press(card: Card, label: string, entries: Entries): { action: Part; data: Record<string, unknown> } {
  const action = card.actions.find(({ title }) => title === label);
  if (!action?.data) throw new Error(`The card has no button ${label}.`);
  if (action.associatedInputs === "none") return { action, data: action.data };
  const inputs = card.body.filter(({ type }) => type.startsWith("Input."));
  const missing = Object.keys(entries).filter((name) => !inputs.some((input) => input.label === name));
  if (missing.length > 0) throw new Error(`The card has no field ${missing.join()}.`);
  const values = inputs.map((input, index) => {
    const isTime = input.type === "Input.Time";
    const entry = entries[(isTime ? inputs[index - 1] : input)?.label ?? ""];
    const value = entry === undefined ? (input.value ?? "") : toEntered(input, entry, isTime);
    if (input.isRequired && value === "") throw new Error(`The client does not send the card, because ${input.label} is empty.`);
    return [input.id ?? "", value] as const;
  });
  return { action, data: { ...action.data, ...Object.fromEntries(values) } };
}

function toEntered({ type, choices = [] }: Part, entry: Entries[string], isTime: boolean): string {
  if (type === "Input.ChoiceSet")
    return [entry]
      .flat()
      .map((title) => choices.find((choice) => choice.title === title)?.value ?? `no choice ${title}`)
      .join();
  const [first = "", second = ""] = String(entry).split(" ");
  if (isTime) return second;
  return type === "Input.Date" ? first : String(entry);
}
