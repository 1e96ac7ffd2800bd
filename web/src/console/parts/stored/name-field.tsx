import { TextInput } from "@mantine/core";
import { storedText } from "../../messages/objects/stored.ts";

interface NameFieldProps {
  help: string;
  value: string;
  onChange: (name: string) => void;
}

/** The name of a new object that has no path. It does not change later, because others refer to it. */
export function NameField({ help, value, onChange }: NameFieldProps) {
  return (
    <TextInput
      data-autofocus
      label={storedText.name}
      description={help}
      required
      withAsterisk={false}
      pattern="[A-Za-z0-9_\-]{1,100}"
      spellCheck={false}
      autoComplete="off"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
