import { beforeAll, describe, expect, it } from "vitest";
import { runFlowInCloud } from "../../../../test/support/use-cases/aws/cloud.ts";
import { all, each, echo, one, step } from "../../../../test/support/use-cases/cases/flow-modules.ts";
import { failure } from "../../../../test/support/use-cases/world.ts";
import { type FlowWorld, newFlowWorld } from "../../../../test/support/use-cases/world-flows.ts";
import { loadJson } from "../../../jobs/values/values.ts";

let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
  const { run } = world.answers;
  world.answers.run = async (request) => (request.args["x"] === "bad" ? failure("no") : run(request));
});

const js = (expr: string) => ({ type: "javascript", expr });
/** Every field of a module that contains an expression, with a flow in which it is evaluated. */
const places: [place: string, flow: (expr: string) => object][] = [
  ["input_transforms.x", (expr) => ({ modules: [echo("a", expr), step("z")] })],
  ["skip_if", (expr) => ({ modules: [step("a", { skip_if: { expr } }), step("z")] })],
  ["stop_after_if", (expr) => ({ modules: [step("a", { stop_after_if: { expr } }), step("z")] })],
  ["stop_after_if", (expr) => ({ modules: [{ ...each("a", "[1]", [step("x")]), stop_after_if: { expr } }, step("z")] })],
  [
    "stop_after_all_iters_if",
    (expr) => ({ modules: [{ ...each("a", "[1]", [step("x")]), stop_after_all_iters_if: { expr } }, step("z")] }),
  ],
  ["stop_after_all_iters_if", (expr) => ({ modules: [{ ...all("a", [[step("x")]]), stop_after_all_iters_if: { expr } }, step("z")] })],
  ["iterator", (expr) => ({ modules: [each("a", expr, [step("x")]), step("z")] })],
  ["iterator", (expr) => ({ modules: [each("a", expr, [step("x")], { parallel: true }), step("z")] })],
  ["parallelism", (expr) => ({ modules: [each("a", "[1]", [step("x")], { parallel: true, parallelism: js(expr) }), step("z")] })],
  ["branches[0].expr", (expr) => ({ modules: [one("a", expr, [step("x")]), step("z")] })],
  ["sleep", (expr) => ({ modules: [step("a", { sleep: js(expr) }), step("z")] })],
  ["timeout", (expr) => ({ modules: [step("a", { timeout: js(expr) }), step("z")] })],
  [
    "retry.retry_if",
    (expr) => ({ modules: [echo("a", "'bad'", { retry: { constant: { attempts: 2 }, retry_if: { expr } } }), step("z")] }),
  ],
  [
    "suspend.user_groups_required",
    (expr) => ({ modules: [step("a", { suspend: { required_events: 1, user_groups_required: js(expr) } }), step("z")] }),
  ],
  ["early_return", (expr) => ({ modules: [step("a")], early_return: expr })],
];

describe("an expression that cannot be used fails its step with its place and text:", () => {
  const expectFailure = async (place: string, expr: string, flow: object) => {
    const { state, result } = await runFlowInCloud(world, flow);
    const message = expect.stringContaining(`${place}: ${expr}: `);
    expect([state, result]).toEqual(["failed", { error: { name: "ExpressionError", step_id: "a", message } }]);
  };
  const throwing = "(() => { throw 'return' })()";

  it.each(places.flatMap(([place, flow]) => ["1 +", throwing].map((expr) => [place, expr, flow] as const)))("%s: %s", (place, expr, flow) =>
    expectFailure(place, expr, flow(expr)),
  );

  it.each(places.filter(([, flow]) => !JSON.stringify(flow("")).includes('"parallel":true')))("%s, in a segment", (place, flow) =>
    expectFailure(place, throwing, { ...flow(throwing), same_worker: true }),
  );
});

describe("a value that is not a number fails its step:", () => {
  const numbers = places.filter(([place]) => ["sleep", "timeout", "parallelism"].includes(place));
  const values = ["'soon'", "NaN", "[1]"];
  it.each(numbers.flatMap(([place, flow]) => values.map((expr) => [place, expr, flow] as const)))("%s: %s", async (place, expr, flow) => {
    const { state, result } = await runFlowInCloud(world, flow(expr));
    const message = expect.stringMatching(/^(sleep|timeout|parallelism): .*: the value must be a number of (seconds|iterations)\.$/);
    expect([state, result]).toEqual(["failed", { error: { name: "ExpressionError", step_id: "a", message } }]);
    expect((result as { error: { message: string } }).error.message.startsWith(`${place}: ${expr}: `)).toBe(true);
  });

  it.each(numbers.flatMap(([place, flow]) => ["'1'", "null", "0"].map((expr) => [place, expr, flow] as const)))(
    "%s: %s is one",
    async (_place, expr, flow) => {
      expect((await runFlowInCloud(world, flow(expr))).state).toBe("succeeded");
    },
  );
});

it("a retry condition that throws names the error of the attempt before it", async () => {
  const retry = { constant: { attempts: 2 }, retry_if: { expr: "result.error.none.deeper + 1" } };
  const { result } = await runFlowInCloud(world, [echo("a", "'bad'", { retry })]);
  expect(result).toMatchObject({ error: { message: expect.stringContaining("The attempt before it failed with Error: no") } });
});

describe("conditions are decided by the value in JavaScript:", () => {
  it.each([
    ["Infinity", "then"],
    ["-Infinity", "then"],
    ["1n", "then"],
    ["0n", "else"],
    ["NaN", "else"],
    ["flow_input.x === 'return'", "then"],
    ["{ return: 0 }.return", "else"],
    ["[0].some((each) => { return each === 0 })", "then"],
    ["'y' in results", "else"],
    ["'a' in results", "then"],
    ["results.hasOwnProperty('a') && !results.hasOwnProperty('y')", "then"],
    ["Object.keys(results).join() === 'a,l'", "then"],
    ["const params = results.a; return params === 'a'", "then"],
    ["const { a } = results; return a === 'a'", "then"],
  ])("%s", async (expr, expected) => {
    const modules = [
      step("a"),
      each("l", "[1]", [step("y")]),
      one("o", expr, [echo("t", "'then'")], [echo("e", "'else'")]),
      echo("z", "previous_result"),
    ];
    expect((await runFlowInCloud(world, modules, { x: "return" })).result).toBe(expected);
  });
});

describe("early returns:", () => {
  const fails = echo("b", "'bad'", { continue_on_error: true });
  it.each<[string, object[], unknown]>([
    ["b", [step("a"), fails, step("c")], { error: expect.objectContaining({ message: "no", step_id: "b" }) }],
    ["results.b.error.message", [step("a"), fails, step("c")], "no"],
    ["results.b.none.map(String)", [step("a"), fails, step("c")], { error: expect.objectContaining({ name: "ExpressionError" }) }],
    ["const { a, b } = results; return [a, b]", [step("a"), step("b"), step("c")], ["a", "b"]],
    ["results.b + results.a", [step("a"), step("b", { skip_if: { expr: "true" } }), step("c")], "aa"],
  ])("%s", async (early_return, modules, expected) => {
    const { run, state } = await runFlowInCloud(world, { modules, early_return });
    const job = await world.deps.jobs.get(run);
    expect(state).toBe("succeeded");
    const { earlyReturn: early } = job ?? {};
    expect(early && (await loadJson(world.deps, { id: early.jobId }, early.location))).toEqual(expected);
  });
});
