import { Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { dateText, durationText } from "../../../shared/time/time.ts";
import { call } from "../../data/api.ts";
import { useWorkspace } from "../../data/me.ts";
import { stateOf } from "../../data/run-state.ts";
import { Page } from "../../frame/page.tsx";
import { Panel } from "../../frame/panel.tsx";
import { TableScroll } from "../../frame/table-scroll.tsx";
import { compareText } from "../../messages/compare.ts";
import { stateText } from "../../messages/frame.ts";
import { runText } from "../../messages/run.ts";
import { triggerText } from "../../messages/runs.ts";
import type { RunJob } from "../run/use-run.ts";
import { compareLines, toLines } from "./lines.ts";

/** Shows the differences of two runs: their facts, arguments, results and code. */
export default function ComparePage() {
  const workspace = useWorkspace();
  const { id = "", other = "" } = useParams({ strict: false });
  const runs = useQuery({
    queryKey: [workspace, "compare", id, other],
    queryFn: ({ signal }) =>
      Promise.all([id, other].map((each) => call.jobs.get({ workspace, id: each, query: { no_logs: true }, signal }))),
  });
  return (
    <Page title={compareText.title}>
      <Panel query={runs} guide="console#a-run">
        {([first, second]) => first && second && <Comparison workspace={workspace} first={first} second={second} />}
      </Panel>
    </Page>
  );
}

interface Both {
  first: RunJob;
  second: RunJob;
}

const facts: readonly [name: string, of: (run: RunJob) => string][] = [
  [runText.facts.state, (run) => stateText[stateOf(run, Date.now())]],
  [runText.facts.version, (run) => run.script_hash ?? ""],
  [runText.facts.trigger, (run) => triggerText(run.trigger_kind ?? "")],
  [runText.facts.by, (run) => run.created_by],
  [runText.facts.created, (run) => dateText(run.created_at)],
  [runText.facts.duration, (run) => (run.type === "CompletedJob" ? durationText(run.duration_ms) : "")],
];

function Comparison({ workspace, first, second }: Both & { workspace: string }) {
  const link = (run: RunJob) => (
    <Link to="/w/$ws/runs/$id" params={{ ws: workspace, id: run.id }}>
      {run.script_path || runText.preview} {run.id.slice(-6)}
    </Link>
  );
  return (
    <Stack gap="lg">
      <TableScroll label={compareText.facts}>
        <Table>
          <Table.Caption className="hidden">{compareText.facts}</Table.Caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{compareText.fact}</Table.Th>
              <Table.Th scope="col">{link(first)}</Table.Th>
              <Table.Th scope="col">{link(second)}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {facts.map(([name, of]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row">{name}</Table.Th>
                <Table.Td>{of(first)}</Table.Td>
                <Table.Td>{of(second)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </TableScroll>
      <Part title={compareText.parts.arguments} first={first.args} second={second.args} />
      <Part title={compareText.parts.result} first={resultOf(first)} second={resultOf(second)} />
      <Part title={compareText.parts.code} first={first.raw_code ?? first.raw_flow} second={second.raw_code ?? second.raw_flow} />
    </Stack>
  );
}

const resultOf = (run: RunJob): unknown => (run.type === "CompletedJob" ? run.result : undefined);

const words = { both: "", first: compareText.removed, second: compareText.added } as const;
const signs = { both: "  ", first: "− ", second: "+ " } as const;

function Part({ title, first, second }: { title: string; first: unknown; second: unknown }) {
  const lines = useMemo(() => compareLines(toLines(first), toLines(second)), [first, second]);
  return (
    <section aria-label={title}>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      {lines === undefined && <Text c="dimmed">{compareText.large}</Text>}
      {lines?.length === 0 && <Text c="dimmed">{compareText.same}</Text>}
      {lines && lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
        <pre className="code-block" tabIndex={0}>
          {lines.map(({ text, in: run }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a comparison never move
            <div key={index} className="compared" data-in={run}>
              {words[run] && <span className="hidden">{words[run]}</span>}
              <span aria-hidden>{signs[run]}</span>
              {text}
            </div>
          ))}
        </pre>
      )}
    </section>
  );
}
