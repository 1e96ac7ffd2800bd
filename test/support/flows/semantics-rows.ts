import { expect } from "vitest";
import { flow } from "./flow.ts";

/** One row for each situation: the flow, its input, its result, and the state of its job if it is not success. */
export type Row = [title: string, value: object, args: object, result: unknown, job?: object];

const { step, fail, failIf, identity, each, loop, one, all } = flow;
/** The state of a job that failed. */
export const failed = { success: false, canceled: false };
/** The result of a flow whose step failed. */
export const error = (step_id: string, message = "no", name = "TypeError") => ({
  error: expect.objectContaining({ name, message, step_id }),
});

/** Results and names. */
export const resultRows: Row[] = [
  ["the flow's result is that of the last module that ran", [step("a", "1"), step("b", "2")], {}, 2],
  ["a flow without modules gives its input", { modules: [] }, { x: 1 }, { x: 1 }],
  ["the first module's previous_result is the flow's input", [step("a", "previous_result")], { x: 1 }, { x: 1 }],
  [
    "result is an alias of previous_result in iterators, skip_if and branch predicates",
    [
      step("a", "[1, 2]"),
      each("l", "result", [step("b", "flow_input.iter.value * 2")]),
      one("o", [["result.length === 2", [step("c", "'chosen'")]]], [step("d", "'default'")]),
      step("e", "'ran'", { skip_if: { expr: "result === 'chosen'" } }),
      step("f", "[previous_result, result]", { skip_if: { expr: "result !== 'chosen'" }, continue_on_error: true }),
      step("g", "[results.l, results.e, error.name]"),
    ],
    {},
    [[2, 4], "chosen", "ExpressionError"],
  ],
  [
    "result is the flow's input in the predicates of its first module",
    [one("o", [["result.x === 1", [each("l", "[result.iter, result.x]", [step("b", "flow_input.iter.value")])]]])],
    { x: 1 },
    [null, 1],
  ],
  ["identity gives what is before it", [step("a", "7"), identity("b")], {}, 7],
  ["identity as the first module gives the input", [identity("a")], { x: 1 }, { x: 1 }],
  ["nothing returned is null", [step("a", "undefined"), step("b", "[results.a]")], {}, [null]],
  ["a step that does not exist is null", [step("a", "[results.zz, results.zz?.x, results.zz ?? 3]")], {}, [null, null, 3]],
  ["a plain path with a missing part is null", [step("a", "({ b: 1 })"), step("c", "results.a.b.d.e")], {}, null],
  [
    "results of inner, outer and earlier lists are visible",
    [
      step("a", "1"),
      one("b", [["true", [step("c", "2"), step("d", "results.a + results.c")]]]),
      step("e", "[results.c, results.d, results.b]"),
    ],
    {},
    [2, 3, 3],
  ],
  [
    "with return an expression is a function's body",
    [step("a", "let s = 0; for (const n of flow_input.l) s += n; return s")],
    { l: [1, 2] },
    3,
  ],
  ["an object literal is an expression", [step("a", "{ ...flow_input, y: 2 }")], { x: 1 }, { x: 1, y: 2 }],
  [
    "a parameter without a transform is not passed",
    [flow.script("a", "export const main = (x = 'default') => x;", {}, {})],
    { x: "input" },
    "default",
  ],
  [
    "an expression that throws fails the step and names itself",
    [step("a", "flow_input.x.y.z + 1")],
    {},
    error("a", expect.stringContaining("flow_input.x.y.z + 1"), "ExpressionError"),
    failed,
  ],
  ["flow_env is seen by every expression", { modules: [each("l", "[1]", [step("a", "flow_env.k")])], flow_env: { k: "v" } }, {}, ["v"]],
];

