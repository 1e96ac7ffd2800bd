import { Button, Group, Switch, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Search } from "../../data/address.ts";
import { call } from "../../data/api.ts";
import { useWorkspace } from "../../data/me.ts";
import { Page } from "../../frame/page.tsx";
import { Empty, Failed, Panel } from "../../frame/panel.tsx";
import { runsText } from "../../messages/runs.ts";
import { Filters } from "./filters.tsx";
import { filterNames, hasFilters, toListQuery } from "./query.ts";
import { RunsTable } from "./table.tsx";
import { useNewRuns, useRunPages } from "./use-runs.ts";

const EMPTY: readonly [] = [];

/** Lists the runs of a workspace that match the filters of the address. */
export default function RunsPage() {
  const workspace = useWorkspace();
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const query = useMemo(() => toListQuery(search), [search]);
  const isLive = search["live"] !== "false";
  const pages = useRunPages(workspace, query);
  const listed = useMemo(() => pages.data?.pages.flatMap(({ runs }) => runs) ?? EMPTY, [pages.data]);
  const { newRuns, present } = useNewRuns(workspace, query, listed, isLive);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const cancel = useMutation({
    mutationFn: () => call.jobs.cancelSelection({ workspace, body: [...selected] }),
    onSuccess: (canceled) => {
      notifications.show({ message: runsText.canceledRuns(canceled.length) });
      setSelected(new Set());
    },
  });
  const change = (changes: Search) => void navigate({ to: ".", search: { ...search, ...changes }, replace: true });
  const select = (id: string, isSelected: boolean) => {
    const next = new Set(selected);
    if (isSelected) next.add(id);
    else next.delete(id);
    setSelected(next);
  };
  const clear = () => change(Object.fromEntries(filterNames.map((name) => [name, undefined])));
  return (
    <Page
      title={runsText.title}
      actions={
        <Switch label={runsText.live} checked={isLive} onChange={({ target }) => change({ live: target.checked ? undefined : "false" })} />
      }
    >
      <Filters search={search} onChange={change} onClear={clear} />
      <Group gap="xs" my="xs" mih={30} aria-live="polite">
        <Button size="xs" variant="default" onClick={() => setSelected(new Set(listed.map(({ id }) => id)))}>
          {runsText.selectPage}
        </Button>
        {selected.size > 0 && (
          <>
            <Text size="sm">{runsText.selected(selected.size)}</Text>
            <Button size="xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
              {runsText.cancelSelected}
            </Button>
          </>
        )}
        {newRuns.length > 0 && (
          <Button size="xs" variant="light" onClick={() => void pages.refetch()}>
            {runsText.newRuns(newRuns.length)}
          </Button>
        )}
      </Group>
      {cancel.error && <Failed error={cancel.error} />}
      <Panel query={pages} isEmpty={() => listed.length === 0 && !pages.hasNextPage} empty={<NoRuns isFiltered={hasFilters(search)} />}>
        {() => (
          <RunsTable workspace={workspace} runs={listed.map((run) => present.get(run.id) ?? run)} selected={selected} onSelect={select} />
        )}
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

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Empty title={isFiltered ? runsText.noMatch : runsText.empty}>
      <Text>{isFiltered ? runsText.noMatchWhy : runsText.emptyWhy}</Text>
    </Empty>
  );
}
