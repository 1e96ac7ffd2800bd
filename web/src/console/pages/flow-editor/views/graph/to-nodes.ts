import type { FlowValue } from "../../document/flow-document.ts";
import { addLabel } from "../add-label.ts";
import type { AddPoint, Layout } from "./layout.ts";
import type { FlowNode } from "./nodes.tsx";

const ADD_SIZE = 24;
export const keyOf = ({ list, index }: AddPoint) => `add ${list.owner ?? ""} ${list.list} ${index}`;

interface Size {
  width: number;
  height: number;
}
/** The sizes are known, and there are no handles: otherwise each node would be drawn once to be measured. */
const fixed = ({ width, height }: Size) => ({ width, height, measured: { width, height }, handles: [] });
const still = { draggable: false, selectable: false } as const;

/** Returns what the graph draws. A node that looks like one of `before` is the same object, so that an edit of one step draws one step. */
export function toNodes(layout: Layout, value: FlowValue, readOnly: boolean, before: readonly FlowNode[] = []): FlowNode[] {
  const former = new Map(before.map((node) => [node.id, node]));
  return listNodes(layout, value, readOnly).map((node) => {
    const old = former.get(node.id);
    return old && isSame(old, node) ? old : node;
  });
}

function listNodes({ steps, addPoints, lanes }: Layout, value: FlowValue, readOnly: boolean): FlowNode[] {
  return [
    ...steps.flatMap(({ module, frame }): FlowNode[] =>
      frame
        ? [
            {
              id: `frame ${module.id}`,
              type: "frame",
              data: {},
              position: { x: frame.x, y: frame.y },
              zIndex: -1,
              className: "flow-behind",
              ...fixed(frame),
              ...still,
            },
          ]
        : [],
    ),
    ...lanes.map(
      (lane): FlowNode => ({
        id: `lane ${lane.owner.id} ${lane.list}`,
        type: "lane",
        data: { lane },
        position: { x: lane.x, y: lane.y },
        className: "flow-behind",
        ...fixed(lane),
        ...still,
      }),
    ),
    ...steps.map(
      (box, index): FlowNode => ({
        id: box.module.id,
        type: "step",
        data: { box, isFirst: index === 0 },
        position: { x: box.x, y: box.y },
        draggable: !readOnly && box.module.id !== "failure" && box.module.id !== "preprocessor",
        ...fixed(box),
      }),
    ),
    ...addPoints.map(
      (point): FlowNode => ({
        id: keyOf(point),
        type: "add",
        data: { point, label: addLabel(value, point), isTarget: false },
        position: { x: point.x - ADD_SIZE / 2, y: point.y - ADD_SIZE / 2 },
        ...fixed({ width: ADD_SIZE, height: ADD_SIZE }),
        ...still,
      }),
    ),
  ];
}

function isSame(a: FlowNode, b: FlowNode): boolean {
  const isPlaced = a.position.x === b.position.x && a.position.y === b.position.y && a.width === b.width && a.height === b.height;
  if (!isPlaced || a.draggable !== b.draggable) return false;
  if (a.type === "step" && b.type === "step") {
    const [{ box: old }, { box }] = [a.data, b.data];
    const isSameBox = old.module === box.module && old.isFolded === box.isFolded && old.isContainer === box.isContainer;
    return isSameBox && a.data.isFirst === b.data.isFirst;
  }
  if (a.type === "add" && b.type === "add") return a.data.label === b.data.label && a.data.point.isLast === b.data.point.isLast;
  if (a.type === "lane" && b.type === "lane") return a.data.lane.owner === b.data.lane.owner;
  return a.type === b.type;
}

export function withDrag(node: FlowNode, id: string, position: { x: number; y: number }, target: string | undefined): FlowNode {
  if (node.id === id) return { ...node, position: { x: position.x, y: position.y }, zIndex: 10 };
  return node.type === "add" && node.id === target ? { ...node, data: { ...node.data, isTarget: true } } : node;
}
