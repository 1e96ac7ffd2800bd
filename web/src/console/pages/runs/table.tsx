import { Checkbox, Table, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Ago } from "../../../shared/time/ago.tsx";
import { durationText } from "../../../shared/time/time.ts";
import { stateOf } from "../../data/run-state.ts";
import { runsText } from "../../messages/runs.ts";
import { StateBadge } from "../../parts/state-badge.tsx";
import type { Run } from "./use-runs.ts";

interface RunsTableProps {
  workspace: string;
  runs: readonly Run[];
  selected: ReadonlySet<string>;
  onSelect: (id: string, isSelected: boolean) => void;
}

export function RunsTable({ workspace, runs, selected, onSelect }: RunsTableProps) {
  const { columns } = runsText;
  return (
    <div className="table-scroll">
      <Table className="runs" highlightOnHover verticalSpacing={4}>
        <Table.Caption className="hidden">{runsText.caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{runsText.select}</Table.Th>
            <Table.Th scope="col">{columns.state}</Table.Th>
            <Table.Th scope="col">{columns.path}</Table.Th>
            <Table.Th scope="col">{columns.trigger}</Table.Th>
            <Table.Th scope="col">{columns.by}</Table.Th>
            <Table.Th scope="col">{columns.created}</Table.Th>
            <Table.Th scope="col">{columns.duration}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {runs.map((run) => (
            <Table.Tr key={run.id} data-run={run.id}>
              <Table.Td>
                <Checkbox
                  aria-label={`${runsText.select} ${nameOf(run)} ${run.id.slice(0, 8)}`}
                  checked={selected.has(run.id)}
                  onChange={({ target }) => onSelect(run.id, target.checked)}
                />
              </Table.Td>
              <Table.Td>
                <StateBadge state={stateOf(run, Date.now())} />
              </Table.Td>
              <Table.Td className="path">
                <Link to="/w/$ws/runs/$id" params={{ ws: workspace, id: run.id }}>
                  {nameOf(run)}
                </Link>
              </Table.Td>
              <Table.Td>{run.trigger_kind}</Table.Td>
              <Table.Td>{run.created_by}</Table.Td>
              <Table.Td>
                <Ago at={run.created_at} />
              </Table.Td>
              <Table.Td>
                <Text span size="sm">
                  {run.type === "CompletedJob" ? durationText(run.duration_ms) : ""}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** A preview has no path. */
export const nameOf = (run: Run): string => run.script_path || runsText.preview;
