import { Anchor, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Note } from "../../../../shared/note.tsx";
import { Tree } from "../../../../shared/tree.tsx";
import { call } from "../../../data/api.ts";
import { Panel } from "../../../frame/panel.tsx";
import { runText } from "../../../messages/run.ts";
import { Log } from "../../../parts/log/log.tsx";
import { Result } from "../../../parts/result/result.tsx";
import { causeOf } from "../cause.ts";
import { type RunJob, useLog, useRun } from "../use-run.ts";

/** The input, the result, the log and the code of the selected step. */
export function StepDetail({ workspace, job }: { workspace: string; job: string | undefined }) {
  if (job === undefined) return <Text c="dimmed">{runText.steps.noJob}</Text>;
  return <OfJob key={job} workspace={workspace} job={job} />;
}

function OfJob({ workspace, job }: { workspace: string; job: string }) {
  const run = useRun(workspace, job);
  return <Panel query={run}>{(found) => <Content workspace={workspace} run={found} />}</Panel>;
}

function Content({ workspace, run }: { workspace: string; run: RunJob }) {
  const text = runText.tabs;
  const [tab, setTab] = useState<string | null>("result");
  const { log, stream } = useLog(workspace, run);
  const cause = causeOf(run);
  return (
    <Stack gap="sm">
      {cause && (
        <Note tone="bad" title={runText.cause}>
          <Text className="message">{[cause.name, cause.message].filter(Boolean).join(": ")}</Text>
        </Note>
      )}
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List aria-label={runText.steps.parts}>
          <Tabs.Tab value="result">{text.result}</Tabs.Tab>
          <Tabs.Tab value="input">{runText.steps.input}</Tabs.Tab>
          <Tabs.Tab value="log">{runText.steps.log}</Tabs.Tab>
          <Tabs.Tab value="code">{runText.steps.code}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="result" pt="sm">
          {run.type === "CompletedJob" ? <Result value={run.result} name={run.id} /> : <Text c="dimmed">{stream || runText.noResult}</Text>}
        </Tabs.Panel>
        <Tabs.Panel value="input" pt="sm">
          <Tree value={run.args ?? {}} open />
        </Tabs.Panel>
        <Tabs.Panel value="log" pt="sm">
          <Log log={log} name={`${run.id}.log`} isOpen={run.type === "QueuedJob"} />
        </Tabs.Panel>
        <Tabs.Panel value="code" pt="sm">
          <Code workspace={workspace} id={run.id} />
        </Tabs.Panel>
      </Tabs>
      <Anchor underline="always" component={Link} to={`/w/${workspace}/runs/${run.id}`}>
        {runText.openStep}
      </Anchor>
    </Stack>
  );
}

/** The code of the version that ran. */
export function Code({ workspace, id }: { workspace: string; id: string }) {
  const source = useQuery({
    queryKey: [workspace, "code", id],
    queryFn: async ({ signal }) => (await call.jobs.get({ workspace, id, query: { no_logs: true }, signal })).raw_code ?? "",
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Panel query={source} isEmpty={(code) => code === ""} empty={<Text c="dimmed">{runText.steps.noCode}</Text>}>
      {(code) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
        <pre className="code-block" tabIndex={0}>
          {code}
        </pre>
      )}
    </Panel>
  );
}
