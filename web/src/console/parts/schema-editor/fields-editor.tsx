import { Autocomplete, Button, Checkbox, Group, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { useWorkspace } from "../../data/me.ts";
import { call } from "../../data/objects-api.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { schemaText as text } from "../../messages/editor/schema.ts";
import { JsonField } from "../json-field/json-field.tsx";
import {
  addField,
  changeKind,
  type FieldKind,
  fieldKinds,
  kindOfField,
  listFields,
  moveField,
  removeField,
  renameField,
  type Schema,
  type SchemaField,
  setField,
  setKeyword,
  setRequired,
} from "./schema-fields.ts";

const ValueField = loadOnDemand(() => import("../run-form/value-field.tsx"));

interface FieldsEditorProps {
  schema: Schema;
  onChange: (schema: Schema) => void;
}

/** The fields of an object's schema. Each opens by its name. */
export function FieldsEditor({ schema, onChange }: FieldsEditorProps) {
  const fields = listFields(schema);
  const [added, setAdded] = useState<string>();
  return (
    <Stack gap="xs">
      {fields.length === 0 && <Text size="sm">{text.empty}</Text>}
      {fields.map((field, index) => (
        <FieldEditor
          // A renamed field keeps its editor.
          // biome-ignore lint/suspicious/noArrayIndexKey: the position identifies the field while its name is typed
          key={`${index} of ${fields.length}`}
          found={field}
          isFirst={index === 0}
          isLast={index === fields.length - 1}
          isOpen={field.name === added}
          schema={schema}
          onChange={onChange}
        />
      ))}
      <Group>
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            const { schema: next, name } = addField(schema);
            setAdded(name);
            onChange(next);
          }}
        >
          {text.add}
        </Button>
      </Group>
    </Stack>
  );
}

interface FieldEditorProps extends FieldsEditorProps {
  found: SchemaField;
  isFirst: boolean;
  isLast: boolean;
  isOpen: boolean;
}

function FieldEditor({ found, isFirst, isLast, isOpen, schema, onChange }: FieldEditorProps) {
  const { name, field, required } = found;
  const kind = kindOfField(field);
  const [open, setOpen] = useState(isOpen);
  return (
    <details className="schema-field" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{text.fieldOf(name, text.kinds[kind], required)}</summary>
      {open && (
        <Stack gap="sm" mt="sm">
          <NameField key={name} name={name} schema={schema} onChange={onChange} />
          <KindFields field={field} onChange={(next) => onChange(setField(schema, name, next))} />
          <Checkbox
            label={text.required}
            checked={required}
            onChange={({ target }) => onChange(setRequired(schema, name, target.checked))}
          />
          <Default name={name} kind={kind} field={field} onChange={(next) => onChange(setField(schema, name, next))} />
          <Group gap="xs">
            <Button size="compact-xs" variant="default" disabled={isFirst} onClick={() => onChange(moveField(schema, name, -1))}>
              {text.up(name)}
            </Button>
            <Button size="compact-xs" variant="default" disabled={isLast} onClick={() => onChange(moveField(schema, name, 1))}>
              {text.down(name)}
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => onChange(removeField(schema, name))}>
              {text.remove(name)}
            </Button>
          </Group>
        </Stack>
      )}
    </details>
  );
}

/** The name changes when the field is left, because expressions and forms use it. */
function NameField({ name, schema, onChange }: FieldsEditorProps & { name: string }) {
  const [typed, setTyped] = useState(name);
  const isUsed = typed !== name && listFields(schema).some((field) => field.name === typed);
  const rename = () => typed !== name && onChange(renameField(schema, name, typed));
  return (
    <TextInput
      label={text.name}
      error={isUsed && text.nameUsed}
      spellCheck={false}
      autoComplete="off"
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={rename}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        // The form around the fields must not be sent.
        event.preventDefault();
        rename();
      }}
    />
  );
}

interface KindFieldsProps {
  field: Schema;
  onChange: (field: Schema) => void;
}

