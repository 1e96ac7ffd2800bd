import { ButtonStyle, ComponentType as kinds, MessageFlags } from "discord-api-types/v10";

/** A component of a message or a modal, in Discord's fields. */
export interface Component {
  type: number;
  id?: number;
  custom_id?: string;
  style?: number;
  label?: string;
  description?: string;
  url?: string;
  content?: string;
  value?: string;
  default?: boolean;
  required?: boolean;
  min_values?: number;
  max_values?: number;
  options?: { label: string; value: string; default?: boolean }[];
  component?: Component;
  components?: Component[];
}
/** The content of a message, and that of a modal. */
export interface Content {
  content?: string;
  embeds?: object[];
  flags?: number;
  components?: Component[];
  allowed_mentions?: { parse?: string[] };
}
export interface Modal {
  custom_id: string;
  title: string;
  components: Component[];
}

function check(holds: boolean, rule: string): void {
  if (!holds) throw new Error(rule);
}
const between = (text: string | undefined, least: number, most: number) =>
  text !== undefined && text.length >= least && text.length <= most;

/** Checks the limits of a message: https://docs.discord.com/developers/components/reference */
export function checkMessage({ content, embeds, flags = 0, components = [], allowed_mentions: mentions }: Content): void {
  check(
    (flags & MessageFlags.IsComponentsV2) !== 0 && content === undefined && embeds === undefined,
    "A message of components has no content and no embeds.",
  );
  const all = components.flatMap((component) => [component, ...(component.components ?? [])]);
  check(all.length >= 1 && all.length <= 40, "A message has 1 to 40 components.");
  check(all.map((component) => component.content ?? "").join("").length <= 4000, "The texts have at most 4,000 characters together.");
  check(
    components.every(({ type, content: text }) => type === kinds.ActionRow || (type === kinds.TextDisplay && between(text, 1, 4000))),
    "A message consists of texts and rows.",
  );
  check(mentions?.parse?.length === 0, "Nobody is mentioned.");
  const buttons = all.filter(({ type }) => type === kinds.Button);
  for (const { label, style, url, custom_id: id } of buttons) {
    check(between(label, 1, 80), "A button has a label of at most 80 characters.");
    check(
      style === ButtonStyle.Link ? between(url, 1, 512) && id === undefined : between(id, 1, 100) && url === undefined,
      "A button has an id or a URL.",
    );
  }
  checkUnique(buttons.flatMap(({ custom_id: id }) => id ?? []));
  checkUnique(all.flatMap(({ id }) => id ?? []));
}

/** Checks the limits of a modal: https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-modal */
export function checkModal({ custom_id: id, title, components }: Modal): void {
  check(between(id, 1, 100) && between(title, 1, 45), "A modal has an id of at most 100 and a title of at most 45 characters.");
  check(components.length >= 1 && components.length <= 5, "A modal has 1 to 5 components.");
  checkUnique(components.flatMap(({ component }) => component?.custom_id ?? []));
  for (const { type, label, description = "-", component } of components) {
    check(type === kinds.Label && between(label, 1, 45), "A component has a label of at most 45 characters.");
    check(between(description, 1, 100), "A description has at most 100 characters.");
    check(component !== undefined && between(component.custom_id, 1, 100), "A component has an id.");
    if (component) checkInput(component);
  }
}

function checkInput({ type, style, value = "", options = [], required = true, min_values: least = 1, max_values: most }: Component): void {
  check(
    [kinds.StringSelect, kinds.TextInput, kinds.FileUpload, kinds.RadioGroup, kinds.CheckboxGroup, kinds.Checkbox].some(
      (kind) => kind === type,
    ),
    "It is an input.",
  );
  if (type === kinds.TextInput)
    check((style === 1 || style === 2) && value.length <= 4000, "A text has a style and at most 4,000 characters.");
  const range =
    type === kinds.StringSelect ? [1, 25] : type === kinds.RadioGroup ? [2, 10] : type === kinds.CheckboxGroup ? [1, 10] : [0, 0];
  check(options.length >= (range[0] ?? 0) && options.length <= (range[1] ?? 0), "The number of choices is allowed.");
  check(
    options.every((option) => between(option.label, 1, 100) && between(option.value, 1, 100)),
    "A choice has at most 100 characters.",
  );
  checkUnique(options.map((option) => option.value));
  if (type === kinds.StringSelect || type === kinds.FileUpload || type === kinds.CheckboxGroup) {
    check(!required || least >= 1, "A required component needs a value.");
    check((most ?? 1) <= (type === kinds.FileUpload ? 10 : options.length), "There are not more values than choices.");
  }
  const chosen = options.filter((option) => option.default).length;
  check(
    chosen <= (type === kinds.CheckboxGroup || type === kinds.StringSelect ? (most ?? options.length) : 1),
    "Not too many choices are selected.",
  );
}

function checkUnique(values: readonly (string | number)[]): void {
  check(new Set(values).size === values.length, "Ids are unique.");
}

/** The inputs of a person, by the labels of fields: a text, whether a box is ticked, the labels of choices, or the ids of uploads. */
export type Entries = Readonly<Record<string, string | boolean | readonly string[]>>;

/** Returns the components of a modal after a person has entered something. Other fields keep their initial values. */
export function fillModal({ components }: Modal, entries: Entries): object[] {
  const missing = Object.keys(entries).filter((label) => !components.some((component) => component.label === label));
  if (missing.length > 0) throw new Error(`The modal has no field ${missing.join()}.`);
  return components.map(({ type, label = "", component }, index) => ({
    type,
    id: index * 2 + 1,
    component: component && {
      type: component.type,
      id: index * 2 + 2,
      custom_id: component.custom_id,
      ...toValue(component, entries[label]),
    },
  }));
}

function toValue({ type, value = "", default: isTicked = false, options = [] }: Component, entry: Entries[string] | undefined): object {
  if (type === kinds.TextInput) return { value: entry ?? value };
  if (type === kinds.Checkbox) return { value: entry ?? isTicked };
  if (type === kinds.FileUpload) return { values: entry ?? [] };
  const isChosen = (option: { label: string; default?: boolean }) =>
    Array.isArray(entry) ? entry.includes(option.label) : entry === undefined ? option.default === true : option.label === entry;
  const values = options.filter(isChosen).map((option) => option.value);
  return type === kinds.RadioGroup ? { value: values[0] ?? null } : { values };
}
