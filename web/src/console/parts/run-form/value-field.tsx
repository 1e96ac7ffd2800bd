import { useMemo, useRef } from "react";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import type { FilesLimit } from "../../../shared/form/files.ts";
import Form from "../../../shared/form/form.tsx";
import { preparedForm } from "../../../shared/form/schema.ts";
import { ResourceField } from "./resource-field.tsx";
import { StoredFileField } from "./stored-file-field.tsx";

interface ValueFieldProps {
  name: string;
  /** The JSON Schema of the value. */
  schema: Record<string, unknown>;
  value: unknown;
  onChange: (value: unknown) => void;
}

const fields = { resource: ResourceField, storedFile: StoredFileField };
/** The value is stored with an object, whose size is limited. */
const FILES: FilesLimit = { bytes: 200 * 1024, text: "200 KB" };

/** The field of one value, as a form shows it. A value that the reader has not typed is not reported. */
export default function ValueField({ name, schema, value, onChange }: ValueFieldProps) {
  /** The value that was reported last. Another one comes from outside, and fills the field again. */
  const reported = useRef({ value, version: 0 });
  if (reported.current.value !== value) reported.current = { value, version: reported.current.version + 1 };
  const { version } = reported.current;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the value is the initial one of each version
  const form = useMemo(
    () =>
      preparedForm({
        form_schema: { type: "object", properties: { [name]: schema } },
        default_args: value === undefined ? {} : { [name]: value },
        choosesStored: true,
      }),
    [name, schema, version],
  );
  if (!form) return null;
  return (
    <Form
      key={version}
      form={form}
      disabled={false}
      fields={fields}
      limit={FILES}
      onChange={(values, isTyped) => {
        if (!isTyped) return;
        const next = isJsonObject(values) ? values[name] : undefined;
        reported.current = { ...reported.current, value: next };
        onChange(next);
      }}
      onSubmit={() => undefined}
    >
      {null}
    </Form>
  );
}
