import { Checkbox, Textarea, TextInput } from "@mantine/core";
import { call } from "../../data/objects-api.ts";
import { storedText, variablesText as text } from "../../messages/objects/stored.ts";
import { PathField } from "../../parts/fields/path-field.tsx";
import { EditorForm } from "../../parts/stored/editor-form.tsx";
import { UseInScript } from "../../parts/stored/in-script/use-in-script.tsx";
import { UsedBy } from "../../parts/stored/in-script/used-by.tsx";
import { type Loaded, useEditor } from "../../parts/stored/use-editor.ts";
import { keepableVariable, loadVariable, toVariableChange, type VariableValues, variableFields } from "./variable.ts";

interface VariableFormProps {
  workspace: string;
  /** The edited variable. Undefined: a new one. */
  path: string | undefined;
  loaded: Loaded<VariableValues>;
  onSaved: (path: string) => void;
  onClose: () => void;
}

/** Creates or changes a variable. */
export function VariableForm({ workspace, path, loaded, onSaved, onClose }: VariableFormProps) {
  const editor = useEditor({
    form: ["variable", path],
    loaded,
    keepable: keepableVariable,
    fields: variableFields,
    reload: () => loadVariable(workspace, path ?? ""),
    save: (values, headers) =>
      path === undefined
        ? call.variables.create({ workspace, body: { ...toVariableChange(values), value: values.value } })
        : call.variables.update({ workspace, path, headers, body: toVariableChange(values) }),
    onSaved: (values) => onSaved(values.path),
  });
  const { values, change } = editor;
  return (
    <>
      <EditorForm editor={editor} isNew={path === undefined} onClose={onClose}>
        <PathField value={values.path} onChange={(changed) => change({ path: changed })} />
        <Checkbox
          label={text.secret}
          description={text.secretHelp}
          checked={values.isSecret}
          onChange={({ target }) => change({ isSecret: target.checked })}
        />
        <Textarea
          label={text.value}
          description={values.wasSecret ? text.valueStays : text.valueHelp}
          rows={4}
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: "stored-input" }}
          data-secret={values.isSecret}
          value={values.value}
          onChange={({ target }) => change({ value: target.value })}
        />
        <TextInput
          label={storedText.description}
          maxLength={20_000}
          value={values.description}
          onChange={({ target }) => change({ description: target.value })}
        />
      </EditorForm>
      {path !== undefined && (
        <>
          <UseInScript kind="variable" path={path} />
          <UsedBy workspace={workspace} kind="variable" path={path} />
        </>
      )}
    </>
  );
}
