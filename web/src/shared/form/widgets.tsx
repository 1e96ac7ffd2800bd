import { Checkbox, NativeSelect, Radio, Stack, Textarea } from "@mantine/core";
import {
  enumOptionSelectedValue,
  enumOptionsIsSelected,
  enumOptionValueDecoder,
  enumOptionValueEncoder,
  type RegistryWidgetsType,
  type WidgetProps,
} from "@rjsf/utils";
import { common } from "./common.ts";
import { DateTimeWidget } from "./date-time-widget.tsx";
import { FileWidget } from "./file-widget.tsx";

function TextareaWidget(props: WidgetProps) {
  const { value, onChange, options } = props;
  return (
    <Textarea
      {...common(props)}
      rows={4}
      value={value ?? ""}
      onChange={({ target }) => onChange(target.value === "" ? options.emptyValue : target.value)}
    />
  );
}

/** The native control of the browser, which is familiar on phones. */
function SelectWidget(props: WidgetProps) {
  const { value, onChange, options, multiple } = props;
  const { enumOptions = [], emptyValue } = options;
  if (multiple) return <CheckboxesWidget {...props} />;
  const data = enumOptions.map((option, index) => ({ value: enumOptionValueEncoder(option.value, index, "indexed"), label: option.label }));
  const selected = enumOptionSelectedValue(value, enumOptions, false, "indexed", "") as string;
  return (
    <NativeSelect
      {...common(props)}
      value={selected ?? ""}
      data={[{ value: "", label: "" }, ...data]}
      onChange={({ target }) => onChange(enumOptionValueDecoder(target.value, enumOptions, "indexed", emptyValue))}
    />
  );
}

function CheckboxWidget(props: WidgetProps) {
  const { value, onChange } = props;
  return <Checkbox {...common(props)} label={props.label} checked={value === true} onChange={({ target }) => onChange(target.checked)} />;
}

function CheckboxesWidget(props: WidgetProps) {
  const { value, onChange, options } = props;
  const { enumOptions = [] } = options;
  const { name, disabled, required, label, ...group } = common(props);
  const chosen: unknown[] = Array.isArray(value) ? value : [];
  const isChosen = (index: number) => enumOptionsIsSelected(enumOptions[index]?.value, chosen);
  // The group identifies choices by index, because a choice may have any type.
  const positions = enumOptions.map((_, index) => String(index));
  const change = (now: string[]) =>
    onChange(positions.flatMap((position, index) => (now.includes(position) ? [enumOptions[index]?.value] : [])));
  return (
    <Checkbox.Group
      {...group}
      label={label ?? props.label}
      withAsterisk={required}
      value={positions.filter((_, index) => isChosen(index))}
      onChange={change}
    >
      <Stack gap="xs" mt="xs">
        {enumOptions.map((option, index) => (
          <Checkbox key={positions[index]} name={name} value={positions[index] ?? ""} label={option.label} disabled={disabled} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

function RadioWidget(props: WidgetProps) {
  const { value, onChange, options } = props;
  const { enumOptions = [], emptyValue } = options;
  const { name, disabled, ...group } = common(props);
  return (
    <Radio.Group
      {...group}
      name={name}
      value={(enumOptionSelectedValue(value, enumOptions, false, "indexed", "") as string) ?? ""}
      onChange={(chosen) => onChange(enumOptionValueDecoder(chosen, enumOptions, "indexed", emptyValue))}
    >
      <Stack gap="xs" mt="xs">
        {enumOptions.map((option, index) => (
          <Radio
            key={enumOptionValueEncoder(option.value, index, "indexed")}
            value={enumOptionValueEncoder(option.value, index, "indexed")}
            label={option.label}
            disabled={disabled}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}

export const widgets: RegistryWidgetsType = {
  TextareaWidget,
  SelectWidget,
  CheckboxWidget,
  CheckboxesWidget,
  RadioWidget,
  FileWidget,
  DateTimeWidget,
};
