import { Button, Group, Menu, Stack, Text } from "@mantine/core";
import { stepText as text } from "../../../../messages/editor/step.ts";
import { wordsOf } from "../../../../messages/editor/step-fields.ts";
import { FieldEditor } from "./field-editor.tsx";
import { type Fields, isSet, startOf, withField } from "./fields.ts";

type Values = Readonly<Record<string, unknown>>;

interface OptionsProps {
  /** The owner of the options: `step` or `flow`. */
  around: string;
  options: Fields;
  values: Values;
  onChange: (values: Values) => void;
}

/** The options that are set. The others are in a menu. */
export function Options({ around, options, values, onChange }: OptionsProps) {
  const labelOf = (name: string) => wordsOf(around, name)?.label ?? name;
  const present = Object.entries(options).filter(([name]) => isSet(values[name]));
  const absent = Object.entries(options).filter(([name]) => !isSet(values[name]));
  return (
    <Stack gap="md">
      {present.length === 0 && <Text size="sm">{text.noOptions}</Text>}
      {present.map(([name, field]) => (
        <Stack key={name} gap={4}>
          <FieldEditor
            around={around}
            name={name}
            field={field}
            value={values[name]}
            // An emptied option is still an option until it is removed.
            onChange={(value) => onChange(withField(values, name, value === undefined ? emptyOf(field.kind) : value))}
          />
          <Group>
            <Button size="compact-xs" variant="default" onClick={() => onChange(withField(values, name, undefined))}>
              {text.removeOption(labelOf(name))}
            </Button>
          </Group>
        </Stack>
      ))}
      {absent.length > 0 && (
        <Menu position="bottom-start" transitionProps={{ duration: 0 }} withinPortal={false}>
          <Menu.Target>
            <Button size="xs" variant="default" className="step-add">
              {text.addOption}
            </Button>
          </Menu.Target>
          <Menu.Dropdown className="step-menu">
            {absent.map(([name, field]) => (
              <Menu.Item key={name} onClick={() => onChange(withField(values, name, startOf(name, field)))}>
                {labelOf(name)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </Stack>
  );
}

/** A number that is being typed again is absent for a moment. */
const emptyOf = (kind: string) => (kind === "text" || kind === "expression" ? "" : undefined);
