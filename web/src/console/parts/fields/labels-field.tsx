import { TextInput } from "@mantine/core";
import { useTypedText } from "../json-field/use-typed-text.ts";
import { formatLabels, parseLabels } from "./labels.ts";

interface LabelsFieldProps {
  label: string;
  help: string;
  value: readonly string[];
  onChange: (labels: string[]) => void;
}

/** The labels of an object, as a text with commas. */
export function LabelsField({ label, help, value, onChange }: LabelsFieldProps) {
  const typed = useTypedText({ value: [...value], format: formatLabels, parse: (text) => ({ value: parseLabels(text) }), onChange });
  return (
    <TextInput
      label={label}
      description={help}
      spellCheck={false}
      autoComplete="off"
      value={typed.text}
      onChange={({ target }) => typed.change(target.value)}
    />
  );
}
