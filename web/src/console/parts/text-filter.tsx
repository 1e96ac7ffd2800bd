import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { toLocalTime } from "./local-time.ts";

const TYPED_MS = 300;

interface TextFilterProps {
  label: string;
  value: string | undefined;
  placeholder?: string;
  type?: "text" | "datetime-local";
  onTyped: (text: string) => void;
}

/** A time of the address, in the form of a field for local times. */
function toLocal(value: string): string {
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) || !/[Zz]|[+-]\d\d:\d\d$/.test(value) ? value : toLocalTime(atMs);
}

/** A field whose text counts when the typing pauses. */
export function TextFilter({ label, value = "", placeholder, type = "text", onTyped }: TextFilterProps) {
  const shown = type === "text" ? value : toLocal(value);
  const [text, setText] = useState(shown);
  const apply = useDebouncedCallback(onTyped, TYPED_MS);
  // The address can change by a link or the back button.
  useEffect(() => setText(shown), [shown]);
  return (
    <TextInput
      size="xs"
      label={label}
      type={type}
      placeholder={placeholder ?? ""}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        apply(target.value);
      }}
    />
  );
}
