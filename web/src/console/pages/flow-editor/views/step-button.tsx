import { UnstyledButton } from "@mantine/core";
import { useEffect, useRef } from "react";
import { StateBadge } from "../../../parts/state-badge.tsx";
import { describeStep as describeRun } from "../../run/steps/describe.ts";
import { stateOfStep } from "../../run/steps/outline.ts";
import type { Module } from "../document/flow-document.ts";
import type { TestedStep } from "../test/tested-steps.ts";
import { describeStep } from "./describe-step.ts";

interface StepButtonProps {
  module: Module;
  isCurrent: boolean;
  isFirst: boolean;
  isOpen: boolean;
  tested: TestedStep | undefined;
  onFocus: () => void;
  onOpen: () => void;
}

/** Whether the focus is on a step, or on nothing because its step was removed. A field that a person types in keeps it. */
const focusFollows = () => {
  const { activeElement } = document;
  return activeElement === document.body || (activeElement instanceof HTMLElement && activeElement.dataset["stepId"] !== undefined);
};

/** A step in the graph or in the list. One of them takes part in the order of the Tab key; arrow keys lead to the others. */
export function StepButton({ module, isCurrent, isFirst, isOpen, tested, onFocus, onOpen }: StepButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isCurrent && focusFollows()) button.current?.focus({ preventScroll: false });
  }, [isCurrent]);
  const step = tested?.step;
  const state = step && stateOfStep(step);
  const outcome = step?.error ? `${step.error.name}: ${step.error.message}` : tested?.preview;
  return (
    <UnstyledButton
      ref={button}
      className="flow-step"
      data-step-id={module.id}
      data-kind={module.value.type}
      data-state={state}
      tabIndex={isCurrent || isFirst ? 0 : -1}
      aria-current={isOpen ? "true" : undefined}
      onFocus={onFocus}
      onClick={onOpen}
    >
      <span className="flow-step-title">
        <strong>{module.id}</strong>
        <span>{module.summary ?? ""}</span>
      </span>
      {step && state && (
        <span className="flow-step-state">
          <StateBadge state={state} />
          <span>{describeRun(step, Date.now()).join(" · ")}</span>
        </span>
      )}
      {outcome && state ? (
        <span className="flow-step-outcome">{outcome}</span>
      ) : (
        <span className="flow-step-kind">{describeStep(module)}</span>
      )}
    </UnstyledButton>
  );
}
