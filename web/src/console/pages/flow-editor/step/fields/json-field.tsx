import { Textarea } from "@mantine/core";
import { parseExactJson } from "../../../../../../../contract/json/exact-json.ts";
import { stepText as text } from "../../../../messages/editor/step.ts";
import { useTypedText } from "./use-typed-text.ts";

interface JsonFieldProps {
  label: string;
  help?: string | undefined;
  value: unknown;
  onChange: (value: unknown) => void;
  /** Only an object is complete. */
  isObject?: boolean;
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

function parseObject(written: string) {
  const parsed = parseJson(written);
  const isObject = typeof parsed?.value === "object" && parsed.value !== null && !Array.isArray(parsed.value);
  return isObject ? parsed : undefined;
}

/** A field for any JSON value. A text that is not complete stays in the field, and changes nothing. */
export function JsonField({ label, help, value, onChange, isObject = false }: JsonFieldProps) {
  const typed = useTypedText({ value, format, parse: isObject ? parseObject : parseJson, onChange });
  return (
    <Textarea
      label={label}
      description={help}
      error={typed.isBroken && (isObject ? text.notObject : text.notJson)}
      autosize
      minRows={2}
      maxRows={16}
      spellCheck={false}
      classNames={{ input: "code-input" }}
      value={typed.text}
      onChange={({ target }) => typed.change(target.value)}
    />
  );
}
