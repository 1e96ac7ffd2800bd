import { Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { isOffered } from "../../access/actions.ts";
import { useMember } from "../../data/me.ts";
import { routesText as text } from "../../messages/objects/routes.ts";
import type { UploadTarget } from "../../parts/upload/unfinished.ts";
import { UnfinishedUploads } from "../../parts/upload/unfinished-uploads.tsx";
import { UploadRow } from "../../parts/upload/upload-row.tsx";
import { useUploads } from "../../parts/upload/use-uploads.ts";
import { SERVED_STORAGE } from "./route.ts";
import { isHidden, keyOfFile, keyOfSiteFile } from "./static-keys.ts";

interface StaticFilesProps {
  isFolder: boolean;
  /** The key of the file or the folder. */
  value: string;
  onChange: (key: string) => void;
}

interface ChosenUpload {
  file: File;
  target: UploadTarget;
}

/** The file or the folder that a route serves, with an upload of its content. */
export function StaticFiles({ isFolder, value, onChange }: StaticFilesProps) {
  const mayStore = isOffered("files.presignUpload", useMember());
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [progress, setProgress] = useState({ done: 0, of: 0 });
  const uploads = useUploads();
  const latest = uploads.uploads.at(-1);
  const store = useMutation({
    mutationFn: async (chosen: readonly ChosenUpload[]) => {
      for (const [done, { file, target }] of chosen.entries()) {
        setProgress({ done, of: chosen.length });
        await uploads.start(file, target);
        if (!isFolder) onChange(target.key);
      }
      return chosen.length;
    },
  });
  const choose = (files: readonly File[]) => {
    const stored = isFolder ? files.filter((file) => !isHidden(file)) : files;
    const keyOf = (file: File) => (isFolder ? keyOfSiteFile(value, file) : keyOfFile(value, file));
    if (stored.length > 0) store.mutate(stored.map((file) => ({ file, target: { key: keyOf(file), storage: SERVED_STORAGE } })));
  };
  return (
    <Stack gap="xs">
      <TextInput
        label={isFolder ? text.folderKey : text.fileKey}
        description={isFolder ? text.folderKeyHelp : text.fileKeyHelp}
        required
        withAsterisk={false}
        maxLength={800}
        spellCheck={false}
        value={value}
        onChange={({ target }) => onChange(target.value.trimStart())}
      />
      {mayStore && (
        <label htmlFor={id} className="file-label">
          <Text size="sm">{isFolder ? text.uploadFolder : text.uploadFile}</Text>
          <input
            key={isFolder ? "folder" : "file"}
            id={id}
            ref={input}
            className="file"
            type="file"
            // The folder must be chosen first, because the keys begin with it.
            disabled={store.isPending || (isFolder && value === "")}
            {...(isFolder ? { webkitdirectory: "" } : {})}
            onChange={({ target }) => choose([...(target.files ?? [])])}
          />
        </label>
      )}
      {mayStore && !store.isPending && (
        <UnfinishedUploads
          uploads={uploads.unfinished.filter(({ target }) => target?.storage === SERVED_STORAGE)}
          onContinue={({ target }, file) => {
            if (target) store.mutate([{ file, target }]);
          }}
          onDiscard={(unfinished) => {
            uploads.discard(unfinished);
            input.current?.focus();
          }}
        />
      )}
      {store.isPending && (
        <>
          {progress.of > 1 && (
            <Group gap="xs" wrap="nowrap">
              <progress className="upload-progress" aria-label={text.uploadProgress} value={progress.done} max={progress.of} />
              <Text size="sm">{text.uploadedOf(progress.done, progress.of)}</Text>
            </Group>
          )}
          {latest && <UploadRow upload={latest} controls={uploads} />}
        </>
      )}
      {store.isSuccess && (
        <Text size="sm" role="status">
          {text.filesStored(store.data)}
        </Text>
      )}
    </Stack>
  );
}
