import { describe, expect, it } from "vitest";
import { matchesFilterPolicy } from "./filter-policy.ts";

const text = (Value: string) => ({ Type: "String", Value });
const attributes = {
  colour: text("red"),
  size: { Type: "Number", Value: "12" },
  tags: { Type: "String.Array", Value: '["new", 7, true, null]' },
  broken: { Type: "String.Array", Value: "[" },
};

describe("a filter policy", () => {
  it.each([
    [{}, true],
    [{ colour: ["red"] }, true],
    [{ colour: ["blue", "red"] }, true],
    [{ colour: ["blue"] }, false],
    [{ colour: "red" }, false],
    [{ colour: ["red"], size: [13] }, false],
    [{ colour: ["red"], size: [12] }, true],
    [{ size: ["12"] }, false],
    [{ tags: ["new"] }, true],
    [{ tags: [7] }, true],
    [{ tags: [null] }, true],
    [{ tags: ["old"] }, false],
    [{ broken: ["["] }, false],
    [{ colour: [{ prefix: "re" }] }, true],
    [{ colour: [{ suffix: "x" }] }, false],
    [{ colour: [{ "equals-ignore-case": "RED" }] }, true],
    [{ colour: [{ "anything-but": ["red"] }] }, false],
    [{ colour: [{ "anything-but": "blue" }] }, true],
    [{ colour: [{ "anything-but": [{ prefix: "r" }] }] }, false],
    [{ absent: [{ "anything-but": "x" }] }, false],
    [{ absent: [{ exists: false }] }, true],
    [{ colour: [{ exists: false }] }, false],
    [{ colour: [{ exists: true }] }, true],
    [{ size: [{ numeric: [">=", 10, "<", 20] }] }, true],
    [{ size: [{ numeric: [">", 12] }] }, false],
    [{ size: [{ numeric: ["="] }] }, false],
    [{ colour: [{ numeric: ["=", 1] }] }, false],
    [{ colour: [{ cidr: "10.0.0.0/8" }] }, false],
    [{ $or: [{ colour: ["blue"] }, { size: [12] }] }, true],
    [{ $or: [{ colour: ["blue"] }, { size: [13] }] }, false],
    [{ $or: { colour: ["red"] } }, false],
    [{ __proto__: ["x"] }, true],
    [{ constructor: [{ exists: true }] }, false],
  ])("%j matches: %s", (policy, matches) => {
    expect(matchesFilterPolicy(policy, attributes)).toBe(matches);
  });
});
