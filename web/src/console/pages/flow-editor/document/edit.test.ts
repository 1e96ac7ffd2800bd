import { describe, expect, it } from "vitest";
import { addSteps, canMove, findSteps, idsOf, listUnfollowed, moveStep, removeStep, renameStep, stepsBefore } from "./edit.ts";
import type { FlowValue, Module } from "./flow-document.ts";
import { freshId, idProblem } from "./fresh-id.ts";
import { beginHistory, record, redo, undo } from "./history.ts";
import { findStep, MAIN, modulesOf, replaceStep, walk } from "./lists.ts";
import { mayNameOtherwise, renameReferences } from "./rename-references.ts";

const js = (expr: string) => ({ type: "javascript", expr });
const step = (id: string, expr = "1"): Module => ({ id, value: { type: "script", path: `f/x/${id}`, input_transforms: { x: js(expr) } } });
const loop = (id: string, ...modules: Module[]): Module => ({ id, value: { type: "forloopflow", iterator: js("[1]"), modules } });
const branch = (id: string, ...modules: Module[]): Module => ({
  id,
  value: { type: "branchone", branches: [{ expr: "results.a", modules }], default: [step(`${id}_else`)] },
});
const flow: FlowValue = {
  modules: [step("a"), loop("l", step("b", "results.a.x"), branch("c", step("d"))), step("e", "results.l[0]")],
  failure_module: { ...step("failure") },
};
const idsIn = (value: FlowValue) => [...walk(value)].map(({ module, depth }) => `${" ".repeat(depth)}${module.id}`);

describe("a step", () => {
  it("is listed with those inside", () => {
    expect(idsIn(flow)).toEqual(["a", "l", " b", " c", "  d", "  c_else", "e", "failure"]);
  });

  it.each([
    ["the flow", MAIN, 1, ["a", "n", "l", " b", " c", "  d", "  c_else", "e", "failure"]],
    ["a loop", { owner: "l", list: "modules" }, 2, ["a", "l", " b", " c", "  d", "  c_else", " n", "e", "failure"]],
    ["a branch", { owner: "c", list: 0 }, 0, ["a", "l", " b", " c", "  n", "  d", "  c_else", "e", "failure"]],
    ["a default branch", { owner: "c", list: "default" }, 1, ["a", "l", " b", " c", "  d", "  c_else", "  n", "e", "failure"]],
  ] as const)("is added to %s", (_, list, index, expected) => {
    const added = addSteps(flow, { list, index }, [step("n")]);
    expect(idsIn(added.value)).toEqual(expected);
    expect(added.ids).toEqual(["n"]);
  });

  it("is added as the preprocessor under its reserved id", () => {
    const { value, ids } = addSteps(flow, { list: { list: "preprocessor_module" }, index: 0 }, [step("")]);
    expect(ids).toEqual(["preprocessor"]);
    expect(idsIn(removeStep(value, "preprocessor"))).toEqual(idsIn(flow));
    expect(removeStep(value, "preprocessor")).toEqual(flow);
  });

  it("that is pasted has fresh ids, and its own references follow them", () => {
    const { value, ids } = addSteps(flow, { list: MAIN, index: 3 }, [loop("l", step("b"), step("x", "results.b + results.q"))]);
    expect(ids).toEqual(["f"]);
    expect(idsOf(value)).toEqual(new Set([...idsOf(flow), "f", "g", "x"]));
    expect(findStep(value, "x")?.module).toEqual(step("x", "results.g + results.q"));
  });

  it("is moved with the steps inside, and never into itself", () => {
    expect(idsIn(moveStep(flow, "c", { list: MAIN, index: 0 }))).toEqual(["c", " d", " c_else", "a", "l", " b", "e", "failure"]);
    expect(idsIn(moveStep(flow, "a", { list: MAIN, index: 3 }))).toEqual(["l", " b", " c", "  d", "  c_else", "e", "a", "failure"]);
    expect(moveStep(flow, "a", { list: MAIN, index: 1 })).toBe(flow);
    expect(canMove(flow, "l", { list: { owner: "c", list: 0 }, index: 0 })).toBe(false);
    expect(moveStep(flow, "l", { list: { owner: "c", list: 0 }, index: 0 })).toBe(flow);
    expect(canMove(flow, "failure", { list: MAIN, index: 0 })).toBe(false);
  });

  it("is removed with the steps inside", () => expect(idsIn(removeStep(flow, "l"))).toEqual(["a", "e", "failure"]));

  it("reads the results of the steps before it, and of those around it", () => {
    expect(stepsBefore(flow, "d")).toEqual(["a", "b"]);
    expect(stepsBefore(flow, "e")).toEqual(["a", "l"]);
    expect(stepsBefore(flow, "failure")).toEqual(["a", "l", "e"]);
    expect(stepsBefore({ modules: [branch("c", step("d")), step("z")] }, "z")).toEqual(["d", "c_else", "c"]);
  });

  it("is found by its id, its path and its expressions, but not by the steps inside it", () => {
    expect(findSteps(flow, "F/X/D")).toEqual(["d"]);
    expect(findSteps(flow, "results.a")).toEqual(["b", "c"]);
    expect(findSteps(flow, " ")).toEqual([]);
  });

  it("changes without its neighbours", () => {
    const next = replaceStep(flow, "d", (module) => ({ ...module, summary: "x" }));
    expect(next.modules[0]).toBe(flow.modules[0]);
    expect(modulesOf(next, { owner: "c", list: 0 })).toEqual([{ ...step("d"), summary: "x" }]);
    expect(replaceStep(flow, "missing", (module) => ({ ...module, summary: "x" }))).toBe(flow);
  });
});

