import { TextInput } from "@mantine/core";
import { storedText } from "../../messages/objects/stored.ts";

interface PathFieldProps {
  value: string;
  onChange: (path: string) => void;
}

/** The path of an object. Another path renames it. */
export function PathField({ value, onChange }: PathFieldProps) {
  return (
    <TextInput
      data-autofocus
      label={storedText.path}
      description={storedText.pathHelp}
      required
      withAsterisk={false}
      maxLength={255}
      spellCheck={false}
      autoComplete="off"
      value={value}
      onChange={({ target }) => onChange(target.value.trim())}
    />
  );
}
