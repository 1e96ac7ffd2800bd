import { Input } from "@mantine/core";
import type { WidgetProps } from "@rjsf/utils";
import { type ChangeEvent, useState } from "react";
import { common } from "./common.ts";
import { type FilesLimit, fileText } from "./files.ts";

/** A file is converted to the text of its field: a data URL with its name, or base64 alone if the schema has `contentEncoding: base64`. */
export function FileWidget(props: WidgetProps) {
  const { schema, multiple, onChange, options, registry } = props;
  const { id, label, description, error, required, disabled, name } = common(props);
  const [refused, setRefused] = useState<string>();
  const { limit } = registry.formContext as { limit: FilesLimit };
  const one = multiple && typeof schema.items === "object" && !Array.isArray(schema.items) ? schema.items : schema;
  const as = one.format === "data-url" ? "data-url" : "base64";

  const change = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const texts = await Promise.all([...(target.files ?? [])].map((file) => fileText(file, as, limit)));
    const fit = texts.filter((text) => text !== undefined);
    setRefused(fit.length < texts.length ? `This file is too large. The maximum is ${limit.text}.` : undefined);
    onChange(multiple ? fit : fit[0]);
  };
  const problem = refused ?? error;
  const described = [description ? `${id}-description` : "", problem ? `${id}-error` : ""].filter(Boolean).join(" ");
  return (
    <Input.Wrapper id={id} label={label ?? props.label} description={description} error={problem} withAsterisk={required}>
      <input
        className="file"
        type="file"
        id={id}
        name={name}
        disabled={disabled}
        multiple={multiple ?? false}
        accept={typeof options.accept === "string" ? options.accept : undefined}
        aria-invalid={problem !== undefined}
        aria-describedby={described || undefined}
        onChange={change}
      />
    </Input.Wrapper>
  );
}