describe("a renamed step", () => {
  it.each([
    ["results.a", "results.b"],
    ["results?.a?.x ?? results['a'].y + results[\"a\"]", "results?.b?.x ?? results['b'].y + results[\"b\"]"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a template
    ["`${results.a}` + 'results.a' // results.a", "`${results.b}` + 'results.a' // results.a"],
    ["other.results.a + results.ab + a", "other.results.a + results.ab + a"],
    [
      "const x = results.a;\nreturn [x].map((each) => each + results.a)",
      "const x = results.b;\nreturn [x].map((each) => each + results.b)",
    ],
    ["((results) => results.a)(x)", "((results) => results.a)(x)"],
    ["results.a.filter((", "results.b.filter(("],
    ["{ ...results.a, y: 1 }", "{ ...results.b, y: 1 }"],
    ["const { a, c = 1 } = results;\nreturn a + c", "const { b: a, c = 1 } = results;\nreturn a + c"],
    ["const { a: x, 'a': y, ...others } = results;\nreturn x", "const { b: x, 'b': y, ...others } = results;\nreturn x"],
    ["const { a } = other;\nreturn a", "const { a } = other;\nreturn a"],
  ])("turns %j into %j", (before, after) => expect(renameReferences(before, new Map([["a", "b"]]))).toBe(after));

  it("with a dash is quoted", () => {
    expect(renameReferences("results.a + results?.a", new Map([["a", "my-a"]]))).toBe('results["my-a"] + results?.["my-a"]');
  });

  it("with a dash is quoted in a pattern", () => {
    expect(renameReferences("const { a } = results;\nreturn a", new Map([["a", "my-a"]]))).toBe('const { "my-a": a } = results;\nreturn a');
  });

  it.each([
    ["results[x ? 'a' : 'b']", true],
    ["Object.keys(results).includes('a')", true],
    ["const { ...all } = results;\nreturn all.a", true],
    ["((results) => results.a)(flow_input)", true],
    ["results.a + results['a']", false],
    ["const { a } = results;\nreturn a", false],
    ["results[flow_input.name]", false],
    ["results.other.a", false],
  ])("in %j does not follow: %s", (expression, expected) => expect(mayNameOtherwise(expression, "a")).toBe(expected));

  it("names the steps that do not follow", () => {
    expect(listUnfollowed({ modules: [step("a"), loop("l", step("b", "results[x].a")), branch("c")] }, "a")).toEqual(["b"]);
  });

  it("has its new id in each expression of the flow, and in no data", () => {
    const kept = { content: "results.a", mock: { return_value: { expr: "results.a" } }, lock: "results.a" };
    const value: FlowValue = {
      modules: [
        step("a"),
        { ...branch("c"), skip_if: { expr: "results.a" }, stop_after_if: { expr: "result", error_message: "results.a" } },
        {
          id: "r",
          value: { type: "rawscript", ...kept, input_transforms: { s: { type: "static", value: { expr: "results.a" } } } },
          sleep: js("results.a"),
        },
        { id: "g", value: { type: "consentgate", approvers: ["results.a"], message: "Pay {{ context.a }} {{ context.ab }}?" } },
      ],
      early_return: "a",
      skip_expr: "results.a",
      flow_env: { expr: "results.a" },
    };
    const renamed = renameStep(value, "a", "load");
    expect(JSON.stringify(renamed).match(/load/g)?.length).toBe(7);
    expect(renameStep(renamed, "load", "a")).toEqual(value);
    expect(findStep(renamed, "r")?.module.value).toBe(value.modules[2]?.value);
    expect(renamed["flow_env"]).toBe(value["flow_env"]);
  });
});

describe("ids", () => {
  it("are letters in the order of the alphabet", () => {
    expect(freshId(new Set())).toBe("a");
    const letters = new Set("abcdefghijklmnopqrstuvwxyz");
    expect(freshId(letters)).toBe("aa");
    expect(freshId(new Set([...letters, "aa", "ab"]))).toBe("ac");
  });

  it.each([
    ["a b", "form"],
    ["", "form"],
    ["__proto__", "form"],
    ["failure", "reserved"],
    ["a", "taken"],
    ["A-1_b", undefined],
  ])("%j has the problem %s", (id, problem) => expect(idProblem(id, new Set(["a"]))).toBe(problem));
});

describe("the history", () => {
  it("goes back and forward over each change, and a typed text is one", () => {
    let history = record(record(record(beginHistory(0), 1, "title"), 2, "title"), 3);
    expect(history.past).toEqual([0, 2]);
    history = undo(undo(history));
    expect(history.present).toBe(0);
    expect(undo(history).present).toBe(0);
    expect(redo(redo(redo(history))).present).toBe(3);
    expect(record(redo(history), 9).future).toEqual([]);
    expect(record(record(redo(history), 5, "title"), 6, "title").past).toEqual([0, 2]);
  });
});

it("300 steps at 30 levels can be renamed and moved a hundred times", () => {
  const levels = Array.from({ length: 30 }).reduce<Module>(
    (inner, _, level) => loop(`l${level}`, step(`s${level}`), inner),
    step("deepest"),
  );
  const value: FlowValue = { modules: [levels, ...Array.from({ length: 300 }, (_, index) => step(`m${index}`, `results.m${index - 1}`))] };
  let edited = value;
  for (let index = 0; index < 100; index += 1)
    edited = moveStep(renameStep(edited, `m${index}`, `n${index}`), "deepest", { list: MAIN, index });
  expect(idsOf(edited).size).toBe(361);
});
