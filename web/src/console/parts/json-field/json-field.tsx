import { Textarea } from "@mantine/core";
import { useEffect } from "react";
import { parseExactJson } from "../../../../../contract/json/exact-json.ts";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { formText as text } from "../../messages/form.ts";
import { useTypedText } from "./use-typed-text.ts";

interface JsonFieldProps {
  label: string;
  help?: string | undefined;
  value: unknown;
  onChange: (value: unknown) => void;
  /** Only an object is complete. */
  isObject?: boolean;
  /** The text may be empty, which removes the value. */
  isEmptyAllowed?: boolean;
  /** Receives whether the text is complete, so that a form can wait for it. */
  onBroken?: (isBroken: boolean) => void;
  minRows?: number;
  maxRows?: number;
}

const format = (value: unknown) => (value === undefined ? "" : (JSON.stringify(value, null, 2) ?? ""));

function parseJson(written: string): { value: unknown } | undefined {
  if (written.trim() === "") return { value: undefined };
  try {
    return { value: parseExactJson(written) };
  } catch {
    return undefined;
  }
}

const parseObject = (isEmptyAllowed: boolean) => (written: string) => {
  const parsed = parseJson(written);
  return isJsonObject(parsed?.value) || (isEmptyAllowed && parsed?.value === undefined) ? parsed : undefined;
};

/** A field for any JSON value. A text that is not complete stays in the field, and changes nothing. */
export function JsonField({
  label,
  help,
  value,
  onChange,
  isObject = false,
  isEmptyAllowed = false,
  onBroken,
  minRows = 2,
  maxRows = 16,
}: JsonFieldProps) {
  const typed = useTypedText({ value, format, parse: isObject ? parseObject(isEmptyAllowed) : parseJson, onChange });
  const { isBroken } = typed;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the state is reported
  useEffect(() => onBroken?.(isBroken), [isBroken]);
  return (
    <Textarea
      label={label}
      description={help}
      error={isBroken && (isObject ? text.notObject : text.notJson)}
      autosize
      minRows={minRows}
      maxRows={maxRows}
      spellCheck={false}
      classNames={{ input: "code-input" }}
      value={typed.text}
      onChange={({ target }) => typed.change(target.value)}
    />
  );
}
