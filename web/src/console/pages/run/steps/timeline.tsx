import { Button, Table, Text } from "@mantine/core";
import { durationText } from "../../../../shared/time/time.ts";
import { Failed, Loading } from "../../../frame/panel.tsx";
import { TableScroll } from "../../../frame/table-scroll.tsx";
import { runText } from "../../../messages/run.ts";
import type { RunJob } from "../use-run.ts";
import { nameOfStep, timesOf, useOutline } from "./outline.ts";

/** The times of the steps as a table with bars: the time in the queue, the run, and the wait for an approval. */
export function Timeline({ workspace, run }: { workspace: string; run: RunJob }) {
  const outline = useOutline({ workspace, id: run.id });
  const text = runText.timeline;
  const steps = outline.data?.pages.flat();
  if (!steps) return outline.error ? <Failed error={outline.error} onRetry={() => void outline.refetch()} /> : <Loading />;
  if (steps.length === 0) return <Text c="dimmed">{runText.noSteps}</Text>;
  const nowMs = Date.now();
  const rows = steps.map((step) => ({ step, times: timesOf(step, nowMs) })).filter(({ times }) => times.fromMs !== undefined);
  const fromMs = Math.min(...rows.map(({ times }) => times.fromMs ?? nowMs));
  const lastMs = Math.max(...rows.map(({ times }) => Math.max(times.endMs, (times.waitedFromMs ?? 0) + (times.waitedMs ?? 0))));
  const totalMs = Math.max(1, lastMs - fromMs);
  const hasWaited = rows.some(({ times }) => times.waitedMs !== undefined);
  const percent = (ms: number) => `${(100 * ms) / totalMs}%`;
  return (
    <TableScroll label={text.caption}>
      <Table className="timeline">
        <Table.Caption className="hidden">{text.caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{text.step}</Table.Th>
            <Table.Th scope="col">{text.begins}</Table.Th>
            <Table.Th scope="col">{text.queued}</Table.Th>
            <Table.Th scope="col">{text.ran}</Table.Th>
            {hasWaited && <Table.Th scope="col">{text.waited}</Table.Th>}
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
                {hasWaited && <Table.Td>{times.waitedMs === undefined ? "" : durationText(times.waitedMs)}</Table.Td>}
                <Table.Td>
                  <div className="bar" aria-hidden>
                    <span className="bar-queued" style={{ left: percent(offsetMs), width: percent(times.queuedMs ?? 0) }} />
                    <span
                      className="bar-ran"
                      style={{ left: percent((times.startMs ?? times.endMs) - fromMs), width: percent(times.ranMs ?? 0) }}
                    />
                    {times.waitedMs !== undefined && (
                      <span
                        className="bar-waited"
                        style={{ left: percent((times.waitedFromMs ?? fromMs) - fromMs), width: percent(times.waitedMs) }}
                      />
                    )}
                  </div>
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
      {outline.hasNextPage && (
        <Button size="xs" mt="xs" variant="default" loading={outline.isFetchingNextPage} onClick={() => void outline.fetchNextPage()}>
          {runText.steps.more}
        </Button>
      )}
    </TableScroll>
  );
}
