import { describe, expect, it } from "vitest";
import type { FlowModule } from "../../contract/flows/flow-value.ts";
import { collectReferences, findEarlyReturn } from "./references.ts";
import { indexFlow } from "./scopes.ts";

const step = (id: string): FlowModule => ({ id, value: { type: "identity" } });
const loop = (id: string, modules: FlowModule[]): FlowModule => ({ id, value: { type: "whileloopflow", modules } });
const index = indexFlow({ modules: [step("a"), loop("l", [step("x")]), step("b"), step("c")] });

describe("early returns", () => {
  it.each([
    ["results.a", "a"],
    ["results.b + results.a", "b"],
    ["results['x']", "l"],
    ["flow_input.name", "a"],
    ["results.none", "a"],
    ["Object.keys(results)", "c"],
    ["const { a, ['b']: renamed } = results; return [a, renamed]", "b"],
    ["const { a, ...rest } = results; return rest", "c"],
    ["results.a /* results.c */ + 'results.c'", "a"],
  ])("the expression %s is evaluated after the module %s", async (wanted, after) => {
    expect(await findEarlyReturn(index, wanted)).toEqual({ after, expression: wanted });
  });

  it("the id of a step is not an expression", async () => {
    expect(await findEarlyReturn(index, "b")).toEqual({ after: "b" });
  });
});

describe("references", () => {
  const none = { input: false, previous: false, results: [] as string[], env: false, resume: false };
  it.each<[string, Partial<Omit<typeof none, "results">> & { results?: string[] | "all" }]>([
    ["results.a.b", { results: ["a"] }],
    ["results?.a + results?.['b-c'] + results[`d`]", { results: ["a", "b-c", "d"] }],
    ["results.a", { results: ["a"] }],
    ["'b' in results", { results: "all" }],
    ["results.hasOwnProperty('b')", { results: "all" }],
    ["results.constructor", { results: "all" }],
    ["Object.entries({ ...results })", { results: "all" }],
    ["results[flow_input.id]", { results: "all", input: true }],
    ["((results) => results.a)({})", { results: "all" }],
    ["const { a = flow_env } = results; return a", { results: "all", env: true }],
    ["eval('flow_input')", { results: "all", input: true, previous: true, env: true, resume: true }],
    ["'flow_input results.a' /* flow_env */ // error", {}],
    ["({ error: 1, results: 2 }).results", {}],
    ["x.previous_result + x?.resume", {}],
    ["({ flow_env })", { env: true }],
    ["({ [error]: 1 })", { previous: true }],
    [`\`\${resumes.length} flow_env\``, { resume: true }],
    ["1 +", {}],
  ])("are found in the expression %s", async (expression, expected) => {
    const { names: _, results, ...found } = await collectReferences([expression]);
    expect({ ...found, results: results === "all" ? results : [...results] }).toEqual({ ...none, ...expected });
  });
});
