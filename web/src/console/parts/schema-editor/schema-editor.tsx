import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import "./schema-editor.css";
import { SegmentedControl, Stack, Text } from "@mantine/core";
import { useRef, useState } from "react";
import { schemaText as text } from "../../messages/editor/schema.ts";
import { JsonField } from "../json-field/json-field.tsx";
import { FieldsEditor } from "./fields-editor.tsx";
import type { Schema } from "./schema-fields.ts";

const RunForm = loadOnDemand(() => import("../run-form/run-form.tsx"));

interface SchemaEditorProps {
  /** The name of the described object. */
  label: string;
  schema: Schema;
  onChange: (schema: Schema) => void;
}

type View = "fields" | "json" | "form";

/** Edits the JSON Schema of an object: as fields or as JSON, with the form that it makes. */
export default function SchemaEditor({ label, schema, onChange }: SchemaEditorProps) {
  const [view, setView] = useState<View>("fields");
  return (
    <Stack gap="sm" component="section" aria-label={label}>
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <SegmentedControl
        size="xs"
        className="schema-views"
        aria-label={text.views}
        value={view}
        onChange={(next) => setView(next as View)}
        data={[
          { value: "fields", label: text.fields },
          { value: "json", label: text.json },
          { value: "form", label: text.form },
        ]}
      />
      {view === "fields" && <FieldsEditor schema={schema} onChange={onChange} />}
      {view === "json" && (
        <JsonField label={text.schema} isObject minRows={6} maxRows={24} value={schema} onChange={(next) => onChange(next as Schema)} />
      )}
      {view === "form" && <Preview key={JSON.stringify(schema)} schema={schema} />}
    </Stack>
  );
}

/** The form of a run or an approval. Its fields can be tried, and are not sent. */
function Preview({ schema }: { schema: Schema }) {
  const values = useRef<Record<string, unknown>>({});
  return (
    <RunForm schema={schema} values={values} isSending={false} error={null} onSubmit={() => undefined}>
      {null}
    </RunForm>
  );
}
