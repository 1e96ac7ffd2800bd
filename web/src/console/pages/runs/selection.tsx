import { Button, Group, Modal, NativeSelect, Stack, Text, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Body } from "../../../../../contract/client/operation.ts";
import { defined } from "../../../../../contract/defined.ts";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { call } from "../../data/api.ts";
import { Failed } from "../../frame/panel.tsx";
import { runsText } from "../../messages/runs.ts";
import { BulkProgress } from "./bulk-progress.tsx";
import type { BulkFilter } from "./query.ts";

type Bulk = Body<"jobs.bulk.start">;

interface SelectionProps {
  workspace: string;
  selected: ReadonlySet<string>;
  /** The filter of all runs that match. */
  filter: BulkFilter;
  onSelectPage: () => void;
  onDone: () => void;
  children: ReactNode;
}

const text = runsText.bulk;

/** The actions on the selected runs, or on all that match. They continue in the service, which reports their progress. */
export function Selection({ workspace, selected, filter, onSelectPage, onDone, children }: SelectionProps) {
  const [isAll, setIsAll] = useState(false);
  const [asksAgain, setAsksAgain] = useState(false);
  const [bulkId, setBulkId] = useState<string>();
  const start = useMutation({
    mutationFn: (action: Pick<Bulk, "action" | "version" | "args">) => {
      const which = isAll ? { filter } : { ids: [...selected] };
      return call.jobs.bulk.start({ workspace, body: { ...action, ...which } });
    },
    onSuccess: ({ bulk_id }) => {
      setBulkId(bulk_id);
      setAsksAgain(false);
      setIsAll(false);
      onDone();
    },
  });
  const hasSelection = isAll || selected.size > 0;
  return (
    <>
      <Group gap="xs" my="xs" mih={30}>
        <Button size="xs" variant="default" onClick={onSelectPage}>
          {runsText.selectPage}
        </Button>
        <Button size="xs" variant="default" onClick={() => setIsAll(true)}>
          {runsText.selectAll}
        </Button>
        {hasSelection && (
          <>
            <Text size="sm" role="status">
              {isAll ? runsText.allSelected : runsText.selected(selected.size)}
            </Text>
            <Button size="xs" variant="default" loading={start.isPending} onClick={() => start.mutate({ action: "cancel" })}>
              {runsText.cancelSelected}
            </Button>
            <Button size="xs" variant="default" onClick={() => setAsksAgain(true)}>
              {runsText.runAgain}
            </Button>
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                setIsAll(false);
                onDone();
              }}
            >
              {runsText.clearSelection}
            </Button>
          </>
        )}
        {children}
      </Group>
      {start.error && <Failed error={start.error} />}
      {bulkId !== undefined && <BulkProgress key={bulkId} workspace={workspace} id={bulkId} onHide={() => setBulkId(undefined)} />}
      <Modal opened={asksAgain} onClose={() => setAsksAgain(false)} title={text.title}>
        <AgainForm
          isPending={start.isPending}
          onCancel={() => setAsksAgain(false)}
          onStart={(options) => start.mutate({ action: "rerun", ...options })}
        />
      </Modal>
    </>
  );
}

interface AgainFormProps {
  isPending: boolean;
  onCancel: () => void;
  onStart: (options: Pick<Bulk, "version" | "args">) => void;
}

function AgainForm({ isPending, onCancel, onStart }: AgainFormProps) {
  const [version, setVersion] = useState<"same" | "latest">("same");
  const [json, setJson] = useState("");
  const args = parseArgs(json);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (args !== "invalid") onStart({ version, ...defined({ args }) });
      }}
    >
      <Stack>
        <Text>{text.why}</Text>
        <NativeSelect
          label={text.version}
          value={version}
          data={(["same", "latest"] as const).map((value) => ({ value, label: text.versions[value] }))}
          onChange={({ target }) => setVersion(target.value === "latest" ? "latest" : "same")}
        />
        <Textarea
          label={text.args}
          description={text.argsHelp}
          error={args === "invalid" ? text.notJson : undefined}
          rows={3}
          value={json}
          onChange={({ target }) => setJson(target.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {text.cancel}
          </Button>
          <Button type="submit" loading={isPending}>
            {text.start}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Reads the arguments to replace. Returns `undefined` without a text. */
function parseArgs(json: string): Bulk["args"] | "invalid" {
  if (json.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? (value as Bulk["args"]) : "invalid";
  } catch {
    return "invalid";
  }
}
