import { describe, expect, it } from "vitest";
import * as z from "zod";
import { findNearestName, findUnknownFields } from "./unknown-fields.ts";

const step: z.ZodType = z.lazy(() => z.object({ id: z.string(), steps: z.array(step).optional() }));
const schema = z.object({
  path: z.string(),
  parallel: z.boolean().optional(),
  nested: z.object({ retry_count: z.number().nullish() }).nullish().default(null),
  any: z.record(z.string(), z.unknown()).optional(),
  each: z.record(z.string(), z.object({ label: z.string() })).optional(),
  open: z.looseObject({ kind: z.string() }).optional(),
  either: z.union([z.object({ type: z.literal("a"), alpha: z.number() }), z.object({ type: z.literal("b"), beta: z.number() })]).optional(),
  changed: z.preprocess((sent) => sent, z.object({ x: z.string() })).optional(),
  steps: z.array(step).default([]),
});

const find = (value: unknown) => findUnknownFields(schema, value).map(({ path, meant }) => [path.join("."), meant]);

describe("findUnknownFields", () => {
  it.each<[string, unknown, (string | undefined)[][]]>([
    ["known fields", { path: "a", parallel: true, nested: { retry_count: 1 }, steps: [] }, []],
    ["a misspelt name", { path: "a", paralel: true }, [["paralel", "parallel"]]],
    ["another notation", { path: "a", nested: { retryCount: 1 } }, [["nested.retryCount", "retry_count"]]],
    ["an extra that is like no known name", { path: "a", starred: true }, [["starred", undefined]]],
    ["an extra beside the name that it is like", { path: "a", paths: "b" }, [["paths", undefined]]],
    ["fields of an open object", { path: "a", any: { x: 1 }, open: { kind: "k", other: 1 } }, []],
    ["a misspelt name of an open object", { path: "a", open: { kinds: "k" } }, [["open.kinds", "kind"]]],
    [
      "fields of each value of a map",
      { path: "a", each: { x: { label: "l", lable: 1, more: 2 } } },
      [
        ["each.x.lable", undefined],
        ["each.x.more", undefined],
      ],
    ],
    ["the alternative that accepts the value", { path: "a", either: { type: "b", beta: 1, alpha: 2 } }, [["either.alpha", undefined]]],
    ["no alternative", { path: "a", either: { type: "b", bata: 1 } }, [["either.bata", "beta"]]],
    ["a value that is changed before its check", { path: "a", changed: { y: 1 } }, []],
    [
      "a field of a schema that refers to itself",
      { path: "a", steps: [{ id: "1", steps: [{ id: "2", step: [] }] }] },
      [["steps.0.steps.0.step", "steps"]],
    ],
    ["another type", 5, []],
  ])("finds the fields of %s", (_what, value, expected) => {
    expect(find(value)).toEqual(expected);
  });

  it("a field is unknown to an intersection if neither side knows it", () => {
    const both = z.intersection(z.object({ a_field: z.string() }), z.object({ b_field: z.string() }));
    expect(findUnknownFields(both, { a_field: "", b_field: "", c: 1, afield: 2 }).map(({ path }) => path)).toEqual([["c"], ["afield"]]);
  });
});

describe("findNearestName", () => {
  it.each<[string, string | undefined]>([
    ["forloop", undefined],
    ["paralel", "parallel"],
    ["sucess", "success"],
    ["completely_else", undefined],
    ["x", undefined],
  ])("the name nearest to %s is %s", (name, nearest) => {
    expect(findNearestName(name, ["parallel", "success", "rawscript"])).toBe(nearest);
  });
});
