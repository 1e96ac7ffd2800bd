import "@xyflow/react/dist/base.css";
import { Controls, MiniMap, type NodeChange, ReactFlow, type ReactFlowInstance, ViewportPortal } from "@xyflow/react";
import { useEffect, useMemo, useRef, useState } from "react";
import { flowEditorText as text } from "../../../../messages/editor/flow.ts";
import { canMove } from "../../document/edit.ts";
import { stepKeys } from "../step-keys.ts";
import type { ViewProps } from "../view-props.ts";
import { type AddPoint, type Layout, layOut, nearestPoint, STEP } from "./layout.ts";
import { type FlowNode, GraphContext, nodeTypes } from "./nodes.tsx";
import { keyOf, toNodes, withDrag } from "./to-nodes.ts";

const MAP = { width: 140, height: 110 } as const;
const MASK = "color-mix(in srgb, var(--mantine-color-dimmed) 15%, transparent)";
const mapColor = ({ type }: FlowNode) =>
  type === "step" ? "var(--mantine-color-blue-5)" : type === "frame" ? "var(--mantine-color-default-border)" : "transparent";
const labels = {
  "controls.ariaLabel": text.graph,
  "controls.zoomIn.ariaLabel": text.zoomIn,
  "controls.zoomOut.ariaLabel": text.zoomOut,
  "controls.fitView.ariaLabel": text.fit,
  "minimap.ariaLabel": text.minimap,
} as const;

/** Draws a flow. A dragged step is dropped at the nearest point between two others. */
export default function FlowGraph(props: ViewProps) {
  const { editor, readOnly, folded } = props;
  const { value, current } = editor;
  const layout = useMemo(() => layOut(value, folded), [value, folded]);
  const [drag, setDrag] = useState<{ id: string; x: number; y: number; target?: AddPoint | undefined }>();
  const flow = useRef<ReactFlowInstance<FlowNode>>(null);
  const area = useRef<HTMLElement>(null);
  const before = useRef<FlowNode[]>([]);
  const drawn = useMemo(() => {
    before.current = toNodes(layout, value, readOnly, before.current);
    return before.current;
  }, [layout, value, readOnly]);
  const targetKey = drag?.target && keyOf(drag.target);
  const nodes = useMemo(() => (drag ? drawn.map((node) => withDrag(node, drag.id, drag, targetKey)) : drawn), [drawn, drag, targetKey]);
  // A step outside of the visible part is not drawn, and cannot have the focus.
  useEffect(() => {
    const box = layout.steps.find(({ module }) => module.id === current);
    const bounds = area.current?.getBoundingClientRect();
    if (!flow.current || !box || !bounds) return;
    const { x, y, zoom } = flow.current.getViewport();
    const left = box.x * zoom + x;
    const top = box.y * zoom + y;
    const isVisible = left >= 0 && top >= 0 && left + STEP.width * zoom <= bounds.width && top + STEP.height * zoom <= bounds.height;
    if (!isVisible) void flow.current.setCenter(box.x + STEP.width / 2, box.y + STEP.height / 2, { zoom: Math.max(zoom, 0.6) });
  }, [layout, current]);
  const onNodesChange = (changes: NodeChange<FlowNode>[]) => {
    for (const change of changes) {
      if (change.type !== "position" || !change.position || !change.dragging) continue;
      const { x, y } = change.position;
      const allowed = layout.addPoints.filter((point) => canMove(value, change.id, point));
      setDrag({ id: change.id, x, y, target: nearestPoint(allowed, x + STEP.width / 2, y + STEP.height / 2) });
    }
  };
  const drop = (id: string) => {
    if (drag?.id === id && drag.target) editor.move(id, drag.target);
    setDrag(undefined);
  };
  return (
    <GraphContext value={props}>
      <section className="flow-canvas" aria-label={text.graph} ref={area} {...stepKeys(props)}>
        <ReactFlow<FlowNode>
          nodes={nodes}
          nodeTypes={nodeTypes}
          onInit={(instance) => {
            flow.current = instance;
            if (area.current) void instance.setViewport(firstViewport(layout, area.current.clientWidth, area.current.clientHeight));
          }}
          onNodesChange={onNodesChange}
          onNodeDragStop={(_, node) => drop(node.id)}
          nodeDragThreshold={6}
          nodesFocusable={false}
          nodesConnectable={false}
          elementsSelectable={false}
          nodesDraggable={!readOnly}
          onlyRenderVisibleElements
          disableKeyboardA11y
          deleteKeyCode={null}
          panOnScroll
          minZoom={0.1}
          maxZoom={1.5}
          ariaLabelConfig={labels}
          proOptions={{ hideAttribution: true }}
        >
          <ViewportPortal>
            <svg className="flow-lines" width={layout.width} height={layout.height} aria-hidden>
              <path d={linesOf(layout)} />
            </svg>
          </ViewportPortal>
          {layout.steps.length > 8 && (
            <MiniMap<FlowNode> pannable zoomable style={MAP} bgColor="var(--mantine-color-body)" maskColor={MASK} nodeColor={mapColor} />
          )}
          <Controls showInteractive={false} />
        </ReactFlow>
      </section>
    </GraphContext>
  );
}

const MARGIN = 24;

/** The whole flow is visible at first. A larger one starts at its first step, so that its texts stay readable. */
function firstViewport({ width, height }: Layout, visibleWidth: number, visibleHeight: number) {
  const fits = Math.min((visibleWidth - 2 * MARGIN) / width, (visibleHeight - 2 * MARGIN) / Math.max(1, height));
  const zoom = Math.min(1, Math.max(0.8, fits));
  return { x: (visibleWidth - width * zoom) / 2, y: Math.max(MARGIN, (visibleHeight - height * zoom) / 2), zoom };
}

const linesOf = ({ lines }: Layout) => lines.map(({ fromX, fromY, toX, toY }) => `M${fromX} ${fromY}L${toX} ${toY}`).join("");
