import { parseExactJson } from "../../../../../contract/json/exact-json.ts";

/** A field of a form, as two versions are compared. */
export interface ComparedField<V> {
  label: string;
  /** The values of the field. */
  keys: readonly (keyof V)[];
  /** Returns the text that is shown. A secret is not part of it. */
  toText: (values: V) => string;
  /** Reads a text that was merged of both versions. Undefined for a broken one. Absent: the field has no text of several lines. */
  fromText?: (text: string, values: V) => Partial<V> | undefined;
}

/** The version of a field that is saved: that of one person, or a merged text. */
export type Choice = "mine" | "theirs" | { merged: string };

export interface DifferingField {
  label: string;
  mine: string;
  theirs: string;
  /** The text that both began from, if it is known. */
  base: string | undefined;
  /** The version that only one person has changed, otherwise the own one. */
  suggested: Choice;
  /** Returns whether a merged text can be saved. Absent: the field cannot be merged. */
  accepts?: (merged: string) => boolean;
}

/** Describes a field with one value. */
export function compared<V, K extends keyof V>(label: string, key: K, toText: (value: V[K]) => string = toPlainText): ComparedField<V> {
  const field = { label, keys: [key], toText: (values: V) => toText(values[key]) };
  return toText === toPlainText ? { ...field, fromText: (text, values) => readText(text, key, values) } : field;
}

/** Reads the text of a value as it was shown: a text as it is, everything else as JSON. */
function readText<V>(text: string, key: keyof V, values: V): Partial<V> | undefined {
  try {
    return { [key]: typeof values[key] === "string" ? text : parseExactJson(text) } as Partial<V>;
  } catch {
    return undefined;
  }
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
  return fields.flatMap(({ label, toText, fromText }) => {
    const texts = { mine: toText(mine), theirs: toText(theirs), base: base && toText(base) };
    if (texts.mine === texts.theirs) return [];
    const suggested = texts.base === texts.mine ? ("theirs" as const) : ("mine" as const);
    const isLong = [texts.mine, texts.theirs].some((text) => text.includes("\n"));
    if (!isLong || !fromText) return [{ label, ...texts, suggested }];
    return [{ label, ...texts, suggested, accepts: (merged: string) => fromText(merged, mine) !== undefined }];
  });
}

/** Returns the newest version with the fields of the own one, except for those whose choice is `theirs` or a merged text. */
export function combineVersions<V>(
  fields: readonly ComparedField<V>[],
  { mine, theirs }: Pick<Versions<V>, "mine" | "theirs">,
  choices: Readonly<Record<string, Choice>>,
): V {
  const combined = { ...theirs };
  for (const { label, keys, fromText } of fields) {
    const choice = Object.hasOwn(choices, label) ? choices[label] : "mine";
    if (choice === "theirs") continue;
    for (const key of keys) combined[key] = mine[key];
    const merged = typeof choice === "object" ? fromText?.(choice.merged, mine) : undefined;
    for (const key of merged ? keys : []) if (merged?.[key] !== undefined) combined[key] = merged[key];
  }
  return combined;
}
