import { Textarea } from "@mantine/core";
import type { FieldProps } from "@rjsf/utils";
import { useState } from "react";

/** A field for any JSON value. Text that is not JSON yet stays in the field and is not sent. */
export function JsonField({ schema, name, title, fieldPathId, formData, required, disabled, readonly, rawErrors, onChange }: FieldProps) {
  const [text, setText] = useState(() => (formData === undefined ? "" : JSON.stringify(formData, null, 2)));
  const [broken, setBroken] = useState(false);
  const change = (next: string) => {
    setText(next);
    const parsed = parse(next);
    setBroken(parsed === undefined);
    onChange(parsed?.value, fieldPathId.path);
  };
  const errors = [...(broken ? ["Enter valid JSON."] : []), ...(rawErrors ?? [])];
  return (
    <Textarea
      id={fieldPathId.$id}
      label={schema.title ?? title ?? name}
      description={schema.description ?? "As JSON."}
      error={errors.length > 0 ? errors.join(" ") : undefined}
      required={required ?? false}
      disabled={disabled === true || readonly === true}
      rows={4}
      spellCheck={false}
      value={text}
      onChange={({ target }) => change(target.value)}
    />
  );
}

function parse(text: string): { value: unknown } | undefined {
  if (text.trim() === "") return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
