import { Button, Group, NumberInput, Text, UnstyledButton } from "@mantine/core";
import { type KeyboardEvent, useState } from "react";
import { Failed, Loading } from "../../../frame/panel.tsx";
import { runText } from "../../../messages/run.ts";
import { StateBadge } from "../../../parts/state-badge.tsx";
import { describeStep } from "./describe.ts";
import { nameOfStep, pageOf, pageOfSelected, type Step, stateOfStep, useOutline } from "./outline.ts";

interface ListProps {
  workspace: string;
  id: string;
  under?: string;
  onlyFailed: boolean;
  /** The path of the selected step. */
  selected: string | undefined;
  onSelect: (path: string, job: string | undefined) => void;
}

const text = runText.steps;

/** Arrow keys move between the visible steps, as in a tree. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>(".step-button")];
  const next = buttons[buttons.indexOf(document.activeElement as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** The steps of a flow as a nested list. The inside of a loop or a branch is read when it is opened. */
export function StepList(props: ListProps) {
  return (
    <nav aria-label={text.label} onKeyDown={moveFocus}>
      <Level {...props} />
    </nav>
  );
}

function Level({ firstPage = 1, ...props }: ListProps & { firstPage?: number }) {
  const { workspace, id, under, onlyFailed } = props;
  const outline = useOutline({ workspace, id, under, onlyFailed, firstPage });
  const steps = outline.data?.pages.flat();
  if (!steps) return outline.error ? <Failed error={outline.error} onRetry={() => void outline.refetch()} /> : <Loading />;
  if (steps.length === 0) return <Text c="dimmed">{onlyFailed ? text.noneFailed : text.none}</Text>;
  return (
    <>
      <ul className="step-list">
        {steps.map((step) => (
          <Row key={step.path} step={step} {...props} />
        ))}
      </ul>
      {outline.hasNextPage && (
        <Button size="xs" variant="default" loading={outline.isFetchingNextPage} onClick={() => void outline.fetchNextPage()}>
          {text.more}
        </Button>
      )}
    </>
  );
}

function Row({ step, ...props }: ListProps & { step: Step }) {
  const { selected, onSelect, onlyFailed } = props;
  const { path, children = 0, error } = step;
  const isSelected = selected === path;
  const [isOpen, setIsOpen] = useState(selected !== undefined && `${selected}/`.startsWith(`${path}/`));
  const [firstPage, setFirstPage] = useState(pageOfSelected(path, selected));
  const state = stateOfStep(step);
  const name = nameOfStep(step, text);
  const onKeyDown = (event: KeyboardEvent) => {
    if (children === 0) return;
    if (event.key === "ArrowRight") setIsOpen(true);
    if (event.key === "ArrowLeft") setIsOpen(false);
  };
  return (
    <li>
      <div className="step-row" data-selected={isSelected}>
        {children > 0 ? (
          <UnstyledButton className="step-toggle" aria-expanded={isOpen} aria-label={text.inside(name)} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? "▾" : "▸"}
          </UnstyledButton>
        ) : (
          <span className="step-toggle" />
        )}
        <UnstyledButton
          className="step-button"
          aria-current={isSelected ? "true" : undefined}
          onClick={() => onSelect(path, step.job)}
          onKeyDown={onKeyDown}
        >
          <span className="step-name">{name}</span>
          {step.summary && <span className="step-summary">{step.summary}</span>}
          {state ? (
            <StateBadge state={state} />
          ) : (
            <Text span c="dimmed" size="sm">
              {text.waiting}
            </Text>
          )}
          <Text span c="dimmed" size="sm">
            {describeStep(step, Date.now()).join(" · ")}
          </Text>
          {error && (
            <Text span size="sm" className="step-error">
              {error.name}: {error.message}
            </Text>
          )}
        </UnstyledButton>
      </div>
      {isOpen && (
        <div className="step-inside">
          {step.of !== undefined && step.kind !== "iteration" && !onlyFailed && <JumpTo step={step} {...props} onPage={setFirstPage} />}
          <Level key={firstPage} {...props} under={path} firstPage={onlyFailed ? 1 : firstPage} />
        </div>
      )}
    </li>
  );
}

/** Opens an iteration of a loop by its number, or the first one that failed. */
function JumpTo({ step, workspace, id, onSelect, onPage }: ListProps & { step: Step; onPage: (page: number) => void }) {
  const [number, setNumber] = useState<string | number>("");
  const failed = useOutline({ workspace, id, under: step.path, onlyFailed: true });
  const first = step.failed_children ? failed.data?.pages[0]?.[0] : undefined;
  return (
    <Group gap="xs" mb="xs" align="flex-end">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onPage(pageOf(Math.max(0, Number(number) - 1)));
        }}
      >
        <NumberInput size="xs" label={text.jump} min={1} max={step.of ?? 1} hideControls value={number} onChange={setNumber} />
      </form>
      {first && (
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            onPage(pageOf(first.iteration ?? 0));
            onSelect(first.path, first.job);
          }}
        >
          {text.firstFailure}
        </Button>
      )}
    </Group>
  );
}
