/** An option of a select, as Slack returns it. */
interface Option {
  text: { text: string };
  value: string;
}
interface Element {
  type: string;
  action_id: string;
  options?: Option[];
  max_files?: number;
  initial_value?: string;
  initial_date?: string;
  initial_date_time?: number;
  initial_option?: Option;
  initial_options?: Option[];
}
interface InputBlock {
  type: string;
  block_id?: string;
  optional?: boolean;
  label?: { text: string };
  hint?: { text: string };
  text?: { text: string };
  element?: Element;
}
/** A dialog of Slack. */
export interface View {
  type: string;
  callback_id: string;
  private_metadata: string;
  title: { text: string };
  blocks: InputBlock[];
}

const ELEMENTS = new Set([
  "plain_text_input",
  "email_text_input",
  "url_text_input",
  "number_input",
  "datepicker",
  "datetimepicker",
  "checkboxes",
  "static_select",
  "multi_static_select",
  "external_select",
  "multi_external_select",
  "file_input",
]);

/** Checks the limits of a dialog: https://docs.slack.dev/reference/views/modal-views */
export function checkView(view: View): void {
  const check = (holds: boolean, rule: string) => {
    if (!holds) throw new Error(rule);
  };
  check(JSON.stringify(view).length <= 250_000, "A view has at most 250 KB.");
  check(view.blocks.length <= 100, "A dialog has at most 100 blocks.");
  check(view.private_metadata.length <= 3000, "The metadata has at most 3,000 characters.");
  check(view.title.text.length <= 24, "The title has at most 24 characters.");
  check(new Set(view.blocks.map(({ block_id: id }, index) => id ?? index)).size === view.blocks.length, "The ids of blocks are unique.");
  for (const { type, label, hint, element } of view.blocks) {
    if (type !== "input" || !element) continue;
    check(ELEMENTS.has(element.type), `An input has no element ${element.type}.`);
    check(between(label?.text, 1, 2000) && between(hint?.text ?? "-", 1, 2000), "Labels and hints have 1 to 2,000 characters.");
    check((element.initial_value ?? "").length <= 3000, "A text has at most 3,000 characters.");
    const isLoaded = element.type.endsWith("external_select");
    const { options = [], initial_option: one, initial_options: several = [] } = element;
    if (element.type.endsWith("select") && !isLoaded) check(options.length >= 1 && options.length <= 100, "A select has 1 to 100 options.");
    checkOptions([...options, ...several, ...(one ? [one] : [])]);
    for (const { value } of isLoaded ? [] : [...several, ...(one ? [one] : [])])
      check(
        options.some((option) => option.value === value),
        "A chosen option is one of the options.",
      );
  }
}

/** Checks the limits of options, also of those that are loaded. */
export function checkOptions(options: readonly Option[]): void {
  if (!options.every(({ text, value }) => between(text.text, 1, 75) && between(value, 1, 75)))
    throw new Error("Texts and values of options have 1 to 75 characters.");
}

const between = (text: string | undefined, least: number, most: number) =>
  text !== undefined && text.length >= least && text.length <= most;

/** The inputs of a person, by the labels of fields: a text, a time (epoch s), the labels of choices, or uploaded files. */
export type Entries = Readonly<Record<string, string | number | readonly string[] | readonly object[]>>;

/** Returns the state of a dialog after a person has entered something. Other fields keep their initial values. `loaded`: options that Slack has loaded. */
export function fillView({ blocks }: View, entries: Entries, loaded: readonly Option[] = []): Record<string, object> {
  const inputs = blocks.flatMap(({ type, block_id: id = "", label, element }) =>
    type === "input" && element ? [{ id, label: label?.text ?? "", element }] : [],
  );
  const missing = Object.keys(entries).filter((label) => !inputs.some((input) => input.label === label));
  if (missing.length > 0) throw new Error(`The dialog has no field ${missing.join()}.`);
  return Object.fromEntries(
    inputs.map(({ id, label, element }) => [
      id,
      { [element.action_id]: { type: element.type, ...stateOf(element, entries[label], loaded) } },
    ]),
  );
}

function stateOf(element: Element, entry: Entries[string] | undefined, loaded: readonly Option[]): object {
  const { type, options = [], initial_value, initial_date, initial_date_time, initial_option, initial_options = [] } = element;
  const find = (text: unknown) => [...options, ...loaded].find((option) => option.text.text === text);
  if (type === "file_input") return { files: entry ?? [] };
  if (type === "datepicker") return { selected_date: entry ?? initial_date ?? null };
  if (type === "datetimepicker") return { selected_date_time: entry ?? initial_date_time ?? null };
  if (type === "checkboxes" || type.startsWith("multi_"))
    return { selected_options: Array.isArray(entry) ? entry.map(find) : initial_options };
  if (type.endsWith("select")) return { selected_option: entry === undefined ? (initial_option ?? null) : find(entry) };
  return { value: entry ?? initial_value ?? null };
}
