import { Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { KeyboardEvent } from "react";
import type { FlowModule } from "../../../../../../contract/flows/flow-value.ts";
import { call } from "../../../data/api.ts";
import { Panel } from "../../../frame/panel.tsx";
import { runText } from "../../../messages/run.ts";
import { StateBadge } from "../../../parts/state-badge.tsx";
import { type RunJob, runKey } from "../use-run.ts";
import { type Step, stateOfStep, useOutline } from "./outline.ts";

interface GraphProps {
  workspace: string;
  run: RunJob;
  selected: string | undefined;
  onSelect: (path: string, job: string | undefined) => void;
  /** Shows what is inside a step in the list, which has the states of all iterations and branches. */
  onShowInside: (path: string) => void;
}

const text = runText.steps;

/**
 * Draws a flow. Its steps follow one another or are parallel, so boxes inside boxes need no layout: lists are columns, and branches are next
 * to each other. The list view has the same content as text.
 */
export default function Graph({ workspace, run, ...actions }: GraphProps) {
  const flow = useQuery({
    queryKey: [...runKey(workspace, run.id), "flow"],
    queryFn: async ({ signal }) =>
      (await call.jobs.get({ workspace, id: run.id, query: { no_logs: true }, signal })).raw_flow ?? { modules: [] },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const outline = useOutline({ workspace, id: run.id });
  const states = new Map(outline.data?.pages.flat().map((step) => [step.path, step]));
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const nodes = [...event.currentTarget.querySelectorAll<HTMLElement>("button")];
    nodes[nodes.indexOf(document.activeElement as HTMLElement) + step]?.focus();
    event.preventDefault();
  };
  return (
    <Panel query={flow}>
      {({ modules }) => (
        <section className="graph" aria-label={text.graph} onKeyDown={onKeyDown}>
          <List modules={modules} states={states} {...actions} />
        </section>
      )}
    </Panel>
  );
}

interface ListProps extends Omit<GraphProps, "workspace" | "run"> {
  modules: readonly FlowModule[];
  /** The summaries of the steps of the flow itself, by their paths. */
  states: ReadonlyMap<string, Step>;
}

function List({ modules, ...rest }: ListProps) {
  return (
    <ol className="graph-list">
      {modules.map((module) => (
        <li key={module.id}>
          <Node module={module} {...rest} />
        </li>
      ))}
    </ol>
  );
}

/** The lists of steps inside a module, with their names. */
function listsOf({ value }: FlowModule): { name: string; modules: readonly FlowModule[] }[] {
  switch (value.type) {
    case "forloopflow":
    case "whileloopflow":
      return [{ name: "", modules: value.modules }];
    case "branchone":
      return [
        ...value.branches.map(({ summary, expr, modules }) => ({ name: summary || expr, modules })),
        { name: text.defaultBranch, modules: value.default ?? [] },
      ];
    case "branchall":
      return value.branches.map(({ summary, modules }, index) => ({ name: summary || text.branch(index + 1), modules }));
    default:
      return [];
  }
}

function Node({ module, states, ...actions }: Omit<ListProps, "modules"> & { module: FlowModule }) {
  const { selected, onSelect, onShowInside } = actions;
  const step = states.get(module.id);
  const state = step && stateOfStep(step);
  const lists = listsOf(module);
  return (
    <div className="graph-node" data-state={state} data-container={lists.length > 0}>
      <UnstyledButton
        className="graph-step"
        disabled={!step}
        aria-current={selected === module.id ? "true" : undefined}
        onClick={() => onSelect(module.id, step?.job)}
      >
        <Text span fw={600}>
          {module.id}
        </Text>
        <Text span size="sm">
          {module.summary || runText.kinds[module.value.type]}
        </Text>
        {state && <StateBadge state={state} />}
      </UnstyledButton>
      {step?.children !== undefined && step.children > 0 && (
        <button type="button" className="tree-more" onClick={() => onShowInside(module.id)}>
          {text.showInside(module.id)}
        </button>
      )}
      {lists.length > 0 && (
        <div className="graph-lists">
          {lists.map(({ name, modules }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the branches of a version never move
            <div key={index} className="graph-branch">
              {name && (
                <Text size="xs" c="dimmed">
                  {name}
                </Text>
              )}
              <List modules={modules} states={new Map()} {...actions} selected={undefined} />
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
