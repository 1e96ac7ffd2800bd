import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { buildMachinePrefix } from "../contract/deployment/stack-names.ts";
import { validateMachine } from "../services/flows/definitions/validate-machine.ts";
import { aFlow, anyFlow, identity } from "../test/builders/flows.ts";
import { flowFixture, flowFixtureNames, flowFixtures, machinesIn } from "../test/support/flows/asl.ts";
import type { Definition, State } from "./asl.ts";
import { compileFlow } from "./compile.ts";
import { buildMachineName } from "./machine-name.ts";

const step = "arn:aws:lambda:us-east-1:000000000000:function:step";
const compiled = (value: object) => compileFlow(aFlow(value), { step, title: "demo f/ops/flow" });
const fixture = (name: string) => parse(flowFixture(name, "flow.yaml")) as { value: object };

function leadsTo(state: State): string[] {
  return [
    ...("Next" in state ? [state.Next] : []),
    ...("Catch" in state && state.Catch ? state.Catch.map(({ Next }) => Next) : []),
    ...(state.Type === "Choice" ? [...state.Choices.map(({ Next }) => Next), state.Default] : []),
  ];
}
/** Returns the states that are reachable from the given ones, including these. */
function reached(from: Iterable<string>, next: (name: string) => Iterable<string>): Set<string> {
  const found = new Set(from);
  for (const name of found) for (const one of next(name)) found.add(one);
  return found;
}
const ends = (state: State) => state.Type === "Succeed" || "End" in state;

/** Checks the rules that every compiled definition follows. */
async function expectLawful(definition: Definition): Promise<void> {
  const machines = machinesIn(definition);
  const names = machines.flatMap(({ States }) => Object.keys(States));
  expect(names.filter((name) => name.length > 80 || name.trim() !== name || name === "")).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  for (const { StartAt, States } of machines) {
    const own = Object.keys(States);
    const state = (name: string) => States[name] ?? expect.fail(`no state ${name} beside ${own}`);
    expect([...reached([StartAt], (name) => leadsTo(state(name)))].sort()).toEqual(own.toSorted());
    const before = (name: string) => own.filter((one) => leadsTo(state(one)).includes(name));
    expect(
      [
        ...reached(
          own.filter((name) => ends(state(name))),
          before,
        ),
      ].sort(),
    ).toEqual(own.toSorted());
  }
  // Otherwise a full quota would end the execution, which counts as a stall of the flow.
  const tasks = machines.flatMap(({ States }) => Object.values(States).filter((state) => state.Type === "Task"));
  for (const { Retry } of tasks) {
    expect(Retry?.[0]).toMatchObject({ ErrorEquals: ["Lambda.TooManyRequestsException", "ServiceBusy"], MaxDelaySeconds: 60 });
    expect(Retry?.[0]?.MaxAttempts).toBeGreaterThanOrEqual(1000);
  }
  const text = JSON.stringify(definition);
  expect(Buffer.byteLength(text)).toBeLessThan(1024 * 1024);
  expect(await validateMachine("svc", text)).toBeUndefined();
}

