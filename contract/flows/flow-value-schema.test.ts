import { describe, expect, it } from "vitest";
import { toIssues } from "../errors/issues.ts";
import { describeError, SvcError } from "../errors.ts";
import { limits } from "../limits.ts";
import { flowValueSchema } from "./flow-value-schema.ts";

const step = (id: string, more: object = {}) => ({ id, value: { type: "identity" }, ...more });
const script = (id: string, more: object = {}) => ({ id, value: { type: "script", path: "f/t/a" }, ...more });
const each = (id: string, modules: object[], more: object = {}) => ({
  id,
  value: { type: "forloopflow", iterator: { type: "static", value: [] }, modules, ...more },
});
const endless = (id: string, modules: object[], more: object = {}) => ({ id, value: { type: "whileloopflow", modules, ...more } });
const one = (id: string, lists: object[][], otherwise: object[] = []) => ({
  id,
  value: { type: "branchone", branches: lists.map((modules) => ({ expr: "true", modules })), default: otherwise },
});
const all = (id: string, lists: object[][], more: object = {}) => ({
  id,
  value: { type: "branchall", branches: lists.map((modules) => ({ modules })), ...more },
});

/** Returns the validation errors of a flow with their paths. */
function faults(value: unknown): string[] {
  const sent = { value };
  const { error } = flowValueSchema.safeParse(value);
  if (!error) return [];
  const placed = { ...error, issues: error.issues.map((issue) => ({ ...issue, path: ["value", ...issue.path] })) };
  return toIssues(placed as typeof error, sent).map(({ path, reason }) => `${path}: ${reason}`);
}
const flow = (...modules: object[]) => ({ modules });
const inLoops = (depth: number, innermost: object): object =>
  depth === 0 ? innermost : each(`l${depth}`, [inLoops(depth - 1, innermost)]);

describe("the schema of a flow", () => {
  it("every kind of module is accepted, and unknown fields are preserved", () => {
    const value = {
      modules: [
        script("a", { notes: { x: 1 } }),
        each("b", [step("c")], { skip_failures: false }),
        endless("d", [step("e")]),
        one("f", [[step("g")]], [step("h")]),
        all("i", [[step("j")], []]),
        { id: "k", value: { type: "aiagent", tools: [1] } },
        { id: "l", value: { type: "consentgate", approvers: ["u/ann"] } },
        { id: "m", value: { type: "flow", path: "f/t/b", input_transforms: { x: { type: "ai", model: "y" } } } },
      ],
      groups: [{ start_id: "a" }],
      unknown: { deep: [null] },
    };
    expect(flowValueSchema.parse(value)).toEqual(value);
  });

  it("each invalid field is reported with its path and module at any depth", () => {
    const value = flow(
      { id: "a", value: { type: "rawscript", language: "bash" } },
      each("outer", [one("choice", [[script("inner", { retry: { constant: { attempts: -1 } } })]], [])]),
      { id: "b", value: { type: "nothing" } },
      { id: "c", value: { type: "consentgate", approvers: [] } },
    );
    expect(faults(value)).toEqual([
      expect.stringMatching(/^value\.modules\.0\.value\.content \(module a\): /),
      expect.stringMatching(
        /^value\.modules\.1\.value\.modules\.0\.value\.branches\.0\.modules\.0\.retry\.constant\.attempts \(module inner\): /,
      ),
      expect.stringMatching(/^value\.modules\.2\.value\.type \(module b\): /),
      "value.modules.3.value.approvers (module c): must name at least one approver",
    ]);
  });
});

describe("ids", () => {
  it("ids are unique in the whole flow", () => {
    const value = flow(step("a"), each("b", [step("a")]), one("c", [[step("b")]], [step("d")]), all("e", [[step("f")], [step("d")]]));
    expect(faults(value)).toEqual([
      "value.modules.1.value.modules.0.id (module a): is already the id of value.modules.0",
      "value.modules.2.value.branches.0.modules.0.id (module b): is already the id of value.modules.1",
      "value.modules.3.value.branches.1.modules.0.id (module d): is already the id of value.modules.2.value.default.0",
    ]);
  });

  it("failure and preprocessor are reserved ids", () => {
    expect(faults({ modules: [step("a")], failure_module: script("failure"), preprocessor_module: script("preprocessor") })).toEqual([]);
    expect(faults(flow(step("failure"), each("b", [step("preprocessor")])))).toEqual([
      "value.modules.0.id (module failure): is reserved as the id of the failure_module",
      "value.modules.1.value.modules.0.id (module preprocessor): is reserved as the id of the preprocessor_module",
    ]);
    expect(faults({ modules: [], failure_module: script("mend"), preprocessor_module: step("preprocessor") })).toEqual([
      "value.failure_module.id (module mend): must be failure",
      "value.preprocessor_module.value.type (module preprocessor): must be script or rawscript",
    ]);
  });

  it.each(["__proto__", "constructor", "", "a b", "a.b", "a\nb", "x".repeat(81), "é"])("%j is rejected", (id) => {
    expect(faults(flow(step(id)))).toEqual([
      expect.stringMatching(/^value\.modules\.0\.id( \(module \w+\))?: letters, digits, '_' and '-'/),
    ]);
  });

  it.each(["toString", "hasOwnProperty", "valueOf", "0", "-", "x".repeat(80)])("%j is accepted", (id) => {
    expect(faults(flow(step(id)))).toEqual([]);
    expect(faults(flow(step(id), step(id)))).toHaveLength(1);
  });
});

