import { Button, Group, Menu, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Failed } from "../../frame/panel.tsx";
import { runsText } from "../../messages/runs.ts";
import { download } from "../../parts/download.ts";
import { readAll, runsAsCsv, runsAsJsonLines } from "./export.ts";
import type { ListQuery } from "./query.ts";

const formats = {
  csv: { label: runsText.csv, file: "runs.csv", type: "text/csv", write: runsAsCsv },
  jsonl: { label: runsText.jsonLines, file: "runs.jsonl", type: "application/jsonl", write: runsAsJsonLines },
} as const;

/** Saves all runs that match as a file. */
export function ExportMenu({ workspace, query }: { workspace: string; query: ListQuery }) {
  const [count, setCount] = useState(0);
  const abort = useRef<AbortController>(undefined);
  const save = useMutation({
    mutationFn: async (format: keyof typeof formats) => {
      abort.current = new AbortController();
      setCount(0);
      const { file, type, write } = formats[format];
      download(file, write(await readAll(workspace, query, setCount, abort.current.signal)), type);
    },
  });
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button size="xs" variant="default" disabled={save.isPending}>
            {runsText.export}
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
            {runsText.exporting(count)}
          </Text>
          <Button size="xs" variant="default" onClick={() => abort.current?.abort()}>
            {runsText.stop}
          </Button>
        </Group>
      )}
      {save.error && !abort.current?.signal.aborted && <Failed error={save.error} />}
    </>
  );
}
