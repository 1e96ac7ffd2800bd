import "./upload.css";
import { Button, Group, Text } from "@mantine/core";
import { useRef, useState } from "react";
import { uploadText as text } from "../../messages/objects/upload.ts";
import { formatSize } from "./format-size.ts";
import { isSameFile, type UnfinishedUpload } from "./unfinished.ts";

interface UnfinishedUploadsProps {
  uploads: readonly UnfinishedUpload[];
  onContinue: (upload: UnfinishedUpload, file: File) => void;
  onDiscard: (upload: UnfinishedUpload) => void;
}

/** The uploads that stopped with an earlier page. The browser gives a page the file only if the person chooses it again. */
export function UnfinishedUploads({ uploads, onContinue, onDiscard }: UnfinishedUploadsProps) {
  if (uploads.length === 0) return null;
  return (
    <ul className="plain-list" aria-label={text.unfinished}>
      {uploads.map((upload) => (
        <li key={upload.id}>
          <UnfinishedRow upload={upload} onContinue={(file) => onContinue(upload, file)} onDiscard={() => onDiscard(upload)} />
        </li>
      ))}
    </ul>
  );
}

interface UnfinishedRowProps {
  upload: UnfinishedUpload;
  onContinue: (file: File) => void;
  onDiscard: () => void;
}

function UnfinishedRow({ upload, onContinue, onDiscard }: UnfinishedRowProps) {
  const { name: fileName, size, storedBytes, target } = upload;
  const name = target?.key ?? fileName;
  const input = useRef<HTMLInputElement>(null);
  const [isOther, setIsOther] = useState(false);
  const choose = (file: File | undefined) => {
    if (!file) return;
    setIsOther(!isSameFile(upload, file));
    if (isSameFile(upload, file)) onContinue(file);
    if (input.current) input.current.value = "";
  };
  return (
    <Group gap="xs">
      <Text size="sm" className="upload-name">
        {text.unfinishedOf(name, formatSize(storedBytes), formatSize(size))}
      </Text>
      <input ref={input} hidden type="file" aria-label={text.continueOf(name)} onChange={({ target: field }) => choose(field.files?.[0])} />
      <Button size="compact-xs" variant="default" aria-label={text.continueOf(name)} onClick={() => input.current?.click()}>
        {text.continue}
      </Button>
      <Button size="compact-xs" variant="default" aria-label={text.discardOf(name)} onClick={onDiscard}>
        {text.discard}
      </Button>
      <Text size="sm" role="status">
        {isOther ? text.otherFile(fileName) : ""}
      </Text>
    </Group>
  );
}
