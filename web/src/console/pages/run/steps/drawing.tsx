import { Text, UnstyledButton } from "@mantine/core";
import type { KeyboardEvent } from "react";
import type { FlowModule } from "../../../../../../contract/flows/flow-value.ts";
import { runText } from "../../../messages/run.ts";
import { StateBadge } from "../../../parts/state-badge.tsx";
import type { RunJob } from "../use-run.ts";
import { describeBriefly } from "./describe.ts";
import { type Step, selectedInside, stateOfStep, useOutline } from "./outline.ts";

export interface DrawingContext {
  workspace: string;
  /** The run whose states are drawn. Absent: the flow alone, whose steps have their ids as paths. */
  run?: RunJob;
  selected: string | undefined;
  onSelect: (path: string, job: string | undefined) => void;
  /** Shows what is inside a step in the list, which has the states of all iterations and branches. */
  onShowInside?: (path: string) => void;
}

const text = runText.steps;
const NO_STATES: ReadonlyMap<string, Step> = new Map();

interface DrawingProps extends DrawingContext {
  modules: readonly FlowModule[];
  /** The summaries of the steps of a run, by their paths. */
  states?: ReadonlyMap<string, Step>;
}

/**
 * Draws the steps of a flow. They follow one another or are parallel, so boxes inside boxes need no layout: lists are columns, and branches are
 * next to each other.
 */
export function Drawing({ states = NO_STATES, ...props }: DrawingProps) {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const nodes = [...event.currentTarget.querySelectorAll<HTMLElement>("button")];
    nodes[nodes.indexOf(document.activeElement as HTMLElement) + step]?.focus();
    event.preventDefault();
  };
  return (
    <section className="graph" aria-label={text.graph} onKeyDown={onKeyDown}>
      <List under="" states={states} {...props} />
    </section>
  );
}

interface ListProps extends DrawingContext {
  modules: readonly FlowModule[];
  /** The path of the iteration or branch that contains the steps. "": the flow itself. */
  under: string;
  /** The summaries of the steps, by their paths. */
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

interface InnerList {
  /** The name of a branch in the outline. The steps of a loop are the same for each iteration. */
  name?: string;
  title: string;
  modules: readonly FlowModule[];
}

/** The lists of steps inside a module. */
function listsOf({ value }: FlowModule): InnerList[] {
  switch (value.type) {
    case "forloopflow":
    case "whileloopflow":
      return [{ title: "", modules: value.modules }];
    case "branchone":
      return [
        ...value.branches.map(({ summary, expr, modules }, index) => ({ name: String(index), title: summary || expr, modules })),
        { name: "default", title: text.defaultBranch, modules: value.default ?? [] },
      ];
    case "branchall":
      return value.branches.map(({ summary, modules }, index) => ({
        ...{ name: String(index), title: summary || text.branch(index + 1), modules },
      }));
    default:
      return [];
  }
}

/** The steps of the selected iteration or branch, with their states. */
function SelectedList(props: Omit<ListProps, "states"> & { run: RunJob }) {
  const { workspace, run, under } = props;
  const outline = useOutline({ workspace, id: run.id, under });
  return <List {...props} states={new Map(outline.data?.pages.flat().map((step) => [step.path, step]))} />;
}

function Node({ module, states, under, ...rest }: Omit<ListProps, "modules"> & { module: FlowModule }) {
  const { run, selected, onSelect, onShowInside } = rest;
  const path = under === "" ? module.id : `${under}/${module.id}`;
  const step = states.get(path);
  const state = step && stateOfStep(step);
  const lists = listsOf(module);
  const inside = run && selectedInside(path, selected);
  const facts = step ? describeBriefly(step) : [];
  return (
    <div className="graph-node" data-state={state} data-container={lists.length > 0}>
      <UnstyledButton
        className="graph-step"
        disabled={run !== undefined && !step}
        aria-current={selected === path ? "true" : undefined}
        onClick={() => onSelect(path, step?.job)}
      >
        <Text span fw={600}>
          {module.id}
        </Text>
        <Text span size="sm">
          {module.summary || runText.kinds[module.value.type]}
        </Text>
        {state && <StateBadge state={state} />}
        {facts.length > 0 && (
          <Text span size="xs" c="dimmed">
            {facts.join(" · ")}
          </Text>
        )}
      </UnstyledButton>
      {step?.children !== undefined && step.children > 0 && (
        <button type="button" className="tree-more" onClick={() => onShowInside?.(path)}>
          {text.showInside(path)}
        </button>
      )}
      {lists.length > 0 && (
        <div className="graph-lists">
          {lists.map(({ name, title, modules }) => {
            const isSelected = inside !== undefined && (name === undefined || name === inside);
            const shown = name === undefined && inside !== undefined ? text.iteration(Number(inside) + 1) : title;
            return (
              <div key={name ?? ""} className="graph-branch" data-selected={isSelected}>
                {shown && (
                  <Text size="xs" c="dimmed">
                    {name !== undefined && step?.children ? (
                      <button type="button" className="tree-more" onClick={() => onSelect(`${path}/${name}`, undefined)}>
                        {shown}
                      </button>
                    ) : (
                      shown
                    )}
                  </Text>
                )}
                {run && isSelected ? (
                  <SelectedList {...rest} run={run} modules={modules} under={`${path}/${inside}`} />
                ) : (
                  <List {...rest} modules={modules} under={run ? `${path}/${name ?? ""}` : ""} states={NO_STATES} />
                )}
              </div>
            );
          })}
        </div>
      )}
    </div>
  );
}
