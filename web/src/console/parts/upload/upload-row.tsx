import "./upload.css";
import { Button, Group, Text } from "@mantine/core";
import { useRef } from "react";
import { uploadText as text } from "../../messages/objects/upload.ts";
import { formatSize } from "./format-size.ts";
import { isInParts } from "./upload.ts";
import type { PageUpload, UploadControls } from "./use-uploads.ts";

interface UploadRowProps {
  upload: PageUpload;
  controls: UploadControls;
}

/** An upload of this page: its progress in bytes, its state, and what a person can do with it. */
export function UploadRow({ upload: { number, file, target, state }, controls }: UploadRowProps) {
  const row = useRef<HTMLDivElement>(null);
  const name = target?.key ?? file.name;
  const isSending = state.name === "sending";
  const canPause = isSending && isInParts(file);
  const canResume = (state.name === "paused" || state.name === "failed") && isInParts(file);
  const canRepeat = state.name === "canceled" || (state.name === "failed" && !canResume);
  const cancel = () => {
    controls.cancel(number);
    // The button disappears.
    row.current?.focus();
  };
  return (
    <Group gap="xs" ref={row} tabIndex={-1} role="group" aria-label={text.label(name)}>
      <span className="path upload-name">{name}</span>
      {"bytes" in state && (
        <>
          <progress className="upload-progress" aria-label={text.label(name)} value={state.bytes} max={file.size} />
          <Text size="sm">
            {text.progress(formatSize(state.bytes), Math.floor((state.bytes / file.size) * 100), formatSize(file.size))}
          </Text>
        </>
      )}
      <Text size="sm" role="status">
        {describe(name, state)}
      </Text>
      {/* One button, so that it keeps the focus when its text changes. */}
      {(canPause || canResume || canRepeat) && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={canPause ? text.pauseOf(name) : canResume ? text.resumeOf(name) : text.againOf(name)}
          onClick={() => (canPause ? controls.pause(number) : controls.resume(number))}
        >
          {canPause ? text.pause : canResume ? text.resume : text.again}
        </Button>
      )}
      {state.name === "exists" && (
        <Button size="compact-xs" variant="default" aria-label={text.replaceOf(name)} onClick={() => controls.replace(number)}>
          {text.replace}
        </Button>
      )}
      {state.name !== "stored" && state.name !== "canceled" && state.name !== "exists" && (
        <Button size="compact-xs" variant="default" aria-label={text.cancelOf(name)} onClick={cancel}>
          {text.cancel}
        </Button>
      )}
    </Group>
  );
}

function describe(name: string, state: PageUpload["state"]): string {
  switch (state.name) {
    case "exists":
      return text.exists(name);
    case "failed":
      return state.error instanceof Error ? state.error.message : "";
    case "sending":
      return "";
    default:
      return text[state.name];
  }
}