describe("early_return", () => {
  it.each([
    ["a", []],
    ["results.b.x", []],
    ["", []],
    ["b", ["value.early_return: is not the id of a top-level step of the flow: b"]],
    ["none", ["value.early_return: is not the id of a top-level step of the flow: none"]],
    ["failure", ["value.early_return: is not the id of a top-level step of the flow: failure"]],
    ["toString", ["value.early_return: is not the id of a top-level step of the flow: toString"]],
  ])("%j must be a top-level step or an expression", (early_return, expected) => {
    expect(faults({ modules: [step("a"), each("l", [step("b")])], failure_module: script("failure"), early_return })).toEqual(expected);
  });
});

describe("loops and branches", () => {
  it(`modules are nested at most ${limits.flowNesting} levels deep`, () => {
    expect(faults(flow(inLoops(limits.flowNesting, step("x"))))).toEqual([]);
    const deeper = faults(flow(inLoops(limits.flowNesting + 1, step("x"))));
    expect(deeper).toEqual([expect.stringMatching(/\(module x\): is nested in more than 20 loops and branches/)]);
    // Even at the maximum depth of a body, an error has one path.
    expect(faults(flow(inLoops(75, step("x"))))).toHaveLength(1);
  });

  it("steps that share one worker do not run in parallel", () => {
    const modules = [each("a", [step("x")], { parallel: true }), all("b", [[endless("c", [], { parallel: true })]], { parallel: true })];
    expect(faults({ modules })).toEqual([]);
    expect(faults({ modules, same_worker: false })).toEqual([]);
    const reason = "is not possible in a flow with same_worker, because its steps share one working directory";
    expect(faults({ modules, same_worker: true })).toEqual([
      `value.modules.0.value.parallel (module a): ${reason}`,
      `value.modules.1.value.parallel (module b): ${reason}`,
      `value.modules.1.value.branches.0.modules.0.value.parallel (module c): ${reason}`,
    ]);
    expect(faults({ modules: [each("a", [], { parallel: false })], same_worker: true })).toEqual([]);
  });

  it("only loops and branches can stop after all iterations", () => {
    const stop = { stop_after_all_iters_if: { expr: "true" } };
    expect(faults(flow(...[each("a", []), endless("b", []), all("c", [])].map((module) => ({ ...module, ...stop }))))).toEqual([]);
    expect(faults({ modules: [step("a", stop), { ...one("b", []), ...stop }], failure_module: script("failure", stop) })).toEqual([
      expect.stringMatching(/^value\.modules\.0\.stop_after_all_iters_if \(module a\): is only for loops and branchall/),
      expect.stringMatching(/^value\.modules\.1\.stop_after_all_iters_if \(module b\): /),
      expect.stringMatching(/^value\.failure_module\.stop_after_all_iters_if \(module failure\): /),
    ]);
  });
});

describe("retry", () => {
  it.each([
    [null],
    [{}],
    [{ constant: {}, exponential: null }],
    [{ constant: { attempts: 0, seconds: 0 }, exponential: { attempts: 0, seconds: 0, multiplier: 1 } }],
    [{ constant: { attempts: 2 } }],
    [{ exponential: { attempts: 2, seconds: 1 }, retry_if: { expr: "true" } }],
  ])("%j is accepted", (retry) => {
    expect(faults(flow(script("a", { retry })))).toEqual([]);
  });

  it.each([
    [{ constant: { seconds: 5 } }, ["value.modules.0.retry.constant.attempts"]],
    [{ constant: { seconds: 5 }, exponential: { multiplier: 2 } }, ["retry.constant.attempts", "retry.exponential.attempts"]],
    [{ constant: { attempts: null, seconds: 5 }, retry_if: { expr: "true" } }, ["retry.constant.attempts"]],
    [{ retry_if: { expr: "true" } }, ["value.modules.0.retry (module a): defines a condition"]],
  ])("a policy without attempts is rejected: %j", (retry, expected) => {
    expect(faults(flow(script("a", { retry })))).toEqual(expected.map((part) => expect.stringContaining(part)));
  });
});

describe("hostile flows", () => {
  it("10,000 modules are checked in one pass, and their faults form one readable sentence", () => {
    const many = (id: (index: number) => string) => flow(...Array.from({ length: 10_000 }, (_, index) => script(id(index))));
    expect(faults(many((index) => `m${index}`))).toEqual([]);
    const wrong = faults(many(() => "same"));
    expect(wrong).toHaveLength(101);
    expect(wrong.at(-1)).toBe("…: 9899 more places");
  });

  it("an id cannot insert text into the sentence", () => {
    const id = `x\n${"y".repeat(1000)}`;
    const issues = faults({ modules: [{ id, value: { type: "nothing" } }] });
    const { sentence } = describeError(new SvcError("body.shape", { issues: issues.map((path) => ({ path, reason: "" })) }));
    expect(sentence).not.toMatch(/\n|yyy/);
  });

  it("fields that every object inherits are ordinary fields", () => {
    const value = JSON.parse(
      '{"modules":[{"id":"a","value":{"type":"script","path":"f/t/a","input_transforms":{"toString":{"type":"static"},"__proto__":{"type":"static"}}}}],"__proto__":{"modules":7},"constructor":1}',
    );
    expect(faults(value)).toEqual([]);
  });
});