describe("a flow as a state machine", () => {
  it.each(flowFixtureNames)("the state machine of the flow %s equals the one in test/fixtures/flows", async (name) => {
    const definition = compiled(fixture(name).value);
    await expectLawful(definition);
    await expect(`${JSON.stringify(definition, null, 2)}\n`).toMatchFileSnapshot(join(flowFixtures, name, "asl.json"));
  });

  it("the state machine of any flow is complete and valid, and its end is reachable from every state", async () => {
    await fc.assert(
      fc.asyncProperty(anyFlow, (value) => expectLawful(compileFlow(value, { step, title: "demo f/ops/flow" }))),
      { numRuns: 60 },
    );
  }, 120_000);

  it("the state machine does not depend on code, expressions or arguments", () => {
    const with_ = (content: string, expr: string) =>
      compiled({
        modules: [
          { id: "a", value: { type: "rawscript", language: "bun", content, input_transforms: { x: { type: "javascript", expr } } } },
          identity("b", { stop_after_if: { expr }, sleep: { type: "javascript", expr } }),
        ],
      });
    expect(with_("export const main = () => 1;", "1")).toEqual(with_("export const main = () => 2;", "2"));
  });

  it("the state machine names states by id and summary, and the definition by the location of the flow", () => {
    const { Comment, States } = compiled({ modules: [identity("a", { summary: "Größe prüfen" })] });
    expect([Comment, Object.keys(States).sort()]).toEqual(["demo f/ops/flow", ["a Größe prüfen", "finish flow"]]);
    expect(States["a Größe prüfen"]?.Comment).toBe("identity: Größe prüfen");
  });

  it("the state machine contains no long text of an author, because the package that validates it contains patterns and parsers", () => {
    const long = "${a".repeat(3000);
    const inner = [identity("b", { summary: long })];
    const common = { summary: long, sleep: { type: "javascript", expr: long }, stop_after_if: { expr: long, error_message: long } };
    const definition = compiled({
      modules: [
        { id: "a", ...common, value: { type: "rawscript", language: "bash", content: long, input_transforms: {} } },
        { id: "c", ...common, value: { type: "branchone", branches: [{ summary: long, expr: long, modules: inner }], default: [] } },
        { id: "d", ...common, value: { type: "forloopflow", iterator: { type: "javascript", expr: long }, modules: [identity("e")] } },
      ],
    });
    const texts: string[] = [];
    JSON.stringify(definition, (key, value: unknown) => {
      texts.push(key, ...(typeof value === "string" ? [value] : []));
      return value;
    });
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(300);
  });

  it("the state machine never splits a character of a name", () => {
    for (const before of ["", "x"]) {
      const { States } = compiled({ modules: [identity("a", { summary: before + "𝓐".repeat(60) })] });
      for (const name of Object.keys(States)) expect(name.isWellFormed()).toBe(true);
    }
  });
});

describe("the name of a state machine", () => {
  const definition = compiled({ modules: [] });
  const nameOf = (workspace: string, path: string, of = definition) => buildMachineName({ stack: "svc", workspace, path }, of);

  it("the name contains workspace and path in characters that Step Functions accepts", () => {
    expect(nameOf("demo", "f/ops/daily.report")).toMatch(/^svc-demo-f-ops-daily-report-[0-9a-f]{16}$/);
  });

  it("the name has at most 80 characters, however long workspace and path are, with both ends of the path", () => {
    for (let room = 1; room <= 50; room += 1) {
      for (const length of [5, 40, 66, 67, 68, 250]) {
        const path = `f/${"p".repeat(length)}/end`.slice(0, 250);
        expect(nameOf("w".repeat(room), path)).toMatch(/^svc-w+-f-[A-Za-z0-9_-]{1,66}-[0-9a-f]{16}$/);
        expect(nameOf("w".repeat(room), path).length).toBeLessThanOrEqual(80);
      }
    }
    expect(nameOf("w".repeat(50), `f/${"p".repeat(200)}/end`)).toMatch(/-f-p--end-[0-9a-f]{16}$/);
  });

  it("the names of two stacks never begin with the prefix of the other, and leave room for the longest workspace", () => {
    const stacks = ["svc", "staging-svc", "staging", "s", "stagings", "svcs"];
    for (const stack of stacks) {
      const name = buildMachineName({ stack, workspace: "w".repeat(50), path: "f/ops/daily" }, definition);
      expect(name.length).toBeLessThanOrEqual(80);
      expect(name).toMatch(/^[A-Za-z0-9_-]+-[0-9a-f]{16}$/);
      expect(stacks.filter((other) => name.startsWith(buildMachinePrefix(other)))).toEqual([stack]);
    }
  });

  it("the name is equal only for equal definitions", () => {
    expect(nameOf("demo", "f/a")).toBe(nameOf("demo", "f/a", compiled({ modules: [] })));
    expect(nameOf("demo", "f/a")).not.toBe(nameOf("demo", "f/a", compiled({ modules: [identity("a")] })));
  });
});
