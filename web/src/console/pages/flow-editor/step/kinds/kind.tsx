import { Stack, Text } from "@mantine/core";
import { stepText as text } from "../../../../messages/editor/step.ts";
import { JsonField } from "../../../../parts/json-field/json-field.tsx";
import type { ModuleValue } from "../../document/flow-document.ts";
import { FieldList } from "../fields/field-editor.tsx";
import { otherFields, specialFields, valueSettings, withOtherFields } from "../fields/fields.ts";
import { Inputs } from "../inputs/inputs.tsx";
import { Branches } from "./branches.tsx";
import { Called } from "./called.tsx";
import { Inline } from "./inline.tsx";
import { MessagePreview } from "./message-preview.tsx";

type Values = Readonly<Record<string, unknown>>;

interface KindProps {
  workspace: string;
  /** The path of the flow. */
  path: string;
  value: ModuleValue;
  onChange: (value: ModuleValue) => void;
  readOnly: boolean;
}

/** Edits the parts of one kind of step: code, path, inputs, list, branches or approvers. */
export function Kind(props: KindProps) {
  const { workspace, path, value, onChange } = props;
  const { type } = value;
  const settings = valueSettings[type];
  if (!settings) {
    const others = otherFields(value, ["type"]);
    return (
      <Stack gap="sm">
        <Text size="sm">{text.unknown}</Text>
        <JsonField
          label={text.otherFields}
          help={text.otherFieldsHelp}
          isObject
          value={others}
          onChange={(changed) => onChange(withOtherFields(value, ["type"], changed as Values) as ModuleValue)}
        />
      </Stack>
    );
  }
  const hidden = ["type", ...(specialFields[type] ?? [])];
  const visible = otherFields(value, hidden);
  const message = value["message"];
  const runs = type === "script" || type === "flow" || type === "rawscript";
  const list = (
    <FieldList
      around={type}
      fields={settings}
      values={visible}
      onChange={(changed) => onChange({ ...withoutFields(value, visible), ...changed } as ModuleValue)}
    />
  );
  return (
    <Stack gap="md">
      {type === "rawscript" && <Inline {...props} />}
      {(type === "script" || type === "flow") && <Called {...props} />}
      {type === "identity" && <Text size="sm">{text.identity}</Text>}
      {type === "aiagent" && <Text size="sm">{text.agent}</Text>}
      {(type === "branchone" || type === "branchall") && <Branches value={value} onChange={onChange} />}
      {runs && <Inputs workspace={workspace} value={value} onChange={onChange} />}
      {runs ? (
        <details>
          <summary>{text.settings}</summary>
          {list}
        </details>
      ) : (
        list
      )}
      {type === "consentgate" && <MessagePreview path={path} message={typeof message === "string" ? message : ""} />}
    </Stack>
  );
}

const withoutFields = (value: ModuleValue, fields: Values) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !Object.hasOwn(fields, name)));
