import { Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ago } from "../../../shared/time/ago.tsx";
import { call } from "../../data/api.ts";
import { useWorkspace } from "../../data/me.ts";
import { stateOf } from "../../data/run-state.ts";
import { waitingQuery } from "../../data/waiting.ts";
import { Page } from "../../frame/page.tsx";
import { Panel } from "../../frame/panel.tsx";
import { homeText } from "../../messages/home.ts";
import { StateBadge } from "../../parts/state-badge.tsx";
import { nameOf } from "../runs/name.ts";
import { type ListQuery, ofPeople } from "../runs/query.ts";

const DAY_MS = 24 * 3600 * 1000;
const SHOWN = 10;
const aDayAgo = () => new Date(Date.now() - DAY_MS).toISOString();

export default function HomePage() {
  return (
    <Page title={homeText.title}>
      <div className="home">
        <Runs title={homeText.running} none={homeText.nothingRunning} queryOf={() => ({ running: true })} />
        <Waiting />
        <Runs title={homeText.failed} none={homeText.nothingFailed} queryOf={() => ({ status: "failure", completed_after: aDayAgo() })} />
      </div>
    </Page>
  );
}

interface RunsProps {
  title: string;
  none: string;
  queryOf: () => ListQuery;
}

function Runs({ title, none, queryOf }: RunsProps) {
  const workspace = useWorkspace();
  const runs = useQuery({
    queryKey: [workspace, "home", title],
    queryFn: ({ signal }) => call.jobs.list({ workspace, query: { ...ofPeople, per_page: SHOWN, ...queryOf() }, signal }),
  });
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      <Panel query={runs} isEmpty={(found) => found.length === 0} empty={<Text c="dimmed">{none}</Text>}>
        {(found) => (
          <Stack component="ul" gap={4} className="plain-list">
            {found.map((run) => (
              <li key={run.id}>
                <StateBadge state={stateOf(run, Date.now())} />{" "}
                <Link to="/w/$ws/runs/$id" params={{ ws: workspace, id: run.id }}>
                  {nameOf(run)}
                </Link>{" "}
                <Ago at={run.created_at} />
              </li>
            ))}
          </Stack>
        )}
      </Panel>
    </Paper>
  );
}

/** The requests that the user may decide. The counter of the navigation keeps them up to date. */
function Waiting() {
  const workspace = useWorkspace();
  const waiting = useQuery(waitingQuery(workspace));
  return (
    <Paper withBorder p="md" component="section" aria-label={homeText.waiting}>
      <Title order={2} size="h5" mb="xs">
        {homeText.waiting}
      </Title>
      <Panel
        query={waiting}
        isEmpty={({ requests, before }) => requests.length === 0 && before === undefined}
        empty={<Text c="dimmed">{homeText.nothingWaiting}</Text>}
      >
        {({ requests, before }) => (
          <Stack component="ul" gap={4} className="plain-list">
            {requests.slice(0, SHOWN).map(({ gate_id, run_id, summary, flow_path, module_id, opened_at }) => (
              <li key={gate_id}>
                <Link to="/w/$ws/approvals" params={{ ws: workspace }} search={{ open: gate_id, run: run_id }}>
                  {summary || flow_path || module_id}
                </Link>{" "}
                <Ago at={opened_at} />
              </li>
            ))}
            {(requests.length > SHOWN || before !== undefined) && (
              <li>
                <Link to="/w/$ws/approvals" params={{ ws: workspace }}>
                  {homeText.allWaiting}
                </Link>
              </li>
            )}
          </Stack>
        )}
      </Panel>
    </Paper>
  );
}
