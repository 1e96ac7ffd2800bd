import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseExactJson } from "../../../../../../contract/json/exact-json.ts";
import { readSteps, writeSteps } from "./clipboard.ts";
import { documentOf, type FlowDocument } from "./flow-document.ts";
import { placeInText, readFlow, readStoredFlow, writeYaml } from "./yaml.ts";

const root = join(import.meta.dirname, "../../../../../..");
const fixtures = globSync("test/fixtures/flows/*/flow.yaml", { cwd: root }).sort();

const problemOf = (text: string) => {
  const read = readFlow(text);
  return "problem" in read ? read.problem : undefined;
};
const readBack = (document: unknown) => {
  const read = readFlow(writeYaml(document));
  return "document" in read ? read.document : read.problem;
};

describe("a flow as YAML", () => {
  it("has fixtures", () => expect(fixtures.length).toBeGreaterThan(15));

  it.each(fixtures)("%s has the same values after it was written and read", (file) => {
    const flow: unknown = parse(readFileSync(join(root, file), "utf8"));
    expect(readBack(flow)).toEqual(flow);
  });

  it("keeps unknown fields and kinds, exact whole numbers, and texts that look like another type", () => {
    const text = `{"summary":"yes","x_team":"0x1F","value":{"modules":[{"id":"no","value":{"type":"teleport","steps":12345678901234567890,"on":"on",
      "when":"2026-01-01","tilde":"~","empty":"","lines":"a\\n\\n  b\\t\\r\\n ","minus":-9007199254740993,"half":0.1,"large":1e21,"nothing":null,"hash":"# no comment",
      "separators":"\\u2028\\u0085","keys":{"1":1,"true":2,"a: b":3,"":4,"<<":5}}}],"groups":[[]],"notes":{}}}`;
    const flow = parseExactJson(text) as FlowDocument;
    expect(readBack(flow)).toEqual(flow);
    expect(JSON.stringify(readBack(flow))).toBe(JSON.stringify(flow));
    expect(readStoredFlow(JSON.stringify(flow))).toEqual({ document: flow });
  });

  it.each([
    "summary: a\nvalue: [",
    '{"value":',
    '{"value":{"modules":1}}',
    `{"value":{"modules":[]},"x":${"[".repeat(9000)}${"]".repeat(9000)}}`,
  ])("that is no flow is no stored flow either: case %#", (text) => expect(readStoredFlow(text)).toHaveProperty("problem"));

  it("leaves out the fields that the service sets", () => {
    const stored = { path: "f/a/b", hash: "00", version_id: 3, summary: "s", tag: null, value: { modules: [] } };
    expect(documentOf(stored)).toEqual({ summary: "s", tag: null, value: { modules: [] } });
  });
});

describe("a text that is no flow", () => {
  it.each<[string, string, number, RegExp]>([
    ["breaks the syntax", "summary: a\nvalue:\n  modules: [\n", 4, /flow|sequence|\]/i],
    ["repeats a key", "value: { modules: [] }\nvalue: {}", 2, /unique/],
    ["is a list", "- a", 1, /object/],
    ["has no list of steps", "value:\n  modules:\n    a: 1", 3, /list of steps/],
    ["has a step without an id", "value:\n  modules:\n    - value: { type: identity }", 3, /needs an `id`/],
    ["has a step without a type", "value:\n  modules:\n    - id: a\n      value: {}", 4, /`type`/],
    [
      "repeats an id",
      "value:\n  modules:\n    - { id: a, value: { type: identity } }\n    - { id: a, value: { type: identity } }",
      4,
      /id a/,
    ],
    ["contains itself", "value: &v\n  modules: []\n  again: *v", 1, /contains itself|resolved/],
    ["has a number without JSON", "value: { modules: [], x: .inf }", 1, /no number/],
    [
      "grows without end",
      `a: &a [1,1]\n${"bcdefghijk".replace(/./g, (c, at: number) => `${c}: &${c} [*${"abcdefghij"[at]},*${"abcdefghij"[at]},*${"abcdefghij"[at]}]\n`)}`,
      1,
      /alias/i,
    ],
  ])("that %s is refused with its place", (_, text, line, reason) => {
    const problem = problemOf(text);
    expect(problem?.reason).toMatch(reason);
    expect(problem?.line).toBe(line);
  });

  it("names the nearest part around a place that the text does not have", () => {
    expect(placeInText("a:\n  b: 1", ["a", "b", "c"])).toEqual({ line: 2, column: 6 });
    expect(placeInText("a: 1", ["x"])).toEqual({ line: 1, column: 1 });
  });
});

describe("copied steps", () => {
  const steps = [{ id: "a", value: { type: "identity" } }];

  it("are a text that is read as the same steps", () => expect(readSteps(writeSteps(steps))).toEqual({ modules: steps }));

  it.each([
    ["a step", steps[0]],
    ["a list of steps", steps],
    ["a flow", { summary: "", value: { modules: steps } }],
  ])("can be pasted from %s", (_, value) => expect(readSteps(JSON.stringify(value))).toEqual({ modules: steps }));

  it("are refused if the text has no steps", () => {
    expect(readSteps("hello")).toHaveProperty("problem");
    expect(readSteps("[1]")).toHaveProperty("problem");
  });
});
