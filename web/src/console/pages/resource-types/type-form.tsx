import { FileInput, SegmentedControl, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { useDeferredValue, useMemo, useState } from "react";
import Form from "../../../shared/form/form.tsx";
import { preparedForm } from "../../../shared/form/schema.ts";
import { call } from "../../data/objects-api.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { schemaText } from "../../messages/editor/schema.ts";
import { formText } from "../../messages/form.ts";
import { storedText, typesText as text } from "../../messages/objects/stored.ts";
import { isShowable } from "../../parts/run-form/showable-schema.ts";
import { EditorForm } from "../../parts/stored/editor-form.tsx";
import { NameField } from "../../parts/stored/name-field.tsx";
import { type Loaded, useEditor } from "../../parts/stored/use-editor.ts";
import { loadType, parseSchema, parseTypeFile, type TypeValues, toText, typeFields } from "./resource-type.ts";

const FieldsEditor = loadOnDemand(() => import("../../parts/schema-editor/lazy-fields.tsx"));

interface TypeFormProps {
  workspace: string;
  /** The edited type. Undefined: a new one. */
  name: string | undefined;
  loaded: Loaded<TypeValues>;
  onSaved: (name: string) => void;
  onClose: () => void;
}

/** Creates or changes a resource type, with the form that its resources will have. */
export function TypeForm({ workspace, name, loaded, onSaved, onClose }: TypeFormProps) {
  const [view, setView] = useState<View>("json");
  const [fileProblem, setFileProblem] = useState<string>();
  const editor = useEditor({
    form: ["resource type", name],
    loaded,
    keepable: (typed) => typed,
    fields: typeFields,
    reload: () => loadType(workspace, name ?? ""),
    save: (values, headers) => {
      const fields = { description: values.description, schema: parseSchema(values.schema) ?? {} };
      if (name === undefined) return call.resources.types.create({ workspace, body: { name: values.name, ...fields } });
      return call.resources.types.update({ workspace, name, headers, body: fields });
    },
    onSaved: (values) => onSaved(values.name),
  });
  const { values, change } = editor;
  const isBroken = parseSchema(values.schema) === undefined;
  const read = async (file: File | null) => {
    if (!file) return;
    const found = parseTypeFile(file.name, await file.text());
    setFileProblem(found ? undefined : text.fileBroken);
    if (found) change(found);
  };
  return (
    <>
      <EditorForm editor={editor} isNew={name === undefined} canSave={!isBroken} onClose={onClose}>
        {name === undefined && (
          <FileInput
            label={text.file}
            description={text.fileHelp}
            accept="application/json,.json"
            error={fileProblem}
            onChange={(file) => void read(file)}
          />
        )}
        {name === undefined && <NameField help={text.nameHelp} value={values.name} onChange={(changed) => change({ name: changed })} />}
        <TextInput
          label={storedText.description}
          maxLength={20_000}
          value={values.description}
          onChange={({ target }) => change({ description: target.value })}
        />
        <SegmentedControl
          size="xs"
          className="schema-views"
          aria-label={text.views}
          value={view}
          onChange={(next) => setView(next as View)}
          data={[
            { value: "json", label: schemaText.json },
            { value: "fields", label: schemaText.fields },
          ]}
        />
        {view === "json" ? (
          <Textarea
            label={text.schema}
            description={text.schemaHelp}
            error={isBroken && text.schemaBroken}
            rows={12}
            spellCheck={false}
            classNames={{ input: "stored-input" }}
            value={values.schema}
            onChange={({ target }) => change({ schema: target.value })}
          />
        ) : (
          <Fields schema={values.schema} onChange={(schema) => change({ schema })} />
        )}
      </EditorForm>
      <Preview schema={values.schema} />
    </>
  );
}

type View = "json" | "fields";

/** The fields of a schema. One that is no JSON, or too large to show, is edited as a text. */
function Fields({ schema, onChange }: { schema: string; onChange: (schema: string) => void }) {
  const parsed = useMemo(() => parseSchema(schema), [schema]);
  const canShow = useMemo(() => parsed !== undefined && isShowable(parsed), [parsed]);
  if (!parsed || !canShow) return <Text c="dimmed">{parsed ? formText.notShowable : text.schemaBroken}</Text>;
  return <FieldsEditor schema={parsed} onChange={(next) => onChange(toText(next))} />;
}

/** The form of a resource of the type. Its fields can be tried, and are not sent. */
function Preview({ schema }: { schema: string }) {
  const typed = useDeferredValue(schema);
  const parsed = useMemo(() => parseSchema(typed), [typed]);
  const canShow = useMemo(() => isShowable(parsed), [parsed]);
  const form = useMemo(() => (canShow ? preparedForm({ form_schema: parsed }) : undefined), [parsed, canShow]);
  return (
    <Stack component="section" aria-label={text.preview} gap="xs" mt="md">
      <Title order={3} size="h6">
        {text.preview}
      </Title>
      {form ? (
        <Form key={typed} form={form} disabled={false} onSubmit={() => undefined}>
          {null}
        </Form>
      ) : (
        <Text c="dimmed">{canShow ? text.noPreview : formText.notShowable}</Text>
      )}
    </Stack>
  );
}
