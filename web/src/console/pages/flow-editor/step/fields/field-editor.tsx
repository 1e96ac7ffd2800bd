import { Button, Fieldset, Group, NativeSelect, Stack, Switch, Textarea, TextInput } from "@mantine/core";
import { loadOnDemand } from "../../../../frame/load-on-demand.tsx";
import { stepText as text } from "../../../../messages/editor/step.ts";
import { wordsOf } from "../../../../messages/editor/step-fields.ts";
import { JsonField } from "../../../../parts/json-field/json-field.tsx";
import { useTypedText } from "../../../../parts/json-field/use-typed-text.ts";
import { ExpressionField } from "../inputs/expression-field.tsx";
import { TransformField } from "../inputs/transform-field.tsx";
import { isTransform } from "../inputs/transforms.ts";
import { type Field, type Fields, isSet, otherFields, startOf, withField, withOtherFields } from "./fields.ts";
import { LinesField } from "./lines-field.tsx";

const SchemaEditor = loadOnDemand(() => import("../../../../parts/schema-editor/schema-editor.tsx"));

type Values = Readonly<Record<string, unknown>>;

interface FieldEditorProps {
  /** The group or the kind of step that contains the field. */
  around: string;
  name: string;
  field: Field;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** Edits one field of a step. */
export function FieldEditor({ around, name, field, value, onChange }: FieldEditorProps) {
  const { label, help } = wordsOf(around, name) ?? { label: name };
  switch (field.kind) {
    case "switch":
      return <Switch label={label} description={help} checked={value === true} onChange={({ target }) => onChange(target.checked)} />;
    case "text": {
      const common = { label, description: help, value: typeof value === "string" ? value : "" };
      const change = (typed: string) => onChange(typed === "" ? undefined : typed);
      return field.isLong ? (
        <Textarea {...common} autosize minRows={3} maxRows={14} onChange={({ target }) => change(target.value)} />
      ) : (
        <TextInput {...common} spellCheck={false} autoComplete="off" onChange={({ target }) => change(target.value)} />
      );
    }
    case "number":
      return <NumberField label={label} help={help} most={field.most} value={value} onChange={onChange} />;
    case "expression":
      return <ExpressionField label={label} help={help} value={typeof value === "string" ? value : ""} onChange={onChange} />;
    case "lines":
      return <LinesField label={label} help={help} names={field.names} value={value} onChange={onChange} />;
    case "choice":
      return (
        <NativeSelect
          label={label}
          description={help}
          data={[{ value: "", label: "" }, ...field.values]}
          value={typeof value === "string" ? value : ""}
          onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
        />
      );
    case "transform":
      return <Transform name={`${around}.${name}`} label={label} help={help} field={field} value={value} onChange={onChange} />;
    case "schema":
      return <SchemaEditor label={label} schema={(value ?? {}) as Record<string, unknown>} onChange={onChange} />;
    case "group":
      return (
        <Fieldset legend={label} className="step-group">
          <FieldList around={name} fields={field.fields} values={(value ?? {}) as Values} onChange={onChange} />
        </Fieldset>
      );
    default:
      return <JsonField label={label} help={help} value={value} onChange={onChange} />;
  }
}

interface FieldListProps {
  around: string;
  fields: Fields;
  values: Values;
  onChange: (values: Values) => void;
}

/** Edits the fields of an object. Groups that are not set are added by a button, and unknown fields are JSON. */
export function FieldList({ around, fields, values, onChange }: FieldListProps) {
  const shown = Object.keys(fields);
  const others = otherFields(values, shown);
  const absent = Object.entries(fields).filter(([name, { kind }]) => kind === "group" && !isSet(values[name]));
  const words = (name: string) => wordsOf(around, name)?.label ?? name;
  return (
    <Stack gap="sm">
      {Object.entries(fields).map(([name, field]) => {
        const isGroup = field.kind === "group";
        if (isGroup && !isSet(values[name])) return null;
        const change = (value: unknown) => onChange(withField(values, name, value));
        return (
          <Stack key={name} gap={4}>
            <FieldEditor around={around} name={name} field={field} value={values[name]} onChange={change} />
            {isGroup && (
              <Group>
                <Button size="compact-xs" variant="default" onClick={() => change(undefined)}>
                  {text.removeOption(words(name))}
                </Button>
              </Group>
            )}
          </Stack>
        );
      })}
      {absent.length > 0 && (
        <Group gap="xs">
          {absent.map(([name, field]) => (
            <Button key={name} size="compact-xs" variant="default" onClick={() => onChange(withField(values, name, startOf(name, field)))}>
              {text.addPart(words(name))}
            </Button>
          ))}
        </Group>
      )}
      {Object.keys(others).length > 0 && (
        <JsonField
          label={text.otherFields}
          help={text.otherFieldsHelp}
          isObject
          value={others}
          onChange={(changed) => onChange(withOtherFields(values, shown, changed as Values))}
        />
      )}
    </Stack>
  );
}

interface ValueFieldProps {
  label: string;
  help?: string | undefined;
  value: unknown;
  onChange: (value: unknown) => void;
}

const formatNumber = (value: unknown) => (isSet(value) ? String(value) : "");
function parseNumber(written: string): { value: unknown } | undefined {
  if (written.trim() === "") return { value: undefined };
  const value = Number(written);
  return Number.isFinite(value) && value >= 0 ? { value } : undefined;
}

function NumberField({ label, help, most, value, onChange }: ValueFieldProps & { most?: number | undefined }) {
  const typed = useTypedText({ value, format: formatNumber, parse: parseNumber, onChange });
  return (
    <TextInput
      label={label}
      description={help}
      type="number"
      min={0}
      max={most}
      step="any"
      aria-invalid={typed.isBroken}
      value={typed.text}
      onChange={({ target }) => typed.change(target.value)}
    />
  );
}

const GroupsField = (props: ValueFieldProps) => <LinesField names="groups" {...props} />;

type TransformKind = Extract<Field, { kind: "transform" }>;

function Transform({ name, label, help, field, value, onChange }: ValueFieldProps & { name: string; field: TransformKind }) {
  const isPlain = field.isPlain === true && isSet(value) && !isTransform(value);
  const transform = isPlain ? { type: "static", value } : isTransform(value) ? value : undefined;
  const Constant = { number: NumberField, groups: GroupsField, json: JsonField }[field.constant];
  return (
    <TransformField
      name={name}
      label={label}
      help={help}
      value={transform}
      // A constant that was stored without an object stays so.
      onChange={(next) => onChange(isPlain && next.type === "static" ? next["value"] : next)}
      constant={(constant, change) => <Constant label={label} help={help} value={constant} onChange={change} />}
    />
  );
}
