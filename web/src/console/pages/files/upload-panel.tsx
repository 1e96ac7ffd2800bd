import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { Refused } from "../../../shared/service.ts";
import { call } from "../../data/api.ts";
import { filesText as text } from "../../messages/objects/files.ts";
import { upload } from "../../parts/run-form/upload.ts";
import { formatSize } from "../../parts/run-form/upload-target.ts";
import { toFolder } from "./folder.ts";

type UploadState =
  | { name: "checking" | "exists" | "canceled" | "stored" }
  | { name: "sending"; part: number }
  | { name: "failed"; reason: string };

interface Upload {
  id: number;
  key: string;
  file: File;
  state: UploadState;
}

interface UploadPanelProps {
  /** A closed panel continues its uploads. */
  isOpen: boolean;
  workspace: string;
  folder: string;
  storage: string | undefined;
  onStored: () => void;
}

/** Uploads files to a folder, with their progress. An upload can be canceled and repeated. */
export function UploadPanel({ isOpen, workspace, folder, storage, onStored }: UploadPanelProps) {
  const [target, setTarget] = useState(folder);
  const [uploads, setUploads] = useState<Upload[]>([]);
  const running = useRef(new Map<number, AbortController>());
  const count = useRef(0);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const open = running.current;
    return () => {
      for (const controller of open.values()) controller.abort(new Error("The page was closed."));
    };
  }, []);
  useEffect(() => setTarget(folder), [folder]);
  const update = (id: number, state: UploadState) =>
    setUploads((current) => current.map((each) => (each.id === id ? { ...each, state } : each)));

  const start = async ({ id, key, file }: Pick<Upload, "id" | "key" | "file">, mayReplace: boolean) => {
    const controller = new AbortController();
    const { signal } = controller;
    running.current.set(id, controller);
    try {
      update(id, { name: "checking" });
      if (!mayReplace && (await fileExists({ workspace, key, storage, signal }))) return update(id, { name: "exists" });
      update(id, { name: "sending", part: 0 });
      const onProgress = (part: number) => update(id, { name: "sending", part });
      await upload(workspace, file, { onProgress, signal, target: { key, storage } });
      update(id, { name: "stored" });
      onStored();
    } catch (error) {
      update(id, signal.aborted ? { name: "canceled" } : { name: "failed", reason: error instanceof Error ? error.message : "" });
    } finally {
      running.current.delete(id);
    }
  };
  const add = (files: readonly File[]) => {
    const added = files.map((file) => {
      count.current += 1;
      return { id: count.current, key: toFolder(target) + file.name, file, state: { name: "checking" } as const };
    });
    setUploads((current) => [...current, ...added]);
    for (const each of added) void start(each, false);
    if (input.current) input.current.value = "";
  };
  return (
    <section aria-label={text.upload} hidden={!isOpen}>
      <Stack gap="xs" my="xs">
        <Text size="sm">{text.uploadWhy}</Text>
        <Group align="flex-end" gap="xs">
          <TextInput
            label={text.target}
            description={text.targetHelp}
            spellCheck={false}
            value={target}
            onChange={({ target: field }) => setTarget(field.value)}
          />
          <input
            ref={input}
            hidden
            type="file"
            multiple
            aria-label={text.choose}
            onChange={({ target: field }) => add([...(field.files ?? [])])}
          />
          <Button color="blue.8" onClick={() => input.current?.click()}>
            {text.choose}
          </Button>
        </Group>
        {uploads.length > 0 && (
          <ul className="plain-list" aria-label={text.uploads}>
            {uploads.map((each) => (
              <li key={each.id}>
                <UploadLine
                  upload={each}
                  onCancel={() => running.current.get(each.id)?.abort(new Error("The upload was canceled."))}
                  onStart={(mayReplace) => void start(each, mayReplace)}
                />
              </li>
            ))}
          </ul>
        )}
      </Stack>
    </section>
  );
}

interface UploadLineProps {
  upload: Upload;
  onCancel: () => void;
  onStart: (mayReplace: boolean) => void;
}

function UploadLine({ upload: { key, file, state }, onCancel, onStart }: UploadLineProps) {
  const isRunning = state.name === "sending" || state.name === "checking";
  return (
    <Group gap="xs">
      <span className="path">{key}</span>
      {state.name === "sending" && (
        <>
          <progress aria-label={text.uploading(key)} value={state.part} max={1} />
          <Text size="sm">{text.progress(Math.floor(state.part * 100), formatSize(file.size))}</Text>
        </>
      )}
      <Text size="sm" role="status">
        {describeState(key, state)}
      </Text>
      {isRunning && (
        <Button size="compact-xs" variant="default" aria-label={text.cancelOf(key)} onClick={onCancel}>
          {text.cancel}
        </Button>
      )}
      {state.name === "exists" && (
        <Button size="compact-xs" variant="default" aria-label={text.replaceOf(key)} onClick={() => onStart(true)}>
          {text.replace}
        </Button>
      )}
      {(state.name === "failed" || state.name === "canceled") && (
        <Button size="compact-xs" variant="default" aria-label={text.repeatOf(key)} onClick={() => onStart(false)}>
          {text.repeat}
        </Button>
      )}
    </Group>
  );
}

function describeState(key: string, state: UploadState): string {
  switch (state.name) {
    case "exists":
      return text.exists(key);
    case "failed":
      return state.reason;
    case "sending":
      return "";
    default:
      return text[state.name];
  }
}

interface FileLocation {
  workspace: string;
  key: string;
  storage: string | undefined;
  signal: AbortSignal;
}

async function fileExists({ workspace, key, storage, signal }: FileLocation): Promise<boolean> {
  try {
    await call.files.getMetadata({ workspace, query: { file_key: key, storage }, signal });
    return true;
  } catch (error) {
    if (error instanceof Refused && error.code === "file.notFound") return false;
    throw error;
  }
}
