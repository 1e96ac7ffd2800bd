import { Stack, Switch, Text, Textarea } from "@mantine/core";
import { type FormEvent, type ReactNode, useMemo, useState } from "react";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import type { FilesLimit } from "../../../shared/form/files.ts";
import Form from "../../../shared/form/form.tsx";
import { preparedForm } from "../../../shared/form/schema.ts";
import { Failed } from "../../frame/panel.tsx";
import { formText } from "../../messages/form.ts";
import { readArguments } from "./arguments-text.ts";
import { ResourceField } from "./resource-field.tsx";
import { isShowable } from "./showable-schema.ts";
import { StoredFileField } from "./stored-file-field.tsx";

type Args = Record<string, unknown>;

interface RunFormProps {
  schema: Args | undefined;
  /** The values of the fields. At first, they take the place of the defaults of the schema. */
  values: { current: Args };
  /** The JSON text that was typed and not sent. The form then begins with it. */
  typed?: string | undefined;
  /** Receives the values after each change. `text`: JSON that is not complete. */
  onEdit?: (values: Args, text: string | undefined) => void;
  isSending: boolean;
  /** The refusal of the last attempt. */
  error: Error | null;
  /** The label and the help of the field for JSON. Default: those of arguments. */
  jsonLabel?: string;
  jsonHelp?: string;
  onSubmit: (args: Args) => void;
  /** The buttons. */
  children: ReactNode;
}

const fields = { resource: ResourceField, storedFile: StoredFileField };
/** With the third that base64 adds, the files must fit into the body of a request. */
const RUN_FILES: FilesLimit = { bytes: 2_900 * 1024, text: "2.8 MB" };

/** The arguments of a script or a flow: as the fields of its schema, or as JSON. */
export default function RunForm({
  schema,
  values,
  typed,
  onEdit,
  isSending,
  error,
  jsonLabel = formText.arguments,
  jsonHelp = formText.argumentsHelp,
  onSubmit,
  children,
}: RunFormProps) {
  const canShow = useMemo(() => isShowable(schema), [schema]);
  const [choosesJson, setIsJson] = useState(typed !== undefined);
  const isJson = choosesJson || !canShow;
  // A form begins with the values that the other view has left.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the switch between both views builds the form again
  const form = useMemo(
    () => (isJson ? undefined : preparedForm({ form_schema: schema, default_args: values.current, choosesStored: true })),
    [schema, isJson],
  );
  const submit = (sent: unknown) => onSubmit(isJsonObject(sent) ? sent : {});
  const buttons = (
    <>
      {error && <Failed error={error} />}
      {children}
    </>
  );
  return (
    <Stack gap="md" className="run-form">
      {!canShow && <Text size="sm">{formText.notShowable}</Text>}
      <Switch disabled={!canShow} label={formText.json} checked={isJson} onChange={({ target }) => setIsJson(target.checked)} />
      {isJson ? (
        <JsonForm
          label={jsonLabel}
          help={jsonHelp}
          schema={schema}
          values={values}
          typed={typed}
          onEdit={onEdit}
          isSending={isSending}
          onSubmit={submit}
        >
          {buttons}
        </JsonForm>
      ) : form ? (
        <Form
          form={form}
          disabled={isSending}
          error={error}
          fields={fields}
          limit={RUN_FILES}
          onChange={(changed, isTyped) => {
            values.current = { ...values.current, ...(isJsonObject(changed) ? changed : {}) };
            if (isTyped) onEdit?.(values.current, undefined);
          }}
          onSubmit={submit}
        >
          {buttons}
        </Form>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            submit(values.current);
          }}
        >
          <Stack gap="md">
            <Text c="dimmed">{formText.none}</Text>
            {buttons}
          </Stack>
        </form>
      )}
    </Stack>
  );
}

interface JsonFormProps {
  label: string;
  help: string;
  schema: Args | undefined;
  values: { current: Args };
  typed: string | undefined;
  onEdit: RunFormProps["onEdit"];
  isSending: boolean;
  onSubmit: (args: Args) => void;
  children: ReactNode;
}

function JsonForm({ label, help, schema, values, typed, onEdit, isSending, onSubmit, children }: JsonFormProps) {
  const [text, setText] = useState(() => typed ?? JSON.stringify(values.current, null, 2));
  const [problem, setProblem] = useState<string>();
  const change = (next: string) => {
    setText(next);
    setProblem(undefined);
    const read = readArguments(next, undefined);
    if ("args" in read) values.current = read.args;
    onEdit?.(values.current, "args" in read ? undefined : next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readArguments(text, schema);
    setProblem("problem" in read ? read.problem : undefined);
    if ("args" in read) onSubmit(read.args);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Textarea
          label={label}
          description={help}
          error={problem && <span className="text">{problem}</span>}
          disabled={isSending}
          rows={12}
          spellCheck={false}
          classNames={{ input: "code-input" }}
          value={text}
          onChange={({ target }) => change(target.value)}
        />
        {children}
      </Stack>
    </form>
  );
}