function KindFields({ field, onChange }: KindFieldsProps) {
  const kind = kindOfField(field);
  const items = isJsonObject(field["items"]) ? field["items"] : {};
  return (
    <>
      <KindSelect label={text.kind} kind={kind} onChange={(next) => onChange(changeKind(field, next))} />
      <TextInput
        label={text.title}
        value={String(field["title"] ?? "")}
        onChange={({ target }) => onChange(setKeyword(field, "title", target.value))}
      />
      <TextInput
        label={text.description}
        value={String(field["description"] ?? "")}
        onChange={({ target }) => onChange(setKeyword(field, "description", target.value))}
      />
      {kind === "choice" && <Choices choices={field["enum"]} onChange={(choices) => onChange({ ...field, enum: choices })} />}
      {kind === "choices" && (
        <Choices choices={items["enum"]} onChange={(choices) => onChange({ ...field, items: { ...items, enum: choices } })} />
      )}
      {kind === "resource" && (
        <ResourceType
          value={String(field["format"]).slice("resource-".length)}
          onChange={(type) => onChange({ ...field, format: `resource-${type}` })}
        />
      )}
      {kind === "list" && (
        <>
          <KindSelect
            label={text.item}
            kind={kindOfField(items)}
            onChange={(next) => onChange({ ...field, items: changeKind(items, next) })}
          />
          {kindOfField(items) === "object" && <FieldsEditor schema={items} onChange={(next) => onChange({ ...field, items: next })} />}
        </>
      )}
      {kind === "object" && <FieldsEditor schema={field} onChange={onChange} />}
      {kind === "other" && <FieldJson field={field} onChange={onChange} />}
    </>
  );
}

/** The type of a resource. A name that the workspace does not have yet can be typed. */
function ResourceType({ value, onChange }: { value: string; onChange: (type: string) => void }) {
  const workspace = useWorkspace();
  const types = useQuery({
    queryKey: [workspace, "names of resource types"],
    queryFn: ({ signal }) => call.resources.types.listNames({ workspace, signal }),
  });
  return (
    <Autocomplete
      label={text.resourceType}
      error={types.error?.message}
      limit={MOST_TYPES}
      data={[...new Set(types.data)]}
      spellCheck={false}
      value={value}
      onChange={(typed) => onChange(typed.trim())}
    />
  );
}
const MOST_TYPES = 50;

interface KindSelectProps {
  label: string;
  kind: FieldKind;
  onChange: (kind: (typeof fieldKinds)[number]) => void;
}

function KindSelect({ label, kind, onChange }: KindSelectProps) {
  const kinds: readonly FieldKind[] = kind === "other" ? [kind, ...fieldKinds] : fieldKinds;
  return (
    <NativeSelect
      label={label}
      data={kinds.map((value) => ({ value, label: text.kinds[value] }))}
      value={kind}
      onChange={({ target }) => {
        const chosen = fieldKinds.find((value) => value === target.value);
        if (chosen) onChange(chosen);
      }}
    />
  );
}

function Choices({ choices, onChange }: { choices: unknown; onChange: (choices: string[]) => void }) {
  const [typed, setTyped] = useState(() => (Array.isArray(choices) ? choices.join("\n") : ""));
  return (
    <Textarea
      label={text.choices}
      description={text.choicesHelp}
      autosize
      minRows={2}
      maxRows={12}
      value={typed}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange([...new Set(target.value.split("\n").map((line) => line.trim()))].filter(Boolean));
      }}
    />
  );
}

function FieldJson({ field, onChange }: KindFieldsProps) {
  return (
    <JsonField
      label={text.fieldJson}
      help={text.fieldJsonHelp}
      isObject
      minRows={3}
      value={field}
      onChange={(next) => onChange(next as Schema)}
    />
  );
}

/** Kinds whose default would be a secret, or is stored elsewhere. */
const WITHOUT_DEFAULT: readonly FieldKind[] = ["password", "file", "storedFile", "other"];

function Default({ name, kind, field, onChange }: KindFieldsProps & { name: string; kind: FieldKind }) {
  const [isShown, setIsShown] = useState("default" in field);
  if (WITHOUT_DEFAULT.includes(kind)) return null;
  const { default: value, title: _title, description: _description, ...schema } = field;
  return (
    <>
      <Checkbox
        label={text.hasDefault}
        checked={isShown}
        onChange={({ target }) => {
          setIsShown(target.checked);
          if (!target.checked) onChange(setKeyword(field, "default", undefined));
        }}
      />
      {isShown && (
        <ValueField
          key={kind}
          name={name}
          schema={{ ...schema, title: text.default }}
          value={value}
          onChange={(next) => onChange(next === undefined ? setKeyword(field, "default", undefined) : { ...field, default: next })}
        />
      )}
    </>
  );
}
