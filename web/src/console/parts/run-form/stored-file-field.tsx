import { Button, Group, Input, Text } from "@mantine/core";
import type { FieldProps } from "@rjsf/utils";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { JsonField, type Unfinished } from "../../../shared/form/json-field.tsx";
import { isOffered } from "../../access/actions.ts";
import { useMember, useWorkspace } from "../../data/me.ts";
import { formText } from "../../messages/form.ts";
import { upload } from "./upload.ts";
import { formatSize } from "./upload-target.ts";

/** Stores a file in the workspace. The value is the stored file. A member who may not store files enters one as JSON. */
export function StoredFileField(props: FieldProps) {
  const mayStore = isOffered("files.presignUpload", useMember());
  if (mayStore) return <UploadField {...props} />;
  return <JsonField {...props} schema={{ ...props.schema, description: props.schema.description ?? formText.storedFileAsJson }} />;
}

function UploadField({ schema, name, title, fieldPathId, formData, required, disabled, rawErrors = [], registry, onChange }: FieldProps) {
  const workspace = useWorkspace();
  const { unfinished } = registry.formContext as { unfinished: Unfinished };
  const id = fieldPathId.$id;
  const [part, setPart] = useState(0);
  const running = useRef<AbortController>(undefined);
  const input = useRef<HTMLInputElement>(null);
  const store = useMutation({
    mutationFn: async (file: File) => {
      running.current = new AbortController();
      setPart(0);
      unfinished.set(id, formText.stillUploading);
      return upload(workspace, file, { onProgress: setPart, signal: running.current.signal });
    },
    onSuccess: (key) => onChange({ s3: key }, fieldPathId.path),
    onSettled: () => unfinished.delete(id),
  });
  useEffect(
    () => () => {
      running.current?.abort(new Error("The form was closed."));
      unfinished.delete(id);
    },
    [unfinished, id],
  );
  const cancel = () => {
    running.current?.abort(new Error("The upload was canceled."));
    unfinished.delete(id);
    store.reset();
    if (!input.current) return;
    // The same file can be chosen again.
    input.current.value = "";
    input.current.focus();
  };
  const file = store.variables;
  const key = isJsonObject(formData) && typeof formData["s3"] === "string" ? formData["s3"] : undefined;
  const errors = [...(store.error ? [store.error.message] : []), ...rawErrors];
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
        ref={input}
        // A disabled input would lose the focus.
        disabled={disabled === true}
        aria-disabled={store.isPending}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-description${problem === undefined ? "" : ` ${id}-error`}`}
        onClick={(event) => store.isPending && event.preventDefault()}
        onChange={({ target }) => !store.isPending && target.files?.[0] && store.mutate(target.files[0])}
      />
      {store.isPending && file && (
        <Group gap="xs" mt={4} wrap="nowrap">
          <progress className="upload" aria-label={formText.uploading(file.name)} value={part} max={1} />
          <Text size="sm" className="upload-part">
            {formText.uploaded(Math.floor(part * 100), formatSize(file.size))}
          </Text>
          <Button size="compact-xs" variant="default" className="upload-part" onClick={cancel}>
            {formText.cancelUpload}
          </Button>
        </Group>
      )}
      {store.isError && file && (
        <Button size="compact-xs" variant="default" mt={4} onClick={() => store.mutate(file)}>
          {formText.retryUpload}
        </Button>
      )}
      {key !== undefined && !store.isPending && (
        <Group gap="xs" mt={4}>
          <Text size="sm" role="status" className="upload-key">
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
