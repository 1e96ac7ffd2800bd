/** A field of a form, as two versions are compared. */
export interface ComparedField<V> {
  label: string;
  /** The values of the field. */
  keys: readonly (keyof V)[];
  /** Returns the text that is shown. A secret is not part of it. */
  toText: (values: V) => string;
}

export type Choice = "mine" | "theirs";

export interface DifferingField {
  label: string;
  mine: string;
  theirs: string;
  /** The version that only one person has changed, otherwise the own one. */
  suggested: Choice;
}

/** Describes a field with one value. */
export function compared<V, K extends keyof V>(label: string, key: K, toText: (value: V[K]) => string = toPlainText): ComparedField<V> {
  return { label, keys: [key], toText: (values) => toText(values[key]) };
}

function toPlainText(value: unknown): string {
  if (typeof value === "boolean") return value ? "✓" : "";
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

interface Versions<V> {
  mine: V;
  theirs: V;
  /** The version from which both were made, if it is known. */
  base: V | undefined;
}

/** Returns the fields whose texts differ. */
export function differingFields<V>(fields: readonly ComparedField<V>[], { mine, theirs, base }: Versions<V>): DifferingField[] {
  return fields.flatMap(({ label, toText }) => {
    const texts = { mine: toText(mine), theirs: toText(theirs) };
    if (texts.mine === texts.theirs) return [];
    const onlyTheirs = base !== undefined && toText(base) === texts.mine;
    return [{ label, ...texts, suggested: onlyTheirs ? ("theirs" as const) : ("mine" as const) }];
  });
}

/** Returns the newest version with the fields of the own one, except for those whose choice is `theirs`. */
export function combineVersions<V>(
  fields: readonly ComparedField<V>[],
  { mine, theirs }: Pick<Versions<V>, "mine" | "theirs">,
  choices: Readonly<Record<string, Choice>>,
): V {
  const combined = { ...theirs };
  for (const { label, keys } of fields) {
    if (Object.hasOwn(choices, label) && choices[label] === "theirs") continue;
    for (const key of keys) combined[key] = mine[key];
  }
  return combined;
}
