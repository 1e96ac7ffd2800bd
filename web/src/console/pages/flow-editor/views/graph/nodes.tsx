import { ActionIcon, Text } from "@mantine/core";
import type { Node, NodeProps } from "@xyflow/react";
import { createContext, useContext } from "react";
import { flowEditorText as text } from "../../../../messages/editor/flow.ts";
import { listIds } from "../../document/lists.ts";
import { IterationChoice } from "../../test/iteration-choice.tsx";
import { describeList } from "../describe-step.ts";
import { StepButton } from "../step-button.tsx";
import type { ViewProps } from "../view-props.ts";
import type { AddPoint, Lane, StepBox } from "./layout.ts";

export type StepNode = Node<{ box: StepBox; isFirst: boolean }, "step">;
export type AddNode = Node<{ point: AddPoint; label: string; isTarget: boolean }, "add">;
export type LaneNode = Node<{ lane: Lane }, "lane">;
export type FrameNode = Node<Record<string, never>, "frame">;
export type FlowNode = StepNode | AddNode | LaneNode | FrameNode;

/** The nodes read the editor from a context, so that a change of the focus draws only what is visible. */
export const GraphContext = createContext<ViewProps | undefined>(undefined);

function StepOfGraph({ data: { box, isFirst } }: NodeProps<StepNode>) {
  const view = useContext(GraphContext);
  if (!view) return null;
  const { editor, tested, onFold } = view;
  const { module, isContainer, isFolded } = box;
  const { id } = module;
  return (
    <div className="flow-node">
      <StepButton
        module={module}
        isCurrent={editor.current === id}
        isFirst={isFirst && editor.current === undefined}
        isOpen={editor.opened === id}
        tested={tested.get(id)}
        onFocus={() => editor.current !== id && editor.focus(id)}
        onOpen={() => editor.open(id)}
      />
      {isContainer && (
        <ActionIcon
          className="nodrag flow-fold"
          size="sm"
          variant="default"
          tabIndex={-1}
          aria-expanded={!isFolded}
          aria-label={isFolded ? text.unfold(id) : text.fold(id)}
          onClick={() => onFold(id, !isFolded)}
        >
          <span aria-hidden>{isFolded ? "+" : "−"}</span>
        </ActionIcon>
      )}
      {isFolded && <span className="flow-inside">{text.inside(listIds([module]).length - 1)}</span>}
    </div>
  );
}

function AddOfGraph({ data: { point, label, isTarget } }: NodeProps<AddNode>) {
  const view = useContext(GraphContext);
  if (!view || view.readOnly) return null;
  return (
    <ActionIcon
      className="nodrag nopan flow-add"
      size={24}
      radius="xl"
      variant={isTarget ? "filled" : "default"}
      aria-label={label}
      onClick={() => view.onAdd(point)}
    >
      <span aria-hidden>+</span>
    </ActionIcon>
  );
}

function LaneOfGraph({ data: { lane } }: NodeProps<LaneNode>) {
  const view = useContext(GraphContext);
  const title = describeList(lane.owner, lane.list);
  // Only the body of a loop has no title.
  if (title === "" && view) return <IterationChoice tested={view.tested.get(lane.owner.id)} onChoose={view.onChooseIteration} />;
  return (
    <Text size="xs" className="flow-lane" truncate>
      {title}
    </Text>
  );
}

const FrameOfGraph = () => <div className="flow-frame" />;

export const nodeTypes = { step: StepOfGraph, add: AddOfGraph, lane: LaneOfGraph, frame: FrameOfGraph };
