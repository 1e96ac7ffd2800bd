import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { isOffered } from "../../access/actions.ts";
import { useMember } from "../../data/me.ts";
import { Failed } from "../../frame/panel.tsx";
import { formText } from "../../messages/form.ts";
import { routesText as text } from "../../messages/objects/routes.ts";
import { upload } from "../../parts/run-form/upload.ts";
import { SERVED_STORAGE } from "./route.ts";
import { isHidden, keyOfFile, keyOfSiteFile } from "./static-keys.ts";

interface StaticFilesProps {
  workspace: string;
  isFolder: boolean;
  /** The key of the file or the folder. */
  value: string;
  onChange: (key: string) => void;
}

/** The file or the folder that a route serves, with an upload of its content. */
export function StaticFiles({ workspace, isFolder, value, onChange }: StaticFilesProps) {
  const mayStore = isOffered("files.presignUpload", useMember());
  const id = useId();
  const [progress, setProgress] = useState({ done: 0, of: 0, part: 0 });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(new Error("The form was closed.")), []);
  const store = useMutation({
    mutationFn: async (files: readonly File[]) => {
      const control = new AbortController();
      running.current = control;
      const stored = isFolder ? files.filter((file) => !isHidden(file)) : files;
      for (const [at, file] of stored.entries()) {
        const show = (part: number) => setProgress({ done: at, of: stored.length, part });
        show(0);
        const key = isFolder ? keyOfSiteFile(value, file) : keyOfFile(value, file);
        await upload(workspace, file, { onProgress: show, signal: control.signal, target: { key, storage: SERVED_STORAGE } });
        if (!isFolder) onChange(key);
      }
      return stored.length;
    },
  });
  const choose = (list: FileList | null) => {
    if (list && list.length > 0) store.mutate([...list]);
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
            className="file"
            type="file"
            // The folder must be chosen first, because the keys begin with it.
            disabled={store.isPending || (isFolder && value === "")}
            {...(isFolder ? { webkitdirectory: "" } : {})}
            onChange={({ target }) => {
              choose(target.files);
            }}
          />
        </label>
      )}
      {store.isPending && (
        <Group gap="xs" wrap="nowrap">
          <progress
            className="upload"
            aria-label={text.uploadProgress}
            value={progress.done + progress.part}
            max={Math.max(1, progress.of)}
          />
          <Text size="sm">{text.uploadedOf(progress.done, progress.of)}</Text>
          <Button size="compact-xs" variant="default" onClick={() => running.current?.abort(new Error("The upload was canceled."))}>
            {formText.cancelUpload}
          </Button>
        </Group>
      )}
      {store.isSuccess && (
        <Text size="sm" role="status">
          {text.filesStored(store.data)}
        </Text>
      )}
      {store.isError && !running.current?.signal.aborted && (
        <>
          <Failed error={store.error} />
          <Button size="compact-xs" variant="default" onClick={() => store.mutate(store.variables)}>
            {formText.retryUpload}
          </Button>
        </>
      )}
    </Stack>
  );
}
