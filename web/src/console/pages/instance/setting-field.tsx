import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { instanceTabsText } from "../../messages/objects/instance.ts";
import { LabelsField } from "../../parts/fields/labels-field.tsx";
import { RowsField } from "../../parts/fields/rows-field.tsx";
import { JsonField } from "../../parts/json-field/json-field.tsx";
import { fromSourceRows, type SourcesRow, toSourceRows } from "./allowed-sources.ts";

const text = instanceTabsText.settings;

interface FieldProps {
  value: unknown;
  /** `null` restores the default. */
  onChange: (value: unknown) => void;
  onBroken: (isBroken: boolean) => void;
}

interface SettingFieldProps extends FieldProps {
  name: keyof typeof text.names;
}

/** The field of a setting. A stored value of another form is JSON. */
export function SettingField({ name, value, onChange, onBroken }: SettingFieldProps) {
  const { label, help } = text.names[name];
  const isUnset = value === null || value === undefined;
  if (name === "aws_trigger_sources" && toSourceRows(value)) return <SourcesField value={value} onChange={onChange} onBroken={onBroken} />;
  if (name === "timeout_wait_result" && (isUnset || typeof value === "number"))
    return (
      <TextInput
        type="number"
        min={1}
        label={label}
        description={help}
        value={isUnset ? "" : value}
        onChange={({ target }) => onChange(target.value === "" ? null : Number(target.value))}
      />
    );
  const isSwitch = name === "http_route_workspaced_route" || name === "require_preexisting_user_for_oauth";
  if (isSwitch && (isUnset || typeof value === "boolean"))
    return (
      <NativeSelect
        label={label}
        description={help}
        data={[
          { value: "", label: text.byDefault },
          { value: "true", label: text.yes },
          { value: "false", label: text.no },
        ]}
        value={isUnset ? "" : String(value)}
        onChange={({ target }) => onChange(target.value === "" ? null : target.value === "true")}
      />
    );
  return (
    <JsonField label={label} help={help} value={value ?? undefined} onBroken={onBroken} onChange={(typed) => onChange(typed ?? null)} />
  );
}

/** The sources that the triggers of each workspace may use. */
function SourcesField({ value, onChange, onBroken }: FieldProps) {
  const [rows, setRows] = useState<readonly SourcesRow[]>(() => toSourceRows(value) ?? []);
  const { label, help } = text.names.aws_trigger_sources;
  const change = (changed: SourcesRow[]) => {
    setRows(changed);
    const sources = fromSourceRows(changed);
    onBroken(sources === undefined);
    if (sources !== undefined) onChange(sources);
  };
  return (
    <RowsField
      label={label}
      help={help}
      rows={rows}
      blank={{ workspace: "", sources: [] }}
      onChange={change}
      nameOf={({ workspace }) => workspace}
    >
      {({ workspace, sources }, changeRow) => (
        <>
          <TextInput
            label={text.workspace}
            spellCheck={false}
            value={workspace}
            onChange={({ target }) => changeRow({ workspace: target.value.trim() })}
          />
          <LabelsField label={text.arns} help={text.arnsHelp} value={sources} onChange={(typed) => changeRow({ sources: typed })} />
        </>
      )}
    </RowsField>
  );
}
