import { flow } from "./flow.ts";
import { error, failed, type Row } from "./semantics-rows.ts";

const { step, fail, failIf, each, one } = flow;

/** Retry, failure module, continue on error. */
export const failureRows: Row[] = [
  ["retries are used up", [fail("a", "'no'", { retry: { constant: { attempts: 2, seconds: 0 } } })], {}, error("a"), failed],
  [
    "an argument that throws is tried again like any failure",
    [
      step("a", "flow_input.x.y.z + 1", { retry: { constant: { attempts: 1, seconds: 0 } }, continue_on_error: true }),
      step("b", "error.name"),
    ],
    {},
    "ExpressionError",
  ],
  [
    "retry_if may forbid them",
    [fail("a", "'no'", { retry: { constant: { attempts: 2, seconds: 0 }, retry_if: { expr: "result.error.message === 'other'" } } })],
    {},
    error("a"),
    failed,
  ],
  [
    "the failure module's result is the flow's, which still fails",
    { modules: [fail("a")], failure_module: step("failure", "[previous_result.error.message, error.step_id]") },
    {},
    ["no", "a"],
    failed,
  ],
  [
    "recover: true makes it succeed",
    { modules: [fail("a"), step("b", "1")], failure_module: step("failure", "({ recover: true })") },
    {},
    { recover: true },
  ],
  [
    "it sees input and results",
    { modules: [step("a", "1"), fail("b")], failure_module: step("failure", "[flow_input.x, results.a]") },
    { x: 2 },
    [2, 1],
    failed,
  ],
  [
    "inside of a loop it runs there, and not again outside",
    {
      modules: [each("l", "[1, 2]", [failIf("a", "true")], { skip_failures: true })],
      failure_module: step("failure", "'seen ' + flow_input.iter.index"),
    },
    {},
    ["seen 0", "seen 1"],
  ],
  [
    "inside of a loop recover: true makes its iteration succeed",
    {
      modules: [each("l", "[1, 2]", [failIf("a", "flow_input.iter.index === 0", "2")]), step("b", "results.l[1]")],
      failure_module: step("failure", "({ recover: true, from: error.step_id })"),
    },
    {},
    2,
  ],
  [
    "in a branch too, whose result it is",
    { modules: [one("b", [["true", [fail("a")]]])], failure_module: step("failure", "({ recover: true })") },
    {},
    { recover: true },
  ],
  [
    "a failure in a branch is told once",
    { modules: [one("b", [["true", [fail("a")]]])], failure_module: step("failure", "({ seen: previous_result.error.step_id })") },
    {},
    { seen: "a" },
    failed,
  ],
  [
    "continue_on_error goes on with the error",
    [fail("a", "'no'", { continue_on_error: true }), step("b", "[error.message, results.a.error.step_id]")],
    {},
    ["no", "a"],
  ],
  [
    "on the last module the flow fails all the same",
    [step("a", "1"), fail("b", "'no'", { continue_on_error: true })],
    {},
    error("b"),
    failed,
  ],
  ...["Infinity", "soon"].map(
    (value): Row => [
      `a sleep of ${value} is no number of seconds`,
      [step("a", "1", { sleep: { type: "static", value } }), step("b", "2")],
      {},
      error("a", "sleep: the value must be a number of seconds.", "ExpressionError"),
      failed,
    ],
  ),
  [
    "a failing failure module is told",
    { modules: [fail("a")], failure_module: fail("failure", "'worse'") },
    {},
    error("failure", "worse"),
    failed,
  ],
];
