import { Button, Group, NativeSelect, NumberInput, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { settingsText as text } from "../../../messages/editor/script.ts";
import type { EditedScript } from "../script.ts";
import { changedSettings, type SettingName, settingNames, settings } from "./settings.ts";

interface SettingsProps {
  script: EditedScript;
  onChange: (changes: Partial<EditedScript>) => void;
}

/** The settings that differ from their defaults. Others can be added. */
export function SettingsFields({ script, onChange }: SettingsProps) {
  const [added, setAdded] = useState<readonly SettingName[]>([]);
  const shown = settingNames.filter((name) => added.includes(name) || changedSettings(script).includes(name));
  const others = settingNames.filter((name) => !shown.includes(name));
  return (
    <Stack gap="sm">
      {shown.length === 0 && <Text c="dimmed">{text.none}</Text>}
      {shown.map((name) => (
        <Group key={name} gap="xs" align="end" wrap="nowrap">
          <div className="setting">
            <SettingField name={name} value={script[name]} onChange={(value) => onChange({ [name]: value })} />
          </div>
          <Button
            size="xs"
            variant="default"
            aria-label={text.removeOf(text.names[name])}
            onClick={() => {
              setAdded(added.filter((other) => other !== name));
              onChange({ [name]: undefined });
            }}
          >
            {text.remove}
          </Button>
        </Group>
      ))}
      {others.length > 0 && (
        <NativeSelect
          label={text.add}
          value=""
          data={[{ value: "", label: text.choose }, ...others.map((name) => ({ value: name, label: text.names[name] }))]}
          onChange={({ target }) => {
            const name = others.find((other) => other === target.value);
            if (!name) return;
            setAdded([...added, name]);
            if (settings[name].kind === "switch") onChange({ [name]: true });
          }}
        />
      )}
    </Stack>
  );
}

function SettingField({ name, value, onChange }: { name: SettingName; value: unknown; onChange: (value: unknown) => void }) {
  const label = text.names[name];
  const { kind, max } = settings[name];
  switch (kind) {
    case "switch":
      return <Switch label={label} checked={value === true} onChange={({ target }) => onChange(target.checked)} />;
    case "number":
      return (
        <NumberInput
          label={label}
          min={0}
          {...(max ? { max } : {})}
          allowDecimal={false}
          value={typeof value === "number" ? value : ""}
          onChange={(next) => onChange(typeof next === "number" ? next : undefined)}
        />
      );
    case "list":
      return (
        <Textarea
          label={label}
          description={text.listHelp}
          autosize
          value={Array.isArray(value) ? value.join("\n") : ""}
          onChange={({ target }) => onChange(target.value === "" ? undefined : target.value.split("\n"))}
        />
      );
    case "long":
      return (
        <Textarea label={label} rows={3} value={typeof value === "string" ? value : ""} onChange={({ target }) => onChange(target.value)} />
      );
    default:
      return <TextInput label={label} value={typeof value === "string" ? value : ""} onChange={({ target }) => onChange(target.value)} />;
  }
}
