import { Checkbox, Table, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { memo, useRef } from "react";
import { Ago } from "../../../shared/time/ago.tsx";
import { durationText } from "../../../shared/time/time.ts";
import { stateOf } from "../../data/run-state.ts";
import { runsText, triggerText } from "../../messages/runs.ts";
import { RunPreview } from "../../parts/run-preview.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { nameOf } from "./name.ts";
import type { Run } from "./use-runs.ts";

interface RunsTableProps {
  workspace: string;
  runs: readonly Run[];
  selected: ReadonlySet<string>;
  onSelect: (id: string, isSelected: boolean) => void;
}

/** The height of a row before it is measured. */
const ROW_PX = 52;
const COLUMNS = 6;

/** A table of which only the visible rows are in the document. */
export function RunsTable({ workspace, runs, selected, onSelect }: RunsTableProps) {
  const { columns } = runsText;
  const frame = useRef<HTMLDivElement>(null);
  const rows = useWindowVirtualizer({
    count: runs.length,
    estimateSize: () => ROW_PX,
    overscan: 15,
    scrollMargin: frame.current?.offsetTop ?? 0,
    getItemKey: (index) => runs[index]?.id ?? index,
  });
  const items = rows.getVirtualItems();
  const abovePx = (items[0]?.start ?? 0) - rows.options.scrollMargin;
  const belowPx = rows.getTotalSize() - ((items.at(-1)?.end ?? 0) - rows.options.scrollMargin);
  return (
    <div className="table-scroll" ref={frame}>
      <Table className="runs" highlightOnHover verticalSpacing={4} aria-rowcount={runs.length + 1}>
        <Table.Caption className="hidden">{runsText.caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr aria-rowindex={1}>
            <Table.Th scope="col">
              <span className="hidden">{runsText.select}</span>
            </Table.Th>
            <Table.Th scope="col">{columns.state}</Table.Th>
            <Table.Th scope="col">{columns.path}</Table.Th>
            <Table.Th scope="col">{columns.by}</Table.Th>
            <Table.Th scope="col">{columns.created}</Table.Th>
            <Table.Th scope="col">{columns.duration}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Spacer heightPx={abovePx} />
          {items.map(({ index, key }) => {
            const run = runs[index];
            return (
              run && (
                <Table.Tr key={key} data-index={index} ref={rows.measureElement} aria-rowindex={index + 2}>
                  <Cells workspace={workspace} run={run} isSelected={selected.has(run.id)} onSelect={onSelect} />
                </Table.Tr>
              )
            );
          })}
          <Spacer heightPx={belowPx} />
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Spacer({ heightPx }: { heightPx: number }) {
  if (heightPx <= 0) return null;
  return (
    <tr aria-hidden>
      <td colSpan={COLUMNS} style={{ height: heightPx, padding: 0 }} />
    </tr>
  );
}

interface CellsProps extends Pick<RunsTableProps, "workspace" | "onSelect"> {
  run: Run;
  isSelected: boolean;
}

const Cells = memo(({ workspace, run, isSelected, onSelect }: CellsProps) => {
  return (
    <>
      <Table.Td>
        <Checkbox
          aria-label={`${runsText.select} ${nameOf(run)} ${run.id.slice(-6)}`}
          checked={isSelected}
          onChange={({ target }) => onSelect(run.id, target.checked)}
        />
      </Table.Td>
      <Table.Td>
        <StateBadge state={stateOf(run, Date.now())} />
      </Table.Td>
      <Table.Td className="run-cell">
        <Link to="/w/$ws/runs/$id" params={{ ws: workspace, id: run.id }}>
          {nameOf(run)}
        </Link>
        <RunPreview run={run} />
      </Table.Td>
      <Table.Td>
        {run.created_by}
        {run.trigger_kind && (
          <Text size="xs" c="dimmed">
            {triggerText(run.trigger_kind)}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Ago at={run.created_at} />
      </Table.Td>
      <Table.Td>{run.type === "CompletedJob" ? durationText(run.duration_ms) : ""}</Table.Td>
    </>
  );
});
