import { beforeAll, describe, expect, it } from "vitest";
import { Cloud, runFlowInCloud } from "../../../test/support/use-cases/aws/cloud.ts";
import { each, echo, nested, sleepS, step } from "../../../test/support/use-cases/cases/flow-modules.ts";
import { addFlow, endOfFlow, type FlowWorld, newFlowWorld, startFlow } from "../../../test/support/use-cases/world-flows.ts";

let world: FlowWorld;
const stops = { stop_after_if: { expr: "true" } };
const failing = { id: "x", value: { type: "script", path: "f/ops/none" } };
const notFound = { name: "NotFound", message: "There is no script at f/ops/none." };
beforeAll(async () => {
  world = await newFlowWorld();
  await Promise.all([
    addFlow(world, "f/t/inner", [echo("x", "flow_input.n + 1"), echo("y", "results.x * 10", stops), echo("z", "0")]),
    addFlow(world, "f/t/outer", [
      each("l", "flow_input.list", [nested("a", "f/t/inner", { n: "flow_input.iter.value" })], { parallel: true }),
    ]),
    addFlow(world, "f/t/failing", [failing]),
    addFlow(world, "f/t/bare", [echo("x", "flow_env")]),
    addFlow(world, "f/t/own", { modules: [echo("x", "flow_env")], flow_env: { mine: 1 } }),
    addFlow(world, "f/t/itself", [nested("again", "f/t/itself")]),
    addFlow(world, "f/t/quiet", [step("q")]),
  ]);
});
const started = (from: number) => world.started.slice(from).map(({ job }) => job);

describe("a flow that another flow runs", () => {
  it("runs in parallel iterations and at any depth, and its caller receives its result", async () => {
    expect(await runFlowInCloud(world, [nested("o", "f/t/outer", { list: "[1, 2, 3]" })])).toMatchObject({ result: [20, 30, 40] });
  });

  it("waits in the segments of its caller, also in a loop", async () => {
    const body = [nested("c", "f/t/inner", { n: "flow_input.iter.value" }), echo("d", "previous_result + results.a")];
    const value = { same_worker: true, modules: [step("s", sleepS(1)), echo("a", "1"), each("l", "[3, 4]", body)] };
    expect(await runFlowInCloud(world, value)).toMatchObject({ result: [41, 51] });
  });

  it("fails its caller with its error after the retries", async () => {
    const from = world.started.length;
    const again = { ...nested("a", "f/t/failing"), retry: { constant: { attempts: 1, seconds: 0 } } };
    const { state, result } = await runFlowInCloud(world, [again, step("b")]);
    expect([state, result]).toEqual(["failed", { error: { ...notFound, step_id: "a" } }]);
    expect(new Set(started(from)).size).toBe(3);
  });

  it("is skipped with continue_on_error", async () => {
    const modules = [{ ...nested("a", "f/t/failing"), continue_on_error: true }, echo("b", "error.message")];
    expect(await runFlowInCloud(world, modules)).toMatchObject({ state: "succeeded", result: notFound.message });
  });

  it("fails its step if it does not exist", async () => {
    expect((await runFlowInCloud(world, [nested("a", "f/t/none")])).result).toMatchObject({
      error: { message: "There is no flow at f/t/none.", step_id: "a" },
    });
  });

  it("has the flow_env of its caller, unless it has its own", async () => {
    const modules = [nested("a", "f/t/bare"), nested("b", "f/t/own"), echo("c", "[results.a, results.b]")];
    expect(await runFlowInCloud(world, { modules, flow_env: { k: "v" } })).toMatchObject({ result: [{ k: "v" }, { mine: 1 }] });
  });

  it("has the priority of its step, as its own steps have; other steps have that of their flow", async () => {
    const [from, ran] = [world.started.length, world.runs.length];
    const modules = [{ ...step("a"), priority: 7 }, step("b"), { ...nested("n", "f/t/quiet"), priority: 9 }];
    const run = await startFlow(world, modules, {}, { priority: 3 });
    await new Cloud(world).play(run);
    const priorityOf = async (id: string) => (await world.deps.jobs.get(id))?.priority;
    expect(await Promise.all(world.runs.slice(ran).map(({ job }) => priorityOf(job)))).toEqual([7, 3, 9]);
    expect(await priorityOf(started(from)[1] ?? "")).toBe(9);
  });
});

it("a flow that runs itself fails with the step's name when 20 are nested, and none of them still runs", async () => {
  const from = world.started.length;
  const run = await startFlow(world, [nested("again", "f/t/itself")]);
  await new Cloud(world).play(run);
  const message = "Flows can be nested at most 20 levels deep, so the step again did not start f/t/itself.";
  expect(await endOfFlow(world, run)).toMatchObject({ state: "failed", result: { error: { name: "TooDeep", message, step_id: "again" } } });
  const ends = await Promise.all(started(from).map((id) => endOfFlow(world, id)));
  expect(ends.map(({ state }) => state)).toEqual(Array(21).fill("failed"));
});