/** Loops. */
export const loopRows: Row[] = [
  [
    "a while loop without steps ends by its own predicate, and fails where that does not hold",
    [
      loop("w", [], {}, { stop_after_if: { expr: "all_iters.length === 3" } }),
      loop("v", [], {}, { stop_after_if: { expr: "false" }, continue_on_error: true }),
      loop("u", [], {}, { continue_on_error: true }),
      step("n", "[results.w.length, results.v.error.name, results.u.error.name]"),
    ],
    {},
    [3, "EndlessLoop", "EndlessLoop"],
  ],
  ["an empty list runs nothing", [each("l", "[]", [step("a", "1")])], {}, []],
  ["an empty list runs nothing in parallel either", [each("l", "[]", [step("a", "1")], { parallel: true }), identity("b")], {}, []],
  [
    "what is no array fails",
    [each("l", "5", [step("a", "1")])],
    {},
    error("l", expect.stringContaining("Expected an array"), "IteratorError"),
    failed,
  ],
  [
    "each iteration sees iter and the input",
    [each("l", "flow_input.l", [step("a", "[flow_input.iter.index, flow_input.iter.value, flow_input.k]")])],
    { l: ["x", "y"], k: 1 },
    [
      [0, "x", 1],
      [1, "y", 1],
    ],
  ],
  [
    "in parallel results stand in the list's order",
    [each("l", "[3, 1, 2]", [step("a", "flow_input.iter.value * 10")], { parallel: true })],
    {},
    [30, 10, 20],
  ],
  [
    "an inner iter hides the outer one",
    [each("l", "[1, 2]", [each("m", "[3]", [step("a", "[flow_input.iter.value, flow_input.iter_parent.value]")])])],
    {},
    [[[3, 1]], [[3, 2]]],
  ],
  [
    "a failure ends a loop; the error is its last entry",
    [each("l", "[1, 2, 3]", [failIf("a", "flow_input.iter.value === 2")])],
    {},
    ["fine", error("a", "bad")],
    failed,
  ],
  [
    "in parallel all run, errors in their places",
    [each("l", "[1, 2, 3]", [failIf("a", "flow_input.iter.value === 2")], { parallel: true })],
    {},
    ["fine", error("a", "bad"), "fine"],
    failed,
  ],
  [
    "skip_failures keeps errors as entries",
    [each("l", "[1, 2, 3]", [failIf("a", "flow_input.iter.value === 2")], { skip_failures: true }), step("b", "results.l.length")],
    {},
    3,
  ],
  [
    "parallelism keeps the order",
    [each("l", "[1, 2, 3, 4, 5]", [step("a", "flow_input.iter.value")], { parallel: true, parallelism: { type: "static", value: 2 } })],
    {},
    [1, 2, 3, 4, 5],
  ],
  [
    "stop_after_if inside breaks the loop",
    [
      each("l", "[1, 2, 3]", [step("a", "flow_input.iter.value", { stop_after_if: { expr: "result === 2" } }), step("b", "'b'")]),
      identity("c"),
    ],
    {},
    ["b", 2],
  ],
  [
    "stop_after_if inside a parallel one ends the iteration alone",
    [
      each("l", "[1, 2, 3]", [step("a", "flow_input.iter.value", { stop_after_if: { expr: "result === 2" } }), step("b", "'b'")], {
        parallel: true,
      }),
    ],
    {},
    ["b", 2, "b"],
  ],
  [
    "stop_after_if on the loop breaks it",
    [
      each(
        "l",
        "[1, 2, 3]",
        [step("a", "flow_input.iter.value")],
        {},
        { stop_after_if: { expr: "result === 2 && all_iters.length === 2" } },
      ),
      step("b", "results.l"),
    ],
    {},
    [1, 2],
  ],
  [
    "stop_after_all_iters_if stops the flow",
    [each("l", "[1, 2]", [step("a", "1")], {}, { stop_after_all_iters_if: { expr: "result.length === 2" } }), step("b", "'never'")],
    {},
    [1, 1],
  ],
  [
    "a while loop counts from 0 until it is stopped",
    [loop("l", [step("a", "[flow_input.iter.index, flow_input.iter.value]", { stop_after_if: { expr: "result[0] === 2" } })])],
    {},
    [
      [0, 0],
      [1, 1],
      [2, 2],
    ],
  ],
  [
    "a while loop that fails fails the flow",
    [loop("l", [failIf("a", "flow_input.iter.index === 1")])],
    {},
    ["fine", error("a", "bad")],
    failed,
  ],
];

