import { describe, expect, it } from "vitest";
import type { FlowValue, Module } from "../../document/flow-document.ts";
import { foldedAtFirst, layOut, nearestPoint, STEP } from "./layout.ts";

const step = (id: string): Module => ({ id, value: { type: "identity" } });
const loop = (id: string, ...modules: Module[]): Module => ({ id, value: { type: "forloopflow", modules } });
const fork = (id: string, ...branches: Module[][]): Module => ({
  id,
  value: { type: "branchall", branches: branches.map((modules) => ({ modules })) },
});
const flow: FlowValue = {
  modules: [step("a"), fork("f", [step("b"), loop("l", step("c"))], [], [step("d")]), step("e")],
  failure_module: step("failure"),
  preprocessor_module: step("preprocessor"),
};
const whole = layOut(flow, new Set());
const boxOf = (id: string, layout = whole) => layout.steps.find(({ module }) => module.id === id);
const overlap = (a: { x: number; y: number; width: number; height: number }, b: typeof a) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

describe("the layout of a flow", () => {
  it("draws each step once, and no two over each other", () => {
    expect(whole.steps.map(({ module }) => module.id)).toEqual(["preprocessor", "a", "f", "b", "l", "c", "d", "e", "failure"]);
    for (const [index, box] of whole.steps.entries())
      for (const other of whole.steps.slice(index + 1)) expect(overlap(box, other)).toBe(false);
  });

  it("puts steps that follow each other below one another, and branches side by side", () => {
    expect(boxOf("a")?.x).toBe(boxOf("e")?.x);
    expect(boxOf("e")?.y).toBeGreaterThan(boxOf("f")?.y ?? Number.POSITIVE_INFINITY);
    expect(boxOf("b")?.y).toBe(boxOf("d")?.y);
    expect(boxOf("d")?.x).toBeGreaterThan(boxOf("b")?.x ?? Number.POSITIVE_INFINITY);
  });

  it("draws the steps of a container inside its frame, and its frame inside that of the container around it", () => {
    const inside = (id: string, frame: string) => {
      const [inner, outer] = [boxOf(id)?.frame ?? boxOf(id), boxOf(frame)?.frame];
      if (!inner || !outer) return false;
      const ends = [inner.x + inner.width <= outer.x + outer.width, inner.y + inner.height <= outer.y + outer.height];
      return inner.x >= outer.x && inner.y >= outer.y && ends.every(Boolean);
    };
    expect(["b", "l", "d"].map((id) => inside(id, "f"))).toEqual([true, true, true]);
    expect(inside("c", "l")).toBe(true);
    expect(inside("a", "f")).toBe(false);
  });

  it("has a point to add a step before, between and after the steps of each list", () => {
    const points = whole.addPoints.map(({ list, index }) => `${list.owner ?? ""}/${list.list}/${index}`);
    expect(points).toEqual([
      ...["/modules/0", "/modules/1", "f/0/0", "f/0/1", "l/modules/0", "l/modules/1", "f/0/2", "f/1/0", "f/2/0", "f/2/1"],
      ...["/modules/2", "/modules/3"],
    ]);
    const { x = 0, y = 0 } = boxOf("d") ?? {};
    expect(nearestPoint(whole.addPoints, x + STEP.width / 2, y - 10)).toMatchObject({ list: { owner: "f", list: 2 }, index: 0 });
    expect(nearestPoint(whole.addPoints, -5000, 0)).toBeUndefined();
  });

  it("hides the steps in a folded container", () => {
    const folded = layOut(flow, new Set(["f"]));
    expect(folded.steps.map(({ module }) => module.id)).toEqual(["preprocessor", "a", "f", "e", "failure"]);
    expect(folded.height).toBeLessThan(whole.height);
  });

  it("draws an empty flow as one point", () => {
    expect(layOut({ modules: [] }, new Set())).toMatchObject({ steps: [], lines: [], addPoints: [{ index: 0, isLast: true }] });
  });

  it("draws 300 steps and 30 levels, and folds the containers of a large flow at first", () => {
    const deep = Array.from({ length: 30 }).reduce<Module>((inner, _, level) => loop(`l${level}`, inner), step("z"));
    const modules = [deep, ...Array.from({ length: 300 }, (_, index) => step(`m${index}`))];
    expect(layOut({ modules }, new Set()).steps).toHaveLength(331);
    expect(foldedAtFirst(modules, 331)).toEqual(new Set(["l29"]));
    expect(foldedAtFirst(modules, 50)).toEqual(new Set());
  });
});
