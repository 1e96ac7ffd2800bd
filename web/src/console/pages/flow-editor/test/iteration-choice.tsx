import { ActionIcon, Button, Group, NumberInput, Text } from "@mantine/core";
import { useState } from "react";
import { flowEditorText as text } from "../../../messages/editor/flow.ts";
import type { TestedStep } from "./tested-steps.ts";

/** Chooses an iteration, from 0. Undefined: the first one that failed, or the last one. */
export type ChooseIteration = (loop: string, iteration: number | undefined) => void;

interface IterationChoiceProps {
  tested: TestedStep | undefined;
  onChoose: ChooseIteration;
}

/** Chooses the iteration of a loop whose steps show their states. It is absent until the loop has run. */
export function IterationChoice({ tested, onChoose }: IterationChoiceProps) {
  if (tested?.iteration === undefined) return null;
  const { iteration, step } = tested;
  return <Choice key={iteration} {...step} iteration={iteration} onChoose={(next) => onChoose(step.module, next)} />;
}

interface ChoiceProps {
  module: string;
  children?: number | undefined;
  failed_children?: number | undefined;
  iteration: number;
  onChoose: (iteration: number | undefined) => void;
}

function Choice({ module, children: count = 0, failed_children: failed = 0, iteration, onChoose }: ChoiceProps) {
  const [typed, setTyped] = useState<string | number>(iteration + 1);
  const isInside = (index: number) => index >= 0 && index < count;
  const turnTo = (index: number, label: string, sign: string) => (
    <ActionIcon size="sm" variant="default" aria-label={label} disabled={!isInside(index)} onClick={() => onChoose(index)}>
      <span aria-hidden>{sign}</span>
    </ActionIcon>
  );
  return (
    <Group className="flow-iteration nodrag nopan" gap={4} wrap="nowrap" justify="center">
      {failed === 0 && (
        <Text span size="xs">
          {text.iteration}
        </Text>
      )}
      {turnTo(iteration - 1, text.previousIteration(module), "‹")}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const index = Number(typed) - 1;
          if (isInside(index) && index !== iteration) onChoose(index);
        }}
      >
        <NumberInput
          size="xs"
          hideControls
          aria-label={text.iterationOf(module)}
          min={1}
          max={count}
          value={typed}
          onChange={setTyped}
          onBlur={({ target }) => target.form?.requestSubmit()}
        />
      </form>
      <Text span size="xs">
        {text.ofIterations(count)}
      </Text>
      {turnTo(iteration + 1, text.nextIteration(module), "›")}
      {failed > 0 && (
        <Button size="compact-xs" variant="default" aria-label={text.firstFailureIn(module)} onClick={() => onChoose(undefined)}>
          {text.firstFailure}
        </Button>
      )}
    </Group>
  );
}
