import { Button, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import { isJsonObject } from "../../../../../../../contract/json/json-object.ts";
import { ordered } from "../../../../../shared/form/schema.ts";
import { loadOnDemand } from "../../../../frame/load-on-demand.tsx";
import { stepText as text } from "../../../../messages/editor/step.ts";
import { JsonField } from "../../../../parts/json-field/json-field.tsx";
import type { ModuleValue } from "../../document/flow-document.ts";
import { withField } from "../fields/fields.ts";
import { TransformField } from "./transform-field.tsx";
import { isTransform, listInputs, type Transform } from "./transforms.ts";
import { useStepSchema } from "./use-step-schema.ts";

const ValueField = loadOnDemand(() => import("../../../../parts/run-form/value-field.tsx"));

interface InputsProps {
  workspace: string;
  value: ModuleValue;
  onChange: (value: ModuleValue) => void;
}

type Schema = Record<string, unknown>;
const propertiesOf = (schema: Schema | null | undefined): Schema => (isJsonObject(schema?.["properties"]) ? schema["properties"] : {});

/** The inputs of a step that runs code: a constant or an expression for each. */
export function Inputs({ workspace, value, onChange }: InputsProps) {
  const loaded = useStepSchema(workspace, value);
  const schema = loaded.data;
  const properties = propertiesOf(schema);
  const transforms = isJsonObject(value["input_transforms"]) ? value["input_transforms"] : {};
  const required = Array.isArray(schema?.["required"]) ? schema["required"] : [];
  const names = listInputs(ordered(schema?.["order"], Object.keys(properties)), transforms);
  const change = (name: string, transform: Transform | undefined) =>
    onChange({ ...value, input_transforms: withField(transforms, name, transform) });
  const isRead = isJsonObject(schema);
  return (
    <Stack gap="md" component="section" aria-label={text.inputs}>
      <Title order={3} size="h6">
        {text.inputs}
      </Title>
      {loaded.error && <Text size="sm">{text.notFound}</Text>}
      {schema === null && <Text size="sm">{text.notParsed}</Text>}
      {isRead && names.length === 0 && <Text size="sm">{text.noInputs}</Text>}
      {names.map((name) => (
        <Input
          key={name}
          name={name}
          schema={isJsonObject(properties[name]) ? properties[name] : undefined}
          isForeign={isRead && !Object.hasOwn(properties, name)}
          isRequired={required.includes(name)}
          transform={isTransform(transforms[name]) ? transforms[name] : undefined}
          onChange={(transform) => change(name, transform)}
        />
      ))}
      {!isRead && <AddInput names={names} onAdd={(name) => change(name, { type: "static" })} />}
    </Stack>
  );
}

interface InputProps {
  name: string;
  schema: Schema | undefined;
  isForeign: boolean;
  isRequired: boolean;
  transform: Transform | undefined;
  onChange: (transform: Transform | undefined) => void;
}

function Input({ name, schema, isForeign, isRequired, transform, onChange }: InputProps) {
  if (!transform) {
    return (
      <Group gap="xs" role="group" aria-label={name} className="step-input">
        <Text size="sm" fw={600} className="step-name">
          {name}
        </Text>
        <Text size="sm">{isRequired ? text.required : text.notPassed}</Text>
        <Button size="compact-xs" variant="default" aria-label={text.pass(name)} onClick={() => onChange({ type: "static" })}>
          {text.add}
        </Button>
      </Group>
    );
  }
  const help = typeof schema?.["description"] === "string" ? schema["description"] : undefined;
  return (
    <TransformField
      name={name}
      label={name}
      help={help}
      value={transform}
      onChange={onChange}
      constant={(constant, change) =>
        schema && fits(schema, constant) ? (
          <ValueField name={name} schema={schema} value={constant} onChange={change} />
        ) : (
          <JsonField label={name} help={help} value={constant} onChange={change} />
        )
      }
    >
      <Button size="compact-xs" variant="default" aria-label={text.unpass(name)} onClick={() => onChange(undefined)}>
        {text.remove}
      </Button>
      {isForeign && <Text size="sm">{text.notInSchema}</Text>}
    </TransformField>
  );
}

/** Whether the field of the type can show a value. A reference to a variable is a text, whatever the type. */
function fits({ type, format }: Schema, value: unknown): boolean {
  if (value === undefined || value === null || typeof type !== "string") return true;
  if (typeof format === "string" && format.startsWith("resource-")) return typeof value === "string" || isJsonObject(value);
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isJsonObject(value);
  if (type === "integer") return typeof value === "number";
  return typeof value === type;
}

function AddInput({ names, onAdd }: { names: readonly string[]; onAdd: (name: string) => void }) {
  const [name, setName] = useState("");
  const trimmed = name.trim();
  return (
    <Group gap="xs" align="end">
      <TextInput size="xs" label={text.inputName} spellCheck={false} value={name} onChange={({ target }) => setName(target.value)} />
      <Button
        size="xs"
        variant="default"
        disabled={trimmed === "" || names.includes(trimmed)}
        onClick={() => {
          onAdd(trimmed);
          setName("");
        }}
      >
        {text.addInput}
      </Button>
    </Group>
  );
}
