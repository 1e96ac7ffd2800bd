import { expect, it } from "vitest";
import { readNewestResults } from "./newest-results.ts";

type State = "succeeded" | "not_run" | "running";

/** Runs by their names, each with the states and results of its steps. Notes what is read. */
function runsWith(runs: Record<string, Record<string, { state: State; result?: unknown }>>) {
  const asked: string[] = [];
  return {
    asked,
    sources: {
      readSteps: async (run: string) => Object.entries(runs[run] ?? {}).map(([module, { state }]) => ({ module, state })),
      readResult: async (run: string, id: string) => {
        asked.push(`${run}/${id}`);
        const step = runs[run]?.[id];
        return step && "result" in step ? { result: step.result } : undefined;
      },
      topOf: (id: string) => (id === "inside" ? "branch" : id),
    },
  };
}

it("offers the newest result of each step, also after a test of one step", async () => {
  const { asked, sources } = runsWith({
    test: { b: { state: "succeeded", result: "newest" } },
    cut: { a: { state: "succeeded", result: null }, b: { state: "succeeded", result: "newer" }, c: { state: "not_run" } },
    whole: { a: { state: "succeeded", result: 1 }, b: { state: "succeeded", result: 2 }, c: { state: "succeeded", result: 3 } },
    older: { a: { state: "succeeded", result: "old" } },
  });
  expect(await readNewestResults(["test", "cut", "whole", "older"], ["a", "b", "c"], sources)).toEqual({ a: null, b: "newest", c: 3 });
  expect(asked).toEqual(["test/b", "cut/a", "whole/c"]);
});

it("asks for a step inside another one only in a run in which the outer one has begun", async () => {
  const { asked, sources } = runsWith({
    first: { branch: { state: "not_run" } },
    second: { branch: { state: "running" }, inside: { state: "succeeded", result: 5 } },
  });
  expect(await readNewestResults(["first", "second"], ["inside", "__proto__"], sources)).toEqual({ inside: 5 });
  expect(asked).toEqual(["second/inside"]);
});
