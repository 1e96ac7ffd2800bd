import { Table, Text } from "@mantine/core";
import { durationText } from "../../../../shared/time/time.ts";
import { Failed, Loading } from "../../../frame/panel.tsx";
import { TableScroll } from "../../../frame/table-scroll.tsx";
import { runText } from "../../../messages/run.ts";
import type { RunJob } from "../use-run.ts";
import { nameOfStep, timesOf, useOutline } from "./outline.ts";

/** The times of the steps as a table with bars: first the time in the queue, then the run. */
export function Timeline({ workspace, run }: { workspace: string; run: RunJob }) {
  const outline = useOutline({ workspace, id: run.id });
  const text = runText.timeline;
  const steps = outline.data?.pages.flat();
  if (!steps) return outline.error ? <Failed error={outline.error} onRetry={() => void outline.refetch()} /> : <Loading />;
  if (steps.length === 0) return <Text c="dimmed">{runText.noSteps}</Text>;
  const nowMs = Date.now();
  const rows = steps.map((step) => ({ step, times: timesOf(step, nowMs) })).filter(({ times }) => times.fromMs !== undefined);
  const fromMs = Math.min(...rows.map(({ times }) => times.fromMs ?? nowMs));
  const totalMs = Math.max(1, Math.max(...rows.map(({ times }) => times.endMs)) - fromMs);
  const percent = (ms: number) => `${(100 * ms) / totalMs}%`;
  return (
    <TableScroll label={text.caption}>
      <Table>
        <Table.Caption className="hidden">{text.caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{text.step}</Table.Th>
            <Table.Th scope="col">{text.begins}</Table.Th>
            <Table.Th scope="col">{text.queued}</Table.Th>
            <Table.Th scope="col">{text.ran}</Table.Th>
            <Table.Th scope="col" className="bars">
              {text.bar}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ step, times }) => {
            const offsetMs = (times.fromMs ?? fromMs) - fromMs;
            return (
              <Table.Tr key={step.path}>
                <Table.Td>{nameOfStep(step, runText.steps)}</Table.Td>
                <Table.Td>{`+${durationText(offsetMs)}`}</Table.Td>
                <Table.Td>{times.queuedMs === undefined ? "" : durationText(times.queuedMs)}</Table.Td>
                <Table.Td>{times.ranMs === undefined ? "" : durationText(times.ranMs)}</Table.Td>
                <Table.Td>
                  <div className="bar" aria-hidden>
                    <span className="bar-queued" style={{ left: percent(offsetMs), width: percent(times.queuedMs ?? 0) }} />
                    <span
                      className="bar-ran"
                      style={{ left: percent((times.startMs ?? times.endMs) - fromMs), width: percent(times.ranMs ?? 0) }}
                    />
                  </div>
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </TableScroll>
  );
}
