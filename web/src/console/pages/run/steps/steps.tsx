import { Button, Checkbox, Group, SegmentedControl, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { Loading } from "../../../frame/panel.tsx";
import { runText } from "../../../messages/run.ts";
import type { RunJob } from "../use-run.ts";
import { StepDetail } from "./detail.tsx";
import { StepList } from "./list.tsx";

const Graph = lazy(() => import("./graph.tsx"));

/** The steps of a flow, as a list or a graph, next to the step that is selected in the address. */
export function Steps({ workspace, run }: { workspace: string; run: RunJob }) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const text = runText.steps;
  const change = (changes: Record<string, string | undefined>) =>
    void navigate({ to: ".", search: { ...search, ...changes }, replace: true });
  const selected = search["step"];
  const onlyFailed = search["failed"] === "true";
  const view = search["view"] === "graph" ? "graph" : "list";
  if (!run.flow_status) return <Text c="dimmed">{runText.noSteps}</Text>;
  const select = (path: string | undefined, job: string | undefined) => change({ step: path, job });
  return (
    <div className="steps">
      <div>
        <Group gap="sm" mb="xs">
          <SegmentedControl
            size="xs"
            aria-label={text.views}
            value={view}
            onChange={(next) => change({ view: next === "graph" ? "graph" : undefined })}
            data={[
              { value: "list", label: text.list },
              { value: "graph", label: text.graph },
            ]}
          />
          {view === "list" && (
            <Checkbox
              size="xs"
              label={text.onlyFailed}
              checked={onlyFailed}
              onChange={({ target }) => change({ failed: target.checked ? "true" : undefined })}
            />
          )}
        </Group>
        {view === "list" ? (
          <StepList workspace={workspace} id={run.id} onlyFailed={onlyFailed} selected={selected} onSelect={select} />
        ) : (
          <Suspense fallback={<Loading />}>
            <Graph workspace={workspace} run={run} selected={selected} onSelect={select} />
          </Suspense>
        )}
      </div>
      {selected !== undefined && (
        <section className="step-detail" aria-label={text.selected(selected)}>
          <Group justify="space-between" mb="xs">
            <Text fw={600}>{text.selected(selected)}</Text>
            <Button size="xs" variant="default" onClick={() => select(undefined, undefined)}>
              {text.close}
            </Button>
          </Group>
          <StepDetail workspace={workspace} job={search["job"]} />
        </section>
      )}
    </div>
  );
}
