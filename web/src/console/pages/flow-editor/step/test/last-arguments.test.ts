import { describe, expect, it } from "vitest";
import type { FlowValue, Module } from "../../document/flow-document.ts";
import { findStepJob, selectArguments } from "./last-arguments.ts";

const step = (id: string): Module => ({ id, value: { type: "identity" } });
const flow: FlowValue = {
  modules: [
    step("a"),
    {
      id: "l",
      value: {
        type: "forloopflow",
        modules: [{ id: "o", value: { type: "branchone", branches: [{ modules: [step("x")] }], default: [step("y")] } }],
      },
    },
  ],
};
const levels: Record<string, { path: string; module: string; children?: number; job?: string }[]> = {
  "": [
    { path: "a", module: "a", job: "of a" },
    { path: "l", module: "l", children: 3 },
  ],
  "l/2": [{ path: "l/2/o", module: "o", children: 2 }],
  "l/1": [{ path: "l/1/o", module: "o", children: 2 }],
  "l/2/o/0": [{ path: "l/2/o/0/x", module: "x", job: "last x" }],
  "l/1/o/default": [{ path: "l/1/o/default/y", module: "y", job: "second y" }],
};
const find = (id: string, iterations: [string, number][] = []) =>
  findStepJob(flow, id, new Map(iterations), async (under) => levels[under ?? ""] ?? []);

describe("the job of a step in a run", () => {
  it("is found inside of loops and branches, in the shown iteration or the last one", async () => {
    expect([await find("a"), await find("x"), await find("y", [["l", 1]])]).toEqual(["of a", "last x", "second y"]);
  });

  it("is absent if the step did not run, also in a run of an older flow", async () => {
    expect([await find("y"), await find("x", [["l", 0]]), await find("unknown")]).toEqual([undefined, undefined, undefined]);
    expect(await findStepJob(flow, "x", new Map(), async () => [])).toBeUndefined();
  });
});

describe("the arguments of a run", () => {
  const js = (expr: string) => ({ type: "javascript", expr });

  it("count for expressions that are the same, and never for those that may read a secret", () => {
    const now = {
      same: js("resume.x"),
      changed: js("f(2)"),
      added: js("1 + 1"),
      secret: js("variable(p)"),
      fixed: { type: "static", value: 1 },
    };
    const then = { ...now, changed: js("f(1)"), added: undefined };
    const args = { same: 1, changed: 2, added: 3, secret: "hidden", fixed: 5, other: 6 };
    expect(selectArguments(now, then, args)).toEqual({ same: 1 });
  });

  it("are none for a step that was run alone, whose inputs are constants", () => {
    expect(selectArguments({ n: js("f()") }, { n: { type: "static", value: 1 } }, { n: 1 })).toEqual({});
    expect(selectArguments(undefined, {}, {})).toEqual({});
  });
});
