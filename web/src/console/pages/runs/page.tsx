import { Button, Group, Switch, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { exactText } from "../../../shared/time/time.ts";
import type { Search } from "../../data/address.ts";
import { useWorkspace } from "../../data/me.ts";
import { Page } from "../../frame/page.tsx";
import { Empty, Panel } from "../../frame/panel.tsx";
import { runsText } from "../../messages/runs.ts";
import { ExportMenu } from "../../parts/export-menu.tsx";
import { Hint } from "../../parts/hint.tsx";
import { Selection } from "./bulk/selection.tsx";
import { Chart } from "./chart/chart.tsx";
import { readAll, runsAsCsv, runsAsJsonLines } from "./export.ts";
import { Filters } from "./filters/filters.tsx";
import { countFilters, filterNames, toBulkFilter, toListQuery } from "./query.ts";
import { rangeOf, windowOf } from "./ranges.ts";
import { RunsTable } from "./table.tsx";
import { type Run, useNewRuns, useReload, useRunPages } from "./use-runs.ts";
import { Views } from "./views.tsx";

const NO_RUNS: readonly Run[] = [];

/** Lists the runs of a workspace that match the filters of the address. */
export default function RunsPage() {
  const workspace = useWorkspace();
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const query = useMemo(() => toListQuery(search, Date.now()), [search]);
  const isLive = search["live"] !== "false";
  const pages = useRunPages(workspace, query);
  const listed = useMemo(() => pages.data?.pages.flatMap(({ runs }) => runs) ?? NO_RUNS, [pages.data]);
  const reload = useReload(workspace, query);
  const { newRuns, present } = useNewRuns(workspace, query, listed, isLive && pages.isSuccess);
  const shown = useMemo(() => listed.map((run) => present.get(run.id) ?? run), [listed, present]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const change = (changes: Search) => void navigate({ to: ".", search: { ...search, ...changes }, replace: true });
  const select = useCallback((id: string, isSelected: boolean) => {
    setSelected((before) => {
      const next = new Set(before);
      if (isSelected) next.add(id);
      else next.delete(id);
      return next;
    });
  }, []);
  const clear = () => change(Object.fromEntries(filterNames.map((name) => [name, undefined])));
  return (
    <Page
      title={runsText.title}
      actions={
        <>
          <Views workspace={workspace} search={search} onApply={(filters) => void navigate({ to: ".", search: filters })} />
          <ExportMenu
            name="runs"
            read={(onProgress, signal) => readAll(workspace, query, onProgress, signal)}
            write={{ csv: runsAsCsv, jsonl: runsAsJsonLines }}
          />
          <Switch
            label={runsText.live}
            checked={isLive}
            onChange={({ target }) => change({ live: target.checked ? undefined : "false" })}
          />
        </>
      }
    >
      <Hint name="runs" guide="console#runs" />
      <Filters search={search} onChange={change} onClear={clear} />
      <Text size="sm" mt="xs">
        {describeWindow(search)}
      </Text>
      <Chart
        workspace={workspace}
        query={query}
        onRange={(from, to) => change({ from, to, range: undefined })}
        onError={(error) => change({ error, status: "failure" })}
      />
      <Selection
        workspace={workspace}
        selected={selected}
        filter={toBulkFilter(query)}
        bulkId={search["bulk"]}
        onBulk={(bulk) => change({ bulk })}
        onSelectPage={() => setSelected(new Set(listed.map(({ id }) => id)))}
        onDone={() => setSelected(new Set())}
      >
        {newRuns.length > 0 && (
          <Button size="xs" variant="light" onClick={reload}>
            {runsText.newRuns(newRuns.length)}
          </Button>
        )}
      </Selection>
      <Panel
        query={pages}
        guide="console#runs"
        isEmpty={() => listed.length === 0 && !pages.hasNextPage}
        empty={<NoRuns isFiltered={countFilters(search) > 0} />}
      >
        {() => <RunsTable workspace={workspace} runs={shown} selected={selected} onSelect={select} />}
      </Panel>
      {pages.hasNextPage && (
        <Group mt="sm">
          <Button size="xs" variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            {runsText.more}
          </Button>
        </Group>
      )}
    </Page>
  );
}

/** The time that the list shows, in words. */
function describeWindow(search: Search): string {
  const range = rangeOf(search);
  if (range) return runsText.ofRange(runsText.ranges[range]);
  const { from, to } = windowOf(search, Date.now());
  if (from === undefined && to === undefined) return runsText.ofAllTime;
  return runsText.ofWindow(from && exactText(from), to && exactText(to));
}

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Empty title={isFiltered ? runsText.noMatch : runsText.empty} guide={isFiltered ? "console#runs" : "jobs#run"}>
      <Text>{isFiltered ? runsText.noMatchWhy : runsText.emptyWhy}</Text>
    </Empty>
  );
}
