import { Select } from "@mantine/core";
import type { FieldProps } from "@rjsf/utils";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../data/api.ts";
import { useWorkspace } from "../../data/me.ts";
import { formText } from "../../messages/form.ts";

const MOST_LISTED = 1000;
/** More options would not be read. A longer text finds fewer. */
const MOST_SHOWN = 100;

/** Chooses a resource of the field's type. The value is its reference, which each run replaces by the value of the resource. */
export function ResourceField({ schema, name, title, fieldPathId, formData, required, disabled, rawErrors = [], onChange }: FieldProps) {
  const workspace = useWorkspace();
  const type = String(schema.format).replace(/^resource-/, "");
  const listed = useQuery({
    queryKey: [workspace, "resources", type],
    queryFn: ({ signal }) => call.resources.list({ workspace, query: { resource_type: type, per_page: MOST_LISTED }, signal }),
  });
  const chosen = typeof formData === "string" ? formData : null;
  const found = (listed.data ?? []).map(({ path }) => ({ value: `$res:${path}`, label: path }));
  const others = chosen === null || found.some(({ value }) => value === chosen) ? [] : [{ value: chosen, label: chosen }];
  const errors = [...(listed.error ? [listed.error.message] : []), ...rawErrors];
  return (
    <Select
      id={fieldPathId.$id}
      label={schema.title ?? title ?? name}
      description={schema.description ?? formText.resource(type)}
      error={errors.length > 0 ? errors.join(" ") : undefined}
      nothingFoundMessage={listed.isPending ? formText.loading : formText.noResource(type)}
      required={required ?? false}
      disabled={disabled === true}
      searchable
      clearable
      limit={MOST_SHOWN}
      data={[...others, ...found]}
      value={chosen}
      onChange={(value) => onChange(value ?? undefined, fieldPathId.path)}
    />
  );
}
