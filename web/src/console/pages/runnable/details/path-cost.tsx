import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Fact } from "../../../../shared/fact.tsx";
import { call } from "../../../data/api.ts";
import { Panel } from "../../../frame/panel.tsx";
import { costText } from "../../../messages/cost.ts";
import { dollars } from "../../run/cost.tsx";
import type { Runnable } from "../use-runnable.ts";

/** The estimated cost of the runs of a script or a flow in the last 30 days. */
export function PathCost({ workspace, runnable: { kind, path } }: { workspace: string; runnable: Pick<Runnable, "kind" | "path"> }) {
  const cost = useQuery({
    queryKey: [workspace, "cost of", kind, path],
    queryFn: ({ signal }) => (kind === "flow" ? call.flows.getCost : call.scripts.getCost)({ workspace, path, signal }),
    staleTime: 60_000,
  });
  return (
    <Panel query={cost}>
      {({ runs, total, per_run, partial, sampled_runs, region, prices_as_of }) => {
        if (runs === 0) return <Text c="dimmed">{costText.noRuns}</Text>;
        const bound = (shown: string) => (partial ? costText.atLeast(shown) : shown);
        return (
          <>
            <dl className="facts">
              <Fact name={costText.runs}>{bound(runs.toLocaleString())}</Fact>
              <Fact name={costText.sum}>{bound(dollars.format(total))}</Fact>
              <Fact name={costText.perRun}>{dollars.format(per_run)}</Fact>
            </dl>
            <Text size="sm" c="dimmed">
              {sampled_runs !== undefined && `${costText.sampled(sampled_runs)} `}
              {costText.prices(region, prices_as_of)}
            </Text>
          </>
        );
      }}
    </Panel>
  );
}
