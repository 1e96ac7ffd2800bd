import { Button, Group, Input, Text } from "@mantine/core";
import type { FieldProps } from "@rjsf/utils";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { useWorkspace } from "../../data/me.ts";
import { formText } from "../../messages/form.ts";
import { UPLOAD_BYTES, upload } from "./upload.ts";

/** Stores a file in the workspace. The value is the stored file. */
export function StoredFileField({ schema, name, title, fieldPathId, formData, required, disabled, rawErrors = [], onChange }: FieldProps) {
  const workspace = useWorkspace();
  const [sentPart, setSentPart] = useState(0);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(new Error("The form was closed.")), []);
  const store = useMutation({
    mutationFn: (file: File) => {
      running.current = new AbortController();
      setSentPart(0);
      return upload(workspace, file, setSentPart, running.current.signal);
    },
    onSuccess: (key) => onChange({ s3: key }, fieldPathId.path),
  });
  const [isTooLarge, setIsTooLarge] = useState(false);
  const choose = (file: File | undefined) => {
    if (!file) return;
    setIsTooLarge(file.size > UPLOAD_BYTES);
    if (file.size <= UPLOAD_BYTES) store.mutate(file);
  };
  const id = fieldPathId.$id;
  const key = isJsonObject(formData) && typeof formData["s3"] === "string" ? formData["s3"] : undefined;
  const errors = [...(isTooLarge ? [formText.tooLarge] : []), ...(store.error ? [store.error.message] : []), ...rawErrors];
  const problem = errors.length > 0 ? errors.join(" ") : undefined;
  return (
    <Input.Wrapper
      id={id}
      label={schema.title ?? title ?? name}
      description={schema.description ?? formText.storedFile}
      error={problem}
      withAsterisk={required ?? false}
    >
      <input
        className="file"
        type="file"
        id={id}
        disabled={disabled === true || store.isPending}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-description${problem === undefined ? "" : ` ${id}-error`}`}
        onChange={({ target }) => choose(target.files?.[0])}
      />
      {store.isPending && <progress className="upload" aria-label={formText.uploading} value={sentPart} max={1} />}
      {key !== undefined && !store.isPending && (
        <Group gap="xs" mt={4}>
          <Text size="sm" role="status">
            {formText.stored(key)}
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => onChange(undefined, fieldPathId.path)}>
            {formText.removeFile}
          </Button>
        </Group>
      )}
    </Input.Wrapper>
  );
}