/** Branches. */
export const branchRows: Row[] = [
  [
    "the first true one runs",
    [
      one("b", [
        ["false", [step("x", "1")]],
        ["flow_input.k", [step("y", "2")]],
        ["true", [step("z", "3")]],
      ]),
    ],
    { k: "truthy" },
    2,
  ],
  ["none true: the default", [one("b", [["false", [step("x", "1")]]], [step("d", "'default'")])], {}, "default"],
  ["an empty default passes through", [step("a", "5"), one("b", [["false", [step("x", "1")]]])], {}, 5],
  ["branchall gives an array", [all("b", [[step("x", "1")], [step("y", "results.x + 1")]])], {}, [1, 2]],
  [
    "branchall in parallel too",
    [all("b", [[step("x", "1")], [step("y", "2"), step("z", "results.y + 1")]], { parallel: true })],
    {},
    [1, 3],
  ],
  ["one after the other, a failure ends it", [all("b", [[step("x", "1")], [fail("y")], [step("z", "3")]])], {}, [1, error("y")], failed],
  [
    "in parallel all run",
    [all("b", [[step("x", "1")], [fail("y")], [step("z", "3")]], { parallel: true })],
    {},
    [1, error("y"), 3],
    failed,
  ],
  [
    "skip_failure keeps the error as an entry",
    {
      modules: [
        { id: "b", value: { type: "branchall", branches: [{ skip_failure: true, modules: [fail("x")] }, { modules: [step("y", "2")] }] } },
      ],
    },
    {},
    [error("x"), 2],
  ],
  [
    "stop_after_if inside stops the whole flow",
    [one("b", [["true", [step("x", "1", { stop_after_if: { expr: "true" } }), step("y", "2")]]]), step("c", "'never'")],
    {},
    1,
  ],
  [
    "in branchall the array so far is the result",
    [all("b", [[step("x", "1")], [step("y", "2", { stop_after_if: { expr: "true" } })], [step("z", "3")]]), step("c", "'never'")],
    {},
    [1, 2],
  ],
  [
    "in a parallel branchall it ends the branch alone",
    [
      all("b", [[step("x", "1", { stop_after_if: { expr: "true" } }), step("w", "9")], [step("y", "2")]], { parallel: true }),
      step("c", "results.b"),
    ],
    {},
    [1, 2],
  ],
];

/** Skip, stop, mock, sleep. */
export const stopRows: Row[] = [
  [
    "skip_if makes an identity of a step",
    [step("a", "1"), step("b", "2", { skip_if: { expr: "results.a === 1" } }), step("c", "[results.b, previous_result]")],
    {},
    [1, 1],
  ],
  [
    "stop_after_if ends the flow with the step's result",
    [step("a", "1", { stop_after_if: { expr: "result === 1" } }), step("b", "2")],
    {},
    1,
  ],
  [
    "skip_if_stopped marks it as skipped",
    [step("a", "1", { stop_after_if: { expr: "true", skip_if_stopped: true, error_message: "x" } }), step("b", "2")],
    {},
    1,
    { success: true, is_skipped: true },
  ],
  [
    "an error_message makes it a failure",
    [step("a", "1", { stop_after_if: { expr: "true", error_message: "too much" } })],
    {},
    error("a", "too much", "EarlyStopError"),
    failed,
  ],
  [
    "an empty one names the expression",
    [step("a", "1", { stop_after_if: { expr: "1 < 2", error_message: "", error_include_result: true } })],
    {},
    { error: { name: "EarlyStopError", message: "stop after if: 1 < 2", step_id: "a", result: 1 } },
    failed,
  ],
  [
    "skip_expr skips the flow",
    { modules: [step("a", "1")], skip_expr: "flow_input.off" },
    { off: true },
    "stopped early",
    { success: true, is_skipped: true },
  ],
  ["a mock does not run", [fail("a", "'no'", { mock: { enabled: true, return_value: { m: 1 } } }), step("b", "results.a.m")], {}, 1],
  ["a mock without a value is null", [each("l", "[1]", [fail("a")], {}, { mock: { enabled: true } })], {}, null],
  ["sleep delays the next module", [step("a", "1", { sleep: { type: "static", value: 1 } }), step("b", "results.a + 1")], {}, 2],
];
