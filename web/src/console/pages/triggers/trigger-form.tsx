import { Checkbox, Group, NativeSelect, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../data/objects-api.ts";
import { triggersText as text } from "../../messages/objects/triggers.ts";
import { LabelsField } from "../../parts/fields/labels-field.tsx";
import { PathField } from "../../parts/fields/path-field.tsx";
import { RetryField } from "../../parts/fields/retry-field.tsx";
import { JsonField } from "../../parts/json-field/json-field.tsx";
import { EditorForm } from "../../parts/stored/editor-form.tsx";
import { parseObject } from "../../parts/stored/parse-object.ts";
import { HandlerField, RunnableField } from "../../parts/stored/runnable-field.tsx";
import { type Loaded, useEditor } from "../../parts/stored/use-editor.ts";
import { loadTrigger } from "./load-triggers.ts";
import { SetupCommands } from "./setup-commands.tsx";
import { keepableTrigger, type SourceKind, saveTrigger, type TriggerOthers, type TriggerValues, triggerFields } from "./trigger.ts";

interface TriggerFormProps {
  workspace: string;
  /** The kind and the path of the edited trigger. Undefined: a new one. */
  name: string | undefined;
  loaded: Loaded<TriggerValues>;
  onSaved: (path: string) => void;
  onClose: () => void;
}

const optionsOf = (labels: Readonly<Record<string, string>>) => Object.entries(labels).map(([value, label]) => ({ value, label }));

/** Creates or changes a trigger. */
export function TriggerForm({ workspace, name, loaded, onSaved, onClose }: TriggerFormProps) {
  const editor = useEditor({
    form: ["trigger", name],
    loaded,
    keepable: keepableTrigger,
    fields: triggerFields,
    reload: () => loadTrigger(workspace, name ?? ""),
    save: (values, headers) => saveTrigger(workspace, name === undefined ? undefined : loaded.values.path, values, headers),
    onSaved: (saved) => onSaved(saved.path),
  });
  const { values, change } = editor;
  const [areArgsBroken, setAreArgsBroken] = useState(false);
  const { others } = values;
  const changeOthers = (changes: Partial<TriggerOthers>) => change({ others: { ...others, ...changes } });
  const isNew = name === undefined;
  const isBroken =
    (values.onError !== "" && areArgsBroken) || parseObject(values.filterPolicy) === undefined || parseObject(values.pattern) === undefined;
  return (
    <EditorForm editor={editor} isNew={isNew} canSave={!isBroken} onClose={onClose}>
      <NativeSelect
        label={text.kind}
        data={optionsOf(text.kinds)}
        disabled={!isNew}
        value={values.kind}
        onChange={({ target }) => change({ kind: target.value as SourceKind })}
      />
      <PathField value={values.path} onChange={(path) => change({ path })} />
      <RunnableField workspace={workspace} value={values.runnable} onChange={(runnable) => change({ runnable })} />
      <SourceFields workspace={workspace} values={values} change={change} />
      <SetupCommands workspace={workspace} values={values} />
      <NativeSelect
        label={text.mode}
        data={optionsOf(text.modes)}
        value={values.mode}
        onChange={({ target }) => change({ mode: target.value as TriggerValues["mode"] })}
      />
      <HandlerField
        workspace={workspace}
        label={text.onError}
        help={text.onErrorHelp}
        value={values.onError}
        onChange={(onError) => change({ onError })}
      />
      {values.onError !== "" && (
        <JsonField
          label={text.onErrorArgs}
          help={text.onErrorArgsHelp}
          isEmptyAllowed
          onBroken={setAreArgsBroken}
          isObject
          value={others.error_handler_args ?? undefined}
          onChange={(args) => changeOthers({ error_handler_args: (args ?? null) as TriggerOthers["error_handler_args"] })}
        />
      )}
      <RetryField value={others.retry} onChange={(retry) => changeOthers({ retry: retry as TriggerOthers["retry"] })} />
      <LabelsField
        label={text.labels}
        help={text.labelsHelp}
        value={others.labels ?? []}
        onChange={(labels) => changeOthers({ labels: labels.length > 0 ? labels : null })}
      />
      {!isNew && <Text size="sm">{text.runsAs(values.runsAs)}</Text>}
    </EditorForm>
  );
}

interface SourceFieldsProps {
  workspace: string;
  values: TriggerValues;
  change: (changes: Partial<TriggerValues>) => void;
}

type TextName = { [Name in keyof TriggerValues]: TriggerValues[Name] extends string ? Name : never }[keyof TriggerValues];

/** The fields of a kind of source. */
function SourceFields({ workspace, values, change }: SourceFieldsProps) {
  const line = (name: TextName, label: string, more: { description?: string; required?: boolean } = {}) => (
    <TextInput
      label={label}
      {...more}
      withAsterisk={false}
      spellCheck={false}
      autoComplete="off"
      value={values[name]}
      onChange={({ target }) => change({ [name]: target.value.trim() })}
    />
  );
  const json = (name: "filterPolicy" | "pattern", label: string, description: string, required: boolean) => (
    <Textarea
      label={label}
      description={description}
      error={parseObject(values[name]) === undefined && text.jsonBroken}
      required={required}
      withAsterisk={false}
      rows={4}
      spellCheck={false}
      classNames={{ input: "stored-input" }}
      value={values[name]}
      onChange={({ target }) => change({ [name]: target.value })}
    />
  );
  const list = (name: "attributes" | "events", label: string, description: string) => (
    <Textarea
      label={label}
      description={description}
      rows={2}
      spellCheck={false}
      value={values[name]}
      onChange={({ target }) => change({ [name]: target.value })}
    />
  );
  switch (values.kind) {
    case "queue":
      return (
        <>
          {line("queueUrl", text.queueUrl, { description: text.queueUrlHelp, required: true })}
          <KeysField workspace={workspace} value={values.resource} onChange={(resource) => change({ resource })} />
          {list("attributes", text.attributes, text.attributesHelp)}
        </>
      );
    case "topic":
      return (
        <>
          {line("topicArn", text.topic, { required: true })}
          {json("filterPolicy", text.filterPolicy, text.filterPolicyHelp, false)}
        </>
      );
    case "bus":
      return (
        <>
          {line("bus", text.bus, { description: text.busHelp })}
          {json("pattern", text.pattern, text.patternHelp, true)}
        </>
      );
    case "bucket":
      return (
        <>
          {line("bucket", text.bucket, { required: true })}
          <Group grow>
            {line("prefix", text.prefix)}
            {line("suffix", text.suffix)}
          </Group>
          {list("events", text.events, text.eventsHelp)}
        </>
      );
    default:
      return (
        <>
          {line("localPart", text.localPart, { required: true })}
          <Checkbox
            label={text.workspaced}
            checked={values.isWorkspaced}
            onChange={({ target }) => change({ isWorkspaced: target.checked })}
          />
          {values.address && <Text size="sm">{text.address(values.address)}</Text>}
        </>
      );
  }
}

interface KeysFieldProps {
  workspace: string;
  value: string;
  onChange: (path: string) => void;
}

/** The keys of another account are never entered here: a resource holds them. */
function KeysField({ workspace, value, onChange }: KeysFieldProps) {
  const listed = useQuery({
    queryKey: [workspace, "resource names", "aws"],
    queryFn: ({ signal }) => call.resources.listNames({ workspace, name: "aws", signal }),
  });
  const paths = (listed.data ?? []).map(({ path }) => path);
  const offered = value === "" || paths.includes(value) ? paths : [value, ...paths];
  return (
    <NativeSelect
      label={text.otherAccount}
      description={value === "" ? undefined : text.otherAccountHelp}
      error={listed.error?.message}
      data={[{ value: "", label: text.ownAccount }, ...offered]}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
