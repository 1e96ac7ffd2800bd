import { describe, expect, it } from "vitest";
import { readQuotedPath } from "../../../../../../../core/expressions/plain-path.ts";
import { insertInto, listParts, pathOf, previewOf, resultOf } from "./values.ts";

describe("the path of a value", () => {
  it.each<[string, (string | number)[], string]>([
    ["results", ["a", "b c", 0], 'results.a["b c"][0]'],
    ["flow_input", ["order-id"], 'flow_input["order-id"]'],
    ["flow_input", ["0"], 'flow_input["0"]'],
    ["resume", ["ok"], "resume.ok"],
    ["flow_input", ["iter", "value"], "flow_input.iter.value"],
    ["results", ['say "hi"\n'], 'results["say \\"hi\\"\\n"]'],
  ])("from %s along %j is %s", (root, keys, path) => {
    expect(pathOf(root, keys)).toBe(path);
  });

  it("reads the value at the service", () => {
    const results = { "first-step": { "b c": [{ name: "Ann" }] } };
    const expression = pathOf(resultOf("first-step"), ["b c", 0, "name"]);
    expect(readQuotedPath({ results }, expression)).toEqual({ value: "Ann" });
  });
});

describe("the parts of a value", () => {
  it("are listed level by level, with the first items of a list", () => {
    expect(listParts("results.a", { list: [1, 2, 3, 4], deep: { x: "y" } })).toEqual([
      { expression: "results.a", preview: "{list, deep}" },
      { expression: "results.a.list", preview: "[4]" },
      { expression: "results.a.deep", preview: "{x}" },
      { expression: "results.a.list[0]", preview: "1" },
      { expression: "results.a.list[1]", preview: "2" },
      { expression: "results.a.list[2]", preview: "3" },
      { expression: "results.a.deep.x", preview: '"y"' },
    ]);
  });

  it("of a value that is large are listed in part", () => {
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, { deep: "x".repeat(100) }]));
    expect(listParts("results.a", wide)).toHaveLength(150);
    expect(previewOf("x".repeat(1_000_000))).toHaveLength(62);
  });
});

it("a chosen value is inserted at the cursor, and replaces an expression in which no person has put one", () => {
  expect(insertInto("f()", "results.a", [2, 2])).toBe("f(results.a)");
  expect(insertInto("old + 1", "results.a", [0, 3])).toBe("results.a + 1");
  expect(insertInto("old + 1", "results.a", undefined)).toBe("results.a");
});
