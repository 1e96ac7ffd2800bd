import type { FlowValue, Module } from "../../document/flow-document.ts";
import { innerLists, type ListRef, MAIN, type Position } from "../../document/lists.ts";

/** A rectangle in the coordinates of the graph. */
interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A drawn step. A container without `isFolded` has its frame around the steps inside. */
export interface StepBox extends Area {
  readonly module: Module;
  readonly owner: string | undefined;
  readonly isContainer: boolean;
  readonly isFolded: boolean;
  /** The whole container. */
  readonly frame?: Area;
}

/** A point at which a step can be added or dropped: the centre of a button. */
export interface AddPoint extends Position {
  readonly x: number;
  readonly y: number;
  readonly isLast: boolean;
}

/** The name of a branch, above its steps. */
export interface Lane extends Area {
  readonly owner: Module;
  readonly list: ListRef["list"];
}

export interface Layout extends Area {
  readonly steps: readonly StepBox[];
  readonly addPoints: readonly AddPoint[];
  readonly lanes: readonly Lane[];
  /** Vertical and bent lines, each from a point to a point below it. */
  readonly lines: readonly { readonly fromX: number; readonly fromY: number; readonly toX: number; readonly toY: number }[];
}

export const STEP = { width: 248, height: 70 } as const;
const GAP = { x: 28, y: 52 } as const;
const PADDING = 18;
const LANE_HEIGHT = 26;

interface Size {
  readonly width: number;
  readonly height: number;
}
type Sizes = Map<Module | readonly Module[], Size>;

/**
 * Lays a flow out. Its steps follow each other or are side by side, so lists are columns, and branches are rows of columns; no general
 * layout is needed. `folded` names the containers whose content is hidden.
 */
export function layOut(value: FlowValue, folded: ReadonlySet<string>): Layout {
  const sizes: Sizes = new Map();

  const target: Target = { steps: [], addPoints: [], lanes: [], lines: [], sizes, folded };
  const main = measureList(value.modules, sizes, folded);
  let y = 0;
  const center = Math.max(main.width, STEP.width) / 2;
  const { preprocessor_module: preprocessor, failure_module: failure } = value;
  if (preprocessor) {
    placeStep(target, preprocessor, undefined, center, y);
    target.lines.push({ fromX: center, fromY: y + STEP.height, toX: center, toY: y + STEP.height + GAP.y });
    y += STEP.height + GAP.y;
  }
  placeList(target, value.modules, MAIN, center, y);
  y += main.height;
  if (failure) {
    placeStep(target, failure, undefined, center, y + GAP.y / 2);
    y += STEP.height + GAP.y / 2;
  }
  return { x: 0, y: 0, width: center * 2, height: y, ...target };
}

interface Target {
  steps: StepBox[];
  addPoints: AddPoint[];
  lanes: Lane[];
  lines: Layout["lines"][number][];
  sizes: Sizes;
  folded: ReadonlySet<string>;
}

const isFolded = (module: Module, folded: ReadonlySet<string>) => folded.has(module.id);

function measureList(modules: readonly Module[], sizes: Sizes, folded: ReadonlySet<string>): Size {
  const steps = modules.map((module) => measureStep(module, sizes, folded));
  const size = {
    width: Math.max(STEP.width, ...steps.map(({ width }) => width)),
    height: steps.reduce((sum, { height }) => sum + height, 0) + GAP.y * (modules.length + 1),
  };
  sizes.set(modules, size);
  return size;
}

function measureStep(module: Module, sizes: Sizes, folded: ReadonlySet<string>): Size {
  const lists = isFolded(module, folded) ? [] : innerLists(module);
  const inner = lists.map(({ modules }) => measureList(modules, sizes, folded));
  const size =
    inner.length === 0
      ? STEP
      : {
          width: inner.reduce((sum, { width }) => sum + width + GAP.x, -GAP.x) + 2 * PADDING,
          height: STEP.height + LANE_HEIGHT + Math.max(...inner.map(({ height }) => height)) + PADDING,
        };
  sizes.set(module, size);
  return size;
}

/** Draws a list as a column around `center`, from `top` on, with a gap before, between and after its steps. */
function placeList(target: Target, modules: readonly Module[], list: ListRef, center: number, top: number): void {
  let y = top;
  for (let index = 0; index <= modules.length; index += 1) {
    const module = modules[index];
    const isEnd = !module;
    const previous = modules[index - 1];
    target.addPoints.push({ list, index, x: center, y: y + GAP.y / 2, isLast: isEnd });
    if (previous || !isEnd || list.owner !== undefined) target.lines.push({ fromX: center, fromY: y, toX: center, toY: y + GAP.y });
    y += GAP.y;
    if (!module) return;
    placeStep(target, module, list.owner, center, y);
    y += target.sizes.get(module)?.height ?? STEP.height;
  }
}

function placeStep(target: Target, module: Module, owner: string | undefined, center: number, top: number): void {
  const size = target.sizes.get(module) ?? STEP;
  const hides = isFolded(module, target.folded);
  const lists = innerLists(module);
  const step = { module, owner, isContainer: lists.length > 0, isFolded: hides, x: center - STEP.width / 2, y: top, ...STEP };
  if (lists.length === 0 || hides) {
    target.steps.push(step);
    return;
  }
  const frame = { x: center - size.width / 2, y: top + STEP.height / 2, width: size.width, height: size.height - STEP.height / 2 };
  target.steps.push({ ...step, frame });
  let x = center - size.width / 2 + PADDING;
  const bottom = top + size.height;
  for (const { list, modules } of lists) {
    const inner = target.sizes.get(modules) ?? STEP;
    const middle = x + inner.width / 2;
    const y = top + STEP.height + LANE_HEIGHT;
    target.lanes.push({ owner: module, list, x, y: top + STEP.height, width: inner.width, height: LANE_HEIGHT });
    if (lists.length === 1) target.lines.push({ fromX: middle, fromY: top + STEP.height, toX: middle, toY: y });
    placeList(target, modules, { owner: module.id, list }, middle, y);
    target.lines.push({ fromX: middle, fromY: y + inner.height, toX: middle, toY: bottom });
    x += inner.width + GAP.x;
  }
}

/** Returns the add point that is nearest to a point, within a distance. */
export function nearestPoint(points: readonly AddPoint[], x: number, y: number, within = 160): AddPoint | undefined {
  let nearest: AddPoint | undefined;
  let best = within;
  for (const point of points) {
    const distance = Math.hypot(point.x - x, point.y - y);
    if (distance >= best) continue;
    best = distance;
    nearest = point;
  }
  return nearest;
}

/** The number of steps from which containers are folded when a flow opens. */
const FOLDED_FROM = 200;

/** Returns the containers that a flow hides at first: with many steps, those of the first level. */
export function foldedAtFirst(modules: readonly Module[], count: number): Set<string> {
  if (count < FOLDED_FROM) return new Set();
  return new Set(modules.filter((module) => innerLists(module).length > 0).map(({ id }) => id));
}
