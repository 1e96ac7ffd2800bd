import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ago } from "../../../shared/time/ago.tsx";
import { call } from "../../data/api.ts";
import { useMember, useWorkspace } from "../../data/me.ts";
import { stateOf } from "../../data/run-state.ts";
import { waitingQuery } from "../../data/waiting.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { Page } from "../../frame/page.tsx";
import { Panel } from "../../frame/panel.tsx";
import { homeText } from "../../messages/home.ts";
import { Hint } from "../../parts/hint.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { nameOf } from "../runs/name.ts";
import { type ListQuery, ofPeople } from "../runs/query.ts";
import { Favorites, favoritesQuery, RecentItems, recentQuery } from "./items.tsx";
import { Section } from "./section.tsx";

const Begin = loadOnDemand(() => import("./begin.tsx"), null);

const DAY_MS = 24 * 3600 * 1000;
const SHOWN = 10;
const aDayAgo = () => new Date(Date.now() - DAY_MS).toISOString();

/** Shows what concerns the person: items, runs and requests. Someone who has used nothing yet sees how to begin. */
export default function HomePage() {
  const workspace = useWorkspace();
  const { username } = useMember();
  const favorites = useQuery(favoritesQuery(workspace));
  const recent = useQuery(recentQuery(workspace, username));
  const hasUsedNothing = favorites.data?.length === 0 && recent.data?.length === 0;
  return (
    <Page title={homeText.title}>
      <Hint name="home" guide="console#home" />
      {hasUsedNothing && <Begin key={workspace} workspace={workspace} />}
      <div className="home">
        <Favorites workspace={workspace} />
        <RecentItems workspace={workspace} username={username} />
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
    <Section title={title}>
      <Panel query={runs} guide="console#home" isEmpty={(found) => found.length === 0} empty={<Text c="dimmed">{none}</Text>}>
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
    </Section>
  );
}

/** The requests that the user may decide. The counter of the navigation keeps them up to date. */
function Waiting() {
  const workspace = useWorkspace();
  const waiting = useQuery(waitingQuery(workspace));
  return (
    <Section title={homeText.waiting}>
      <Panel
        query={waiting}
        guide="approvals#deciding"
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
    </Section>
  );
}
