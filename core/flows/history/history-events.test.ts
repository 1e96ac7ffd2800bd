import { describe, expect, it } from "vitest";
import type { FlowModule } from "../../../contract/flows/flow-value.ts";
import { aFlow, identity } from "../../../test/builders/flows.ts";
import { listBodyModules } from "../scopes.ts";
import { countEventsBefore, countParallelIterations, describeSizeProblem, estimateEvents, HISTORY_EVENTS } from "./history-events.ts";

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
    expect([0, 7000, HISTORY_EVENTS].map((events) => countParallelIterations(parallel, events, 40))).toEqual([111, 13, 1]);
  });

  /** The number of iterations of the inner loop in each execution of the state machine. */
  function playExecutions(
    body: readonly FlowModule[],
    inner: FlowModule,
    { outer, each, width }: { outer: number; each: number; width: number },
  ) {
    const loop = moduleOf({ ...moduleOf(parallelLoop(body)), id: "outer" });
    const perInner = estimateEvents(listBodyModules(inner));
    const left = Array.from({ length: outer }, () => each);
    const events: number[] = [];
    while (left.some((items) => items > 0)) {
      const open = left.flatMap((items, index) => (items > 0 ? [index] : []));
      const round = open.slice(0, countParallelIterations(loop, 0, width));
      const before = countEventsBefore(
        round.map(() => body),
        0,
      );
      let used = 0;
      for (const index of round) {
        used += estimateEvents(body);
        for (let seen = before; (left[index] ?? 0) > 0 && seen + perInner <= HISTORY_EVENTS; seen += perInner) {
          left[index] = (left[index] ?? 0) - 1;
          used += perInner;
        }
      }
      events.push(used);
      // No execution may end without progress.
      expect(used).toBeGreaterThan(round.length * estimateEvents(body));
    }
    return events;
  }
  const parallelLoop = (body: readonly FlowModule[]) => loop("any", [...body], true);

  it.each([
    { outer: 40, each: 1000, width: 40, innerSteps: 1 },
    { outer: 500, each: 3, width: 4, innerSteps: 1 },
    { outer: 3, each: 5000, width: 3, innerSteps: 9 },
    { outer: 40, each: 5, width: 40, innerSteps: 200 },
    { outer: 1, each: 2000, width: 1, innerSteps: 1 },
  ])("$outer iterations with inner loops of $each fit the history of their executions together", ({ innerSteps, ...sizes }) => {
    const inner = loop("inner", steps(innerSteps, "x"));
    const body = aFlow({ modules: [...steps(3), inner] }).modules;
    const events = playExecutions(body, moduleOf(inner), sizes);
    expect(Math.max(...events)).toBeLessThanOrEqual(HISTORY_EVENTS);
    // Shares do not waste history: each execution except the last one uses most of it.
    const total = events.reduce((sum, used) => sum + used, 0);
    expect(events.length).toBeLessThanOrEqual(3 + (4 * total) / HISTORY_EVENTS);
  });

  it("a round with short inner loops has more iterations than run at once, so that a slow one delays no others", () => {
    const body = aFlow({ modules: [loop("inner", steps(1, "x"))] }).modules;
    const parallel = moduleOf(loop("outer", body, true));
    expect([1, 4, 40].map((width) => countParallelIterations(parallel, 0, width))).toEqual([42, 42, 42]);
    expect(countParallelIterations(parallel, HISTORY_EVENTS - 500, 4)).toBe(4);
  });
});
