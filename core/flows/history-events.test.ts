import { describe, expect, it } from "vitest";
import type { FlowModule } from "../../contract/flows/flow-value.ts";
import { aFlow, identity } from "../../test/builders/flows.ts";
import { countParallelIterations, describeSizeProblem, estimateEvents, HISTORY_EVENTS } from "./history-events.ts";

const steps = (count: number, prefix = "s") => Array.from({ length: count }, (_, index) => identity(`${prefix}${index}`));
const loop = (id: string, modules: object[], parallel = false) => ({
  id,
  value: { type: "forloopflow", iterator: { type: "static", value: [] }, parallel, modules },
});
const branches = (id: string, lists: object[][], parallel = false) => ({
  id,
  value: { type: "branchall", parallel, branches: lists.map((modules) => ({ modules })) },
});
const why = (modules: object[]) => describeSizeProblem(aFlow({ modules }));

describe("size limits", () => {
  it("a thousand sequential steps are accepted, and a flow that is too large is rejected with the maximum", () => {
    expect(why(steps(1000))).toBeUndefined();
    expect(why(steps(1249))).toBeUndefined();
    expect(why(steps(1250))).toBe(
      "The flow is too large: at most 1249 steps are allowed outside loops. Move some of them into a separate flow.",
    );
    expect(why([branches("b", [steps(700, "x"), steps(700, "y")])])).toContain("outside loops");
  });

  it("a loop is rejected if one iteration does not fit an execution", () => {
    expect(why([loop("l", steps(399))])).toBeUndefined();
    expect(why([loop("l", steps(400))])).toBe(
      "The flow is too large: at most 399 steps are allowed in a loop, including those of its enclosing loops. Move some of them into a separate flow.",
    );
  });

  it("enclosing loops count at any depth, and neighbouring ones do not", () => {
    const inner = loop("inner", steps(250, "x"));
    expect(why([inner, loop("beside", steps(250, "y"))])).toBeUndefined();
    expect(why([loop("outer", [...steps(250, "y"), inner])])).toContain("in a loop");
    expect(why([loop("outer", [...steps(250, "y"), branches("b", [[], [inner]])])])).toContain("in a loop");
    const either = { id: "e", value: { type: "branchone", branches: [{ expr: "true", modules: [inner] }], default: [] } };
    expect(why([loop("outer", [...steps(250, "y"), either])])).toContain("in a loop");
  });

  it("all parallel branches count before a loop in one of them", () => {
    const lists = [steps(150, "x"), steps(150, "y"), [loop("l", steps(200, "z"))]];
    expect(why([branches("b", lists)])).toBeUndefined();
    expect(why([branches("b", lists, true)])).toContain("in a loop");
  });
});

describe("parallel iterations", () => {
  const moduleOf = (sent: object) => aFlow({ modules: [sent] }).modules[0] as FlowModule;

  it("the number of parallel iterations is limited by the remaining events, and at least one", () => {
    const parallel = moduleOf(loop("l", steps(9), true));
    expect([0, 7000, HISTORY_EVENTS].map((events) => countParallelIterations(parallel, events))).toEqual([111, 13, 1]);
  });

  it("each iteration has events for its inner loops", () => {
    const inner = loop("inner", steps(99, "x"));
    const parallel = moduleOf(loop("outer", [...steps(8), inner], true));
    const together = countParallelIterations(parallel, 0);
    const body = aFlow({ modules: [...steps(8), inner] }).modules;
    const after = together * estimateEvents(body);
    expect(after + estimateEvents(aFlow({ modules: steps(99, "x") }).modules)).toBeLessThanOrEqual(HISTORY_EVENTS);
    expect(together).toBeGreaterThan(20);
  });
});
