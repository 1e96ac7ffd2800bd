import { Stack } from "@mantine/core";
import Rjsf from "@rjsf/core/lib/components/Form.js";
import type { ErrorSchema, RegistryFieldsType, RJSFValidationError } from "@rjsf/utils";
import { type ReactNode, useState } from "react";
import { Note } from "../note.tsx";
import { DECISION_FILES, type FilesLimit, filesFit } from "./files.ts";
import { JsonField } from "./json-field.tsx";
import type { PreparedForm } from "./schema.ts";
import { templates } from "./templates.tsx";
import { pathOf, validator } from "./validator.ts";
import { widgets } from "./widgets.tsx";

interface FormProps {
  form: PreparedForm;
  disabled: boolean;
  onSubmit: (values: unknown) => void;
  onChange?: (values: unknown) => void;
  /** The errors of the service, at their fields. */
  errors?: ErrorSchema | undefined;
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
export default function Form({ form, disabled, onSubmit, onChange, errors, fields, limit = DECISION_FILES, children }: FormProps) {
  const [tooLarge, setTooLarge] = useState(false);
  const submit = (values: unknown) => {
    const fit = filesFit(values, limit);
    setTooLarge(!fit);
    if (fit) onSubmit(values);
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
      formContext={{ limit }}
      {...(errors ? { extraErrors: errors } : {})}
      {...(onChange ? { onChange: ({ formData }) => onChange(formData) } : {})}
      disabled={disabled}
      noHtml5Validate
      onError={focusFirst}
      showErrorList={false}
      onSubmit={({ formData }) => submit(formData)}
    >
      <Stack gap="md" mt="md">
        {tooLarge && (
          <Note tone="bad" focus>
            Together, the files are too large. The maximum is {limit.text}.
          </Note>
        )}
        {children}
      </Stack>
    </Rjsf>
  );
}
