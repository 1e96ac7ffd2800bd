import { useState } from "react";

interface TypedText<V> {
  value: V;
  format: (value: V) => string;
  /** Returns undefined for a text that is not complete. */
  parse: (text: string) => { value: V } | undefined;
  onChange: (value: V) => void;
}

/** Holds the text of a field whose value is not a text. A change from outside, such as "Undo", replaces the text. */
export function useTypedText<V>({ value, format, parse, onChange }: TypedText<V>) {
  const formatted = format(value);
  const [typed, setTyped] = useState({ text: formatted, formatted });
  const isForeign = typed.formatted !== formatted;
  if (isForeign) setTyped({ text: formatted, formatted });
  const text = isForeign ? formatted : typed.text;
  return {
    text,
    isBroken: parse(text) === undefined,
    change: (next: string) => {
      const parsed = parse(next);
      setTyped({ text: next, formatted: parsed ? format(parsed.value) : formatted });
      if (parsed) onChange(parsed.value);
    },
  };
}
