import { TextInput } from "@mantine/core";
import { peopleText as text } from "../../messages/objects/people.ts";
import { EditorForm } from "../stored/editor-form.tsx";
import { NameField } from "../stored/name-field.tsx";
import { type Loaded, useEditor } from "../stored/use-editor.ts";
import { type NamedValues, namedFields } from "./named.ts";

interface NameAndSummaryProps {
  kind: "folder" | "group";
  /** The edited folder or group. Undefined: a new one. */
  name: string | undefined;
  loaded: Loaded<NamedValues>;
  reload: () => Promise<Loaded<NamedValues>>;
  save: (values: NamedValues, headers: Record<string, string>) => Promise<unknown>;
  onSaved: (name: string) => void;
  onClose: () => void;
}

/** The form of a folder or a group. A name does not change, because permissions refer to it. */
export function NameAndSummary({ kind, name, loaded, reload, save, onSaved, onClose }: NameAndSummaryProps) {
  const editor = useEditor({
    form: [kind, name],
    loaded,
    keepable: (typed) => typed,
    fields: namedFields,
    reload,
    save,
    onSaved: (saved) => onSaved(saved.name),
  });
  const { values, change } = editor;
  return (
    <EditorForm editor={editor} isNew={name === undefined} onClose={onClose}>
      {name === undefined && <NameField help={text.nameHelp} value={values.name} onChange={(changed) => change({ name: changed })} />}
      <TextInput
        label={text.summary}
        maxLength={1000}
        value={values.summary}
        onChange={({ target }) => change({ summary: target.value })}
      />
    </EditorForm>
  );
}
