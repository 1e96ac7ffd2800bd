import { Button, Group, Input, Text } from "@mantine/core";
import type { FieldProps } from "@rjsf/utils";
import { useEffect, useRef } from "react";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { JsonField, type Unfinished } from "../../../shared/form/json-field.tsx";
import { isOffered } from "../../access/actions.ts";
import { useMember } from "../../data/me.ts";
import { formText } from "../../messages/form.ts";
import { UnfinishedUploads } from "../upload/unfinished-uploads.tsx";
import { UploadRow } from "../upload/upload-row.tsx";
import { useUploads } from "../upload/use-uploads.ts";

/** Stores a file in the workspace. The value is the stored file. A member who may not store files enters one as JSON. */
export function StoredFileField(props: FieldProps) {
  const mayStore = isOffered("files.presignUpload", useMember());
  if (mayStore) return <UploadField {...props} />;
  return <JsonField {...props} schema={{ ...props.schema, description: props.schema.description ?? formText.storedFileAsJson }} />;
}

function UploadField({ schema, name, title, fieldPathId, formData, required, disabled, rawErrors = [], registry, onChange }: FieldProps) {
  const { unfinished } = registry.formContext as { unfinished: Unfinished };
  const id = fieldPathId.$id;
  const input = useRef<HTMLInputElement>(null);
  const uploads = useUploads();
  const latest = uploads.uploads.at(-1);
  const shown = latest && latest.state.name !== "stored" && latest.state.name !== "canceled" ? latest : undefined;
  const isPending = shown !== undefined && shown.state.name !== "failed";
  useEffect(() => {
    if (isPending) unfinished.set(id, formText.stillUploading);
    return () => void unfinished.delete(id);
  }, [unfinished, id, isPending]);
  const start = (file: File) =>
    void uploads.start(file).then(
      (key) => onChange({ s3: key }, fieldPathId.path),
      // The person has canceled it.
      () => undefined,
    );
  const focusInput = () => {
    if (!input.current) return;
    // The same file can be chosen again.
    input.current.value = "";
    input.current.focus();
  };
  const cancel = (number: number) => {
    uploads.cancel(number);
    focusInput();
  };
  const key = isJsonObject(formData) && typeof formData["s3"] === "string" ? formData["s3"] : undefined;
  const problem = rawErrors.length > 0 ? rawErrors.join(" ") : undefined;
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
        aria-disabled={isPending}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-description${problem === undefined ? "" : ` ${id}-error`}`}
        onClick={(event) => isPending && event.preventDefault()}
        onChange={({ target }) => !isPending && target.files?.[0] && start(target.files[0])}
      />
      {shown ? (
        <UploadRow upload={shown} controls={{ ...uploads, cancel }} />
      ) : (
        <UnfinishedUploads
          uploads={uploads.unfinished.filter(({ target }) => target === undefined)}
          onContinue={(_, file) => {
            start(file);
            focusInput();
          }}
          onDiscard={(each) => {
            uploads.discard(each);
            focusInput();
          }}
        />
      )}
      {key !== undefined && !isPending && (
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
