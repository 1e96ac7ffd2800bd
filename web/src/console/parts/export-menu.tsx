import { Button, Group, Menu, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Failed } from "../frame/panel.tsx";
import { exportText as text } from "../messages/objects/export.ts";
import { download } from "./download.ts";

interface ExportMenuProps<T> {
  /** The name of the file, without its ending. */
  name: string;
  /** Reads everything that is exported. `onProgress` gets the number of items that were read so far. */
  read: (onProgress: (count: number) => void, signal: AbortSignal) => Promise<T[]>;
  write: { csv: (items: readonly T[]) => string; jsonl: (items: readonly T[]) => string };
}

const formats = {
  csv: { label: text.csv, type: "text/csv" },
  jsonl: { label: text.jsonLines, type: "application/jsonl" },
} as const;

/** Saves all items that match as a file. */
export function ExportMenu<T>({ name, read, write }: ExportMenuProps<T>) {
  const [count, setCount] = useState(0);
  const abort = useRef<AbortController>(undefined);
  const save = useMutation({
    mutationFn: async (format: keyof typeof formats) => {
      abort.current = new AbortController();
      setCount(0);
      download(`${name}.${format}`, write[format](await read(setCount, abort.current.signal)), formats[format].type);
    },
  });
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button size="xs" variant="default" disabled={save.isPending}>
            {text.export}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {(["csv", "jsonl"] as const).map((format) => (
            <Menu.Item key={format} onClick={() => save.mutate(format)}>
              {formats[format].label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {save.isPending && (
        <Group gap="xs">
          <Text size="sm" role="status">
            {text.exporting(count)}
          </Text>
          <Button size="xs" variant="default" onClick={() => abort.current?.abort()}>
            {text.stop}
          </Button>
        </Group>
      )}
      {save.error && !abort.current?.signal.aborted && <Failed error={save.error} />}
    </>
  );
}
