import { Button, Group, Modal, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Body } from "../../../../../../contract/client/operation.ts";
import { call } from "../../../data/api.ts";
import { loadOnDemand } from "../../../frame/load-on-demand.tsx";
import { Failed } from "../../../frame/panel.tsx";
import { runsText } from "../../../messages/runs.ts";
import type { BulkFilter } from "../query.ts";
import { BulkProgress } from "./bulk-progress.tsx";

const AgainForm = loadOnDemand(() => import("./again-form.tsx"), null);

type Bulk = Body<"jobs.bulk.start">;

interface SelectionProps {
  workspace: string;
  selected: ReadonlySet<string>;
  /** The filter of all runs that match. */
  filter: BulkFilter;
  /** The action whose progress is shown. It is part of the address, so that a reload shows it again. */
  bulkId: string | undefined;
  onBulk: (id: string | undefined) => void;
  onSelectPage: () => void;
  onDone: () => void;
  children: ReactNode;
}

const text = runsText.bulk;

/** The actions on the selected runs, or on all that match. They continue in the service, which reports their progress. */
export function Selection({ workspace, selected, filter, bulkId, onBulk, onSelectPage, onDone, children }: SelectionProps) {
  const [isAll, setIsAll] = useState(false);
  const [asksAgain, setAsksAgain] = useState(false);
  const start = useMutation({
    mutationFn: (action: Pick<Bulk, "action" | "version" | "args">) => {
      const which = isAll ? { filter } : { ids: [...selected] };
      return call.jobs.bulk.start({ workspace, body: { ...action, ...which } });
    },
    onSuccess: ({ bulk_id }) => {
      onBulk(bulk_id);
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
      {bulkId !== undefined && <BulkProgress key={bulkId} workspace={workspace} id={bulkId} onHide={() => onBulk(undefined)} />}
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
