import { Select, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { call } from "../../data/objects-api.ts";
import { Panel } from "../../frame/panel.tsx";
import { storedText, resourcesText as text } from "../../messages/objects/stored.ts";
import { PathField } from "../../parts/fields/path-field.tsx";
import RunForm from "../../parts/run-form/run-form.tsx";
import { EditorFooter } from "../../parts/stored/editor-form.tsx";
import { UseInScript } from "../../parts/stored/in-script/use-in-script.tsx";
import { UsedBy } from "../../parts/stored/in-script/used-by.tsx";
import { type Loaded, useEditor } from "../../parts/stored/use-editor.ts";
import { keepableResource, loadResource, type ResourceValues, resourceFields } from "./resource.ts";
import { resourceTypesQuery } from "./resource-types-query.ts";

interface ResourceFormProps {
  workspace: string;
  /** The edited resource. Undefined: a new one. */
  path: string | undefined;
  loaded: Loaded<ResourceValues>;
  onSaved: (path: string) => void;
  onClose: () => void;
}

/** Creates or changes a resource, with the fields of its type. */
export function ResourceForm({ workspace, path, loaded, onSaved, onClose }: ResourceFormProps) {
  const types = useQuery(resourceTypesQuery(workspace));
  const editor = useEditor({
    form: ["resource", path],
    loaded,
    keepable: (edited) => keepableResource(edited, types.data?.find(({ name }) => name === edited.type)?.schema),
    fields: resourceFields,
    reload: () => loadResource(workspace, path ?? ""),
    save: ({ type, ...fields }, headers) =>
      path === undefined
        ? call.resources.create({ workspace, body: { ...fields, resource_type: type } })
        : call.resources.update({ workspace, path, headers, body: { ...fields, resource_type: type } }),
    onSaved: (saved) => onSaved(saved.path),
  });
  const { values, change } = editor;
  return (
    <Panel query={types}>
      {(listed) => (
        <Stack gap="sm">
          <PathField value={values.path} onChange={(changed) => change({ path: changed })} />
          <Select
            label={text.type}
            nothingFoundMessage={text.noType}
            searchable
            required
            withAsterisk={false}
            data={namesOf(listed, values.type)}
            value={values.type || null}
            onChange={(type) => change({ type: type ?? "" })}
          />
          <TextInput
            label={storedText.description}
            maxLength={20_000}
            value={values.description}
            onChange={({ target }) => change({ description: target.value })}
          />
          {values.type === "" ? (
            <Text c="dimmed">{text.chooseType}</Text>
          ) : (
            <ValueForm
              key={`${editor.formKey} ${values.type}`}
              schema={listed.find(({ name }) => name === values.type)?.schema}
              value={values.value}
              isSending={editor.isSaving}
              onEdit={(value) => change({ value })}
              onSubmit={(value) => editor.save({ value })}
            >
              <EditorFooter editor={editor} isNew={path === undefined} onClose={onClose} />
            </ValueForm>
          )}
          {path !== undefined && (
            <>
              <UseInScript kind="resource" path={path} />
              <UsedBy workspace={workspace} kind="resource" path={path} />
            </>
          )}
        </Stack>
      )}
    </Panel>
  );
}

/** The names of the types, with that of a resource whose type was deleted. */
const namesOf = (types: readonly { name: string }[], current: string): string[] => [
  ...new Set([...types.map(({ name }) => name), ...(current ? [current] : [])]),
];

interface ValueFormProps {
  schema: Record<string, unknown> | undefined;
  value: unknown;
  isSending: boolean;
  onEdit: (value: unknown) => void;
  onSubmit: (value: unknown) => void;
  /** The buttons. */
  children: ReactNode;
}

/** The value of a resource: as the fields of its type, or as JSON if the type names none. */
function ValueForm({ schema, value, isSending, onEdit, onSubmit, children }: ValueFormProps) {
  const values = useRef(isJsonObject(value) ? value : {});
  const [json, setJson] = useState(() => JSON.stringify(value, null, 2));
  const [isBroken, setIsBroken] = useState(false);
  const hasFields = Object.keys((schema?.["properties"] as object | undefined) ?? {}).length > 0;
  if (hasFields && (isJsonObject(value) || value === null)) {
    return (
      <RunForm
        schema={schema}
        values={values}
        isSending={isSending}
        error={null}
        onEdit={onEdit}
        jsonLabel={text.value}
        jsonHelp={text.valueHelp}
        onSubmit={onSubmit}
      >
        {children}
      </RunForm>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    try {
      onSubmit(JSON.parse(json));
    } catch {
      setIsBroken(true);
    }
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Textarea
          label={text.value}
          description={text.valueHelp}
          error={isBroken && text.valueBroken}
          rows={8}
          spellCheck={false}
          classNames={{ input: "stored-input" }}
          value={json}
          onChange={({ target }) => {
            setJson(target.value);
            setIsBroken(false);
          }}
        />
        {children}
      </Stack>
    </form>
  );
}
