import { Button, Checkbox, Group, SegmentedControl, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { isOffered } from "../../../access/actions.ts";
import { useMember } from "../../../data/me.ts";
import { loadOnDemand } from "../../../frame/load-on-demand.tsx";
import { runText } from "../../../messages/run.ts";
import { RestartDialog } from "../restart-dialog.tsx";
import type { RunJob } from "../use-run.ts";
import { StepDetail } from "./detail.tsx";
import { StepList } from "./list.tsx";

const Graph = loadOnDemand(() => import("./graph.tsx"));

/** The steps of a flow, as a list or a graph, next to the step that is selected in the address. */
export function Steps({ workspace, run }: { workspace: string; run: RunJob }) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const member = useMember();
  const [restartsAt, setRestartsAt] = useState<string>();
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
          <Graph
            workspace={workspace}
            run={run}
            selected={selected}
            onSelect={select}
            onShowInside={(path) => change({ view: undefined, step: path, job: undefined })}
          />
        )}
      </div>
      {selected !== undefined && (
        <section className="step-detail" aria-label={text.selected(selected)}>
          <Group justify="space-between" mb="xs">
            <Text fw={600}>{text.selected(selected)}</Text>
            <Group gap="xs">
              {isOffered("jobs.restart.flows", member) && run.type === "CompletedJob" && run.job_kind === "flow" && (
                <Button size="xs" variant="default" onClick={() => setRestartsAt(selected)}>
                  {runText.restart.openAt}
                </Button>
              )}
              <Button size="xs" variant="default" onClick={() => select(undefined, undefined)}>
                {text.close}
              </Button>
            </Group>
          </Group>
          <StepDetail workspace={workspace} job={search["job"]} />
        </section>
      )}
      {restartsAt !== undefined && (
        <RestartDialog workspace={workspace} run={run} from={restartsAt} isOpen onClose={() => setRestartsAt(undefined)} />
      )}
    </div>
  );
}
