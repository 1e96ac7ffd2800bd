import { Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ago } from "../../../../shared/time/ago.tsx";
import { durationText } from "../../../../shared/time/time.ts";
import { call } from "../../../data/api.ts";
import { stateOf } from "../../../data/run-state.ts";
import { Panel } from "../../../frame/panel.tsx";
import { runsText } from "../../../messages/runs.ts";
import { detailsText as text } from "../../../messages/versions.ts";
import { ListTable } from "../../../parts/list-table.tsx";
import { StateBadge } from "../../../parts/state-badge.tsx";
import { ofPeople } from "../../runs/query.ts";
import type { Runnable } from "../use-runnable.ts";

const SHOWN = 10;
const { state, created, by, duration } = runsText.columns;

/** The newest runs of a script or a flow, with a link to all of them. */
export function LastRuns({ workspace, runnable: { kind, path } }: { workspace: string; runnable: Pick<Runnable, "kind" | "path"> }) {
  const runs = useQuery({
    queryKey: [workspace, "last runs of", kind, path],
    queryFn: ({ signal }) => {
      const query = { ...ofPeople, job_kinds: kind, script_path_exact: path, per_page: SHOWN };
      return call.jobs.list({ workspace, query, signal });
    },
  });
  return (
    <Panel query={runs} isEmpty={(found) => found.length === 0} empty={<Text c="dimmed">{text.noRuns}</Text>}>
      {(found) => (
        <>
          <ListTable caption={text.runs} columns={[state, created, by, duration]} verticalSpacing={4}>
            {found.map((run) => (
              <Table.Tr key={run.id}>
                <Table.Td>
                  <StateBadge state={stateOf(run, Date.now())} />
                </Table.Td>
                <Table.Td>
                  <Link to="/w/$ws/runs/$id" params={{ ws: workspace, id: run.id }}>
                    <Ago at={run.created_at} />
                  </Link>
                </Table.Td>
                <Table.Td>{run.created_by}</Table.Td>
                <Table.Td>{run.type === "CompletedJob" ? durationText(run.duration_ms) : ""}</Table.Td>
              </Table.Tr>
            ))}
          </ListTable>
          <Link to="/w/$ws/runs" params={{ ws: workspace }} search={{ path }}>
            {text.openRuns}
          </Link>
        </>
      )}
    </Panel>
  );
}
