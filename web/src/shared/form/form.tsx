import { Stack } from "@mantine/core";
import Rjsf from "@rjsf/core/lib/components/Form.js";
import type { RegistryFieldsType, RJSFValidationError } from "@rjsf/utils";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Note } from "../note.tsx";
import { Refused } from "../service.ts";
import { DECISION_FILES, type FilesLimit, filesFit } from "./files.ts";
import { toFieldErrors } from "./issues.ts";
import { JsonField, type Unfinished } from "./json-field.tsx";
import type { PreparedForm } from "./schema.ts";
import { templates } from "./templates.tsx";
import { pathOf, validator } from "./validator.ts";
import { widgets } from "./widgets.tsx";

interface FormProps {
  form: PreparedForm;
  disabled: boolean;
  onSubmit: (values: unknown) => void;
  /** Receives the values with their defaults first, and then after each change. `isTyped`: the reader has changed them. */
  onChange?: (values: unknown, isTyped: boolean) => void;
  /** The error of the last attempt. The form shows each refused value at its field. */
  error?: Error | null | undefined;
  /** Further fields, by their names in `ui:field`. */
  fields?: RegistryFieldsType;
  limit?: FilesLimit;
  children: ReactNode;
}

/** Also for choices, which rjsf does not support here. */
function focusFirst(errors: RJSFValidationError[]): void {
  const wrong = errors.flatMap((error) => document.getElementById(["root", ...pathOf(error)].join("_")) ?? []);
  const [first] = wrong.sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  const inputs = "input, select, textarea, button";
  (first?.matches(inputs) ? first : first?.querySelector<HTMLElement>(inputs))?.focus();
}

const ownFields = { json: JsonField };

/** Shows the form of a schema. Errors are shown next to their fields, and the first invalid field is focused. */
export default function Form({ form, disabled, onSubmit, onChange, error, fields, limit = DECISION_FILES, children }: FormProps) {
  const [problem, setProblem] = useState<{ text: string }>();
  const [unfinished] = useState<Unfinished>(() => new Map());
  const errors = useMemo(() => (error instanceof Refused ? toFieldErrors(error) : undefined), [error]);
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
  }, []);
  const submit = (values: unknown) => {
    const [reason] = unfinished.values();
    const text = reason ?? (filesFit(values, limit) ? undefined : `Together, the files are too large. The maximum is ${limit.text}.`);
    setProblem(text === undefined ? undefined : { text });
    if (text === undefined) onSubmit(values);
  };
  return (
    <Rjsf
      schema={form.schema}
      uiSchema={form.uiSchema}
      initialFormData={form.values}
      validator={validator}
      templates={templates}
      widgets={widgets}
      fields={{ ...ownFields, ...fields }}
      formContext={{ limit, unfinished }}
      {...(errors ? { extraErrors: errors } : {})}
      {...(onChange ? { onChange: ({ formData }) => onChange(formData, isShown.current) } : {})}
      disabled={disabled}
      noHtml5Validate
      onError={focusFirst}
      showErrorList={false}
      onSubmit={({ formData }) => submit(formData)}
    >
      <Stack gap="md" mt="md">
        {problem && (
          <Note tone="bad" focus={problem}>
            {problem.text}
          </Note>
        )}
        {children}
      </Stack>
    </Rjsf>
  );
}
