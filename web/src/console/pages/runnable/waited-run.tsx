import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Note } from "../../../shared/note.tsx";
import { durationText } from "../../../shared/time/time.ts";
import { stateOf } from "../../data/run-state.ts";
import { Panel } from "../../frame/panel.tsx";
import { runnableText } from "../../messages/runnable.ts";
import { Log } from "../../parts/log/log.tsx";
import { Result } from "../../parts/result/result.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { causeOf } from "../run/cause.ts";
import { type RunJob, useLog, useRun } from "../run/use-run.ts";

/** Follows a run until its result. */
export default function WaitedRun({ workspace, id }: { workspace: string; id: string }) {
  const run = useRun(workspace, id);
  return (
    <Paper withBorder p="md" component="section" aria-label={runnableText.waitedRun}>
      <Panel query={run}>{(found) => <Outcome workspace={workspace} run={found} />}</Panel>
    </Paper>
  );
}

/** The state and the duration of a run, the link to its page, and buttons beside them. */
export function RunHead({ workspace, run, children }: { workspace: string; run: RunJob; children?: ReactNode }) {
  return (
    <Group gap="sm">
      <span role="status">
        <StateBadge state={stateOf(run, Date.now())} />
      </span>
      {run.type === "CompletedJob" && <Text size="sm">{durationText(run.duration_ms)}</Text>}
      <Link to="/w/$ws/runs/$id" params={{ ws: workspace, id: run.id }}>
        {runnableText.openRun}
      </Link>
      {children}
    </Group>
  );
}

function Outcome({ workspace, run }: { workspace: string; run: RunJob }) {
  const { log, stream } = useLog(workspace, run);
  const cause = causeOf(run);
  return (
    <Stack gap="sm">
      <RunHead workspace={workspace} run={run} />
      {cause && (
        <Note tone="bad">
          <Text className="message">{[cause.name, cause.message].filter(Boolean).join(": ")}</Text>
        </Note>
      )}
      <Title order={2} size="h5">
        {runnableText.result}
      </Title>
      {run.type === "CompletedJob" ? <Result value={run.result} name={run.id} /> : <Text c="dimmed">{stream || runnableText.waiting}</Text>}
      <Log log={log} name={`${run.id}.log`} isOpen={run.type === "QueuedJob"} />
    </Stack>
  );
}
