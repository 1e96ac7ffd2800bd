import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { aFlow, anyFlow } from "../test/builders/flows.ts";
import { flowFixture, flowFixtureNames, machinesIn } from "../test/support/flows/asl.ts";
import type { Definition } from "./asl.ts";
import { compileFlow } from "./compile.ts";
import { renderMermaid } from "./mermaid.ts";

const compiled = (value: object) =>
  compileFlow(aFlow(value), { step: "arn:aws:lambda:us-east-1:000000000000:function:step", title: "demo f/t" });
const fixture = (name: string) => compiled((parse(flowFixture(name, "flow.yaml")) as { value: object }).value);

const text = (escaped = "") => escaped.replaceAll(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));

/** Parses a diagram. Fails for a line of an unknown kind. */
function read(picture: string) {
  const [first, ...lines] = picture.trimEnd().split("\n");
  expect(first).toBe("flowchart TD");
  const boxes: { id: string; name: string }[] = [];
  const nodes: { id: string; name: string; in: string[] }[] = [];
  const edges: { from: string; to: string; dashed: boolean; says?: string | undefined }[] = [];
  for (const line of lines.map((each) => each.trim())) {
    const [, box, title] = /^subgraph (n\d+)\["([^"]*)"\]$/.exec(line) ?? [];
    const [, id, , name] = /^(n\d+)(\[\[|\(\[|\[|\{|>)"([^"]*)"(?:\]\]|\]\)|\]|\})$/.exec(line) ?? [];
    const [, from, arrow, says, to] = /^(n\d+) (-->|-\.->)(?:\|"([^"]*)"\|)? (n\d+)$/.exec(line) ?? [];
    if (box) {
      nodes.push({ id: box, name: text(title), in: boxes.map((each) => each.id) });
      boxes.push({ id: box, name: text(title) });
    } else if (id) nodes.push({ id, name: text(name), in: boxes.map((each) => each.id) });
    else if (from && to) edges.push({ from, to, dashed: arrow !== "-->", says: says === undefined ? undefined : text(says) });
    else if (line === "end" && boxes.length > 0) boxes.pop();
    else expect.fail(`${line} is no line of a picture`);
  }
  expect(boxes).toEqual([]);
  expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
  const nameOf = new Map(nodes.map(({ id, name }) => [id, name]));
  return {
    nodes: nodes.map(({ name, in: around }) => [...around.map((id) => nameOf.get(id)), name].join(" / ")),
    edges: edges.map(({ from, to, dashed, says }) => [nameOf.get(from), dashed, says, nameOf.get(to)]),
  };
}

/** The same structure, read from the definition. */
function shownOf(definition: Definition, around: string[] = []): ReturnType<typeof read> {
  const states = Object.entries(definition.States);
  const path = (name: string) => [...around, name].join(" / ");
  const inner = states.flatMap(([name, state]) => {
    if (state.Type === "Map") return [shownOf(state.ItemProcessor, [...around, name])];
    if (state.Type !== "Parallel") return [];
    const boxes = state.Branches.map((_, index) => path(`${name} / branch ${index}`));
    return [{ nodes: boxes, edges: [] }, ...state.Branches.map((branch, index) => shownOf(branch, [...around, name, `branch ${index}`]))];
  });
  const own = states.flatMap(([name, state]) => [
    ...("Next" in state ? [[name, false, undefined, state.Next]] : []),
    ...("End" in state ? [[name, false, undefined, "end"]] : []),
    ...("Catch" in state && state.Catch ? state.Catch.map(({ Next }) => [name, true, "fails", Next]) : []),
    ...(state.Type === "Choice" ? state.Choices.map(({ StringEquals, Next }) => [name, false, StringEquals, Next]) : []),
    ...(state.Type === "Choice" ? [[name, false, "otherwise", state.Default]] : []),
  ]);
  return {
    nodes: [
      path("start"),
      ...states.map(([name]) => path(name)),
      ...(states.some(([, state]) => "End" in state) ? [path("end")] : []),
      ...inner.flatMap(({ nodes }) => nodes),
    ],
    edges: [["start", false, undefined, definition.StartAt], ...own, ...inner.flatMap(({ edges }) => edges)] as ReturnType<
      typeof read
    >["edges"],
  };
}

const sorted = ({ nodes, edges }: ReturnType<typeof read>) => ({
  nodes: nodes.toSorted(),
  edges: edges.map((edge) => JSON.stringify(edge)).sort(),
});
function expectFaithful(definition: Definition): void {
  expect(sorted(read(renderMermaid(definition)))).toEqual(sorted(shownOf(definition)));
}

describe("diagrams of state machines", () => {
  it.each(flowFixtureNames)("the diagram of %s shows each state once, in its container, and each transition with its condition", (name) => {
    expectFaithful(fixture(name));
  });

  it("the diagram is faithful for any flow and any step names", () => {
    fc.assert(
      fc.property(anyFlow, (value) => expectFaithful(compileFlow(value, { step: "arn", title: "t" }))),
      { numRuns: 60 },
    );
  });

  it("the diagram escapes names that Mermaid, Markdown or HTML would interpret", () => {
    const hostile = [
      '"];n9["x',
      "end",
      "1. one",
      "- a",
      "`b`",
      "<img src=x onerror=1>",
      "%%{init:{}}%%",
      "a\nb --> c",
      "#quot;",
      "&lt;",
      "_x_",
      "|",
    ];
    for (const name of hostile) {
      const definition: Definition = { StartAt: name, States: { [name]: { Type: "Succeed" } } };
      expectFaithful(definition);
      const labels = [...renderMermaid(definition).matchAll(/"(.*)"/g)].map(([, label]) => label);
      expect(labels).toEqual(["start", expect.stringMatching(/^[\p{L}\p{N} ,#;]+$/u)]);
    }
  });

  it("the diagram of a flow has this text", () => {
    const each = { type: "forloopflow", iterator: { type: "static", value: [] }, parallel: true, skip_failures: false };
    const modules = [
      { id: "a", summary: "Load", value: { type: "script", path: "f/t/a" } },
      { id: "l", value: { ...each, modules: [{ id: "b", value: { type: "script", path: "f/t/b" } }] } },
    ];
    expect(renderMermaid(compiled({ modules }))).toBe(`flowchart TD
  n0(["start"])
  n1["finish flow"]
  n2["l"]
  subgraph n3["l#58; run items"]
    n7(["start"])
    n8(["end"])
    n9["b"]
    n10(["end"])
    n7 --> n9
    n9 --> n10
    n9 -.->|"fails"| n8
  end
  n4{"l#58; next item"}
  n5["a Load"]
  n6(["end"])
  n0 --> n5
  n1 --> n6
  n2 --> n4
  n2 -.->|"fails"| n1
  n3 --> n2
  n3 -.->|"fails"| n2
  n4 -->|"fail"| n1
  n4 -->|"stop"| n1
  n4 -->|"map"| n3
  n4 -->|"again"| n1
  n4 -->|"otherwise"| n1
  n5 --> n2
  n5 -.->|"fails"| n1
`);
  });

  it("the diagram contains every nested state machine", () => {
    const all = flowFixtureNames.flatMap((name) => machinesIn(fixture(name)));
    expect(all.length).toBeGreaterThan(flowFixtureNames.length);
    for (const one of all) expectFaithful(one);
  });
});
