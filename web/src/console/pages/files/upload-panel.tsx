import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { filesText as text } from "../../messages/objects/files.ts";
import { UnfinishedUploads } from "../../parts/upload/unfinished-uploads.tsx";
import { UploadRow } from "../../parts/upload/upload-row.tsx";
import type { Uploads } from "../../parts/upload/use-uploads.ts";
import { toFolder } from "./folder.ts";

interface UploadPanelProps {
  /** A closed panel continues its uploads. */
  isOpen: boolean;
  folder: string;
  storage: string | undefined;
  uploads: Uploads;
}

/** Uploads files to a folder, with their progress. An upload can be paused, canceled and repeated, and continues after a reload. */
export function UploadPanel({ isOpen, folder, storage, uploads }: UploadPanelProps) {
  const [target, setTarget] = useState(folder);
  const input = useRef<HTMLInputElement>(null);
  const choose = useRef<HTMLButtonElement>(null);
  useEffect(() => setTarget(folder), [folder]);
  const add = (files: readonly File[]) => {
    for (const file of files) void uploads.start(file, { key: toFolder(target) + file.name, storage }, { mayReplace: false });
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
          <Button ref={choose} color="blue.8" onClick={() => input.current?.click()}>
            {text.choose}
          </Button>
        </Group>
        <UnfinishedUploads
          uploads={listForPage(uploads, storage)}
          onContinue={(unfinished, file) => {
            void uploads.start(file, unfinished.target, { mayReplace: false });
            choose.current?.focus();
          }}
          onDiscard={(unfinished) => {
            uploads.discard(unfinished);
            choose.current?.focus();
          }}
        />
        {uploads.uploads.length > 0 && (
          <ul className="plain-list" aria-label={text.uploads}>
            {uploads.uploads.map((upload) => (
              <li key={upload.number}>
                <UploadRow upload={upload} controls={uploads} />
              </li>
            ))}
          </ul>
        )}
      </Stack>
    </section>
  );
}

/** Returns the unfinished uploads to a storage. Those without a key belong to forms of runs. */
export const listForPage = ({ unfinished }: Pick<Uploads, "unfinished">, storage: string | undefined) =>
  unfinished.filter(({ target }) => target && target.storage === storage);
