import type { WidgetProps } from "@rjsf/utils";

/** The properties of every Mantine input. The input itself shows label, description and error, and connects them for screen readers. */
export function common({ id, htmlName, label, hideLabel, schema, options, rawErrors, required, disabled, readonly }: WidgetProps) {
  return {
    id,
    name: htmlName || id,
    label: hideLabel ? undefined : label,
    "aria-label": hideLabel ? label : undefined,
    description: options.description ?? schema.description,
    error: rawErrors && rawErrors.length > 0 ? rawErrors.join(" ") : undefined,
    required: required ?? false,
    disabled: disabled === true || readonly === true,
  };
}
