import { Textarea } from "@mantine/core";
import type { FieldProps } from "@rjsf/utils";
import { useEffect, useState } from "react";

/** The fields whose present input is no value yet, by their ids, each with the sentence for a reader who sends the form. */
export type Unfinished = Map<string, string>;

/** A field for any JSON value. Text that is not JSON yet stays in the field, and the form is not sent. */
export function JsonField(props: FieldProps) {
  const { schema, name, title, fieldPathId, formData, required, disabled, readonly, rawErrors, registry, onChange } = props;
  const { unfinished } = registry.formContext as { unfinished: Unfinished };
  const label = schema.title ?? title ?? name;
  const id = fieldPathId.$id;
  useEffect(() => () => void unfinished.delete(id), [unfinished, id]);
  const [text, setText] = useState(() => (formData === undefined ? "" : JSON.stringify(formData, null, 2)));
  const [broken, setBroken] = useState(false);
  const change = (next: string) => {
    setText(next);
    const parsed = parse(next);
    setBroken(parsed === undefined);
    if (parsed) unfinished.delete(id);
    else unfinished.set(id, `${label}: Enter valid JSON.`);
    onChange(parsed?.value, fieldPathId.path);
  };
  const errors = [...(broken ? ["Enter valid JSON."] : []), ...(rawErrors ?? [])];
  return (
    <Textarea
      id={id}
      label={label}
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
