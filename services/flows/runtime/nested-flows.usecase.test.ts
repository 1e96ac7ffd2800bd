import { beforeAll, describe, expect, it } from "vitest";
import { Cloud, runFlowInCloud } from "../../../test/support/use-cases/cloud.ts";
import { each, echo, nested, sleepS, step } from "../../../test/support/use-cases/flow-modules.ts";
import { addFlow, endOfFlow, type FlowRoom, newFlowRoom, startFlow } from "../../../test/support/use-cases/room-flows.ts";

let room: FlowRoom;
const stops = { stop_after_if: { expr: "true" } };
const failing = { id: "x", value: { type: "script", path: "f/ops/none" } };
const notFound = { name: "NotFound", message: "There is no script at f/ops/none." };
beforeAll(async () => {
  room = await newFlowRoom();
  await Promise.all([
    addFlow(room, "f/t/inner", [echo("x", "flow_input.n + 1"), echo("y", "results.x * 10", stops), echo("z", "0")]),
    addFlow(room, "f/t/outer", [
      each("l", "flow_input.list", [nested("a", "f/t/inner", { n: "flow_input.iter.value" })], { parallel: true }),
    ]),
    addFlow(room, "f/t/failing", [failing]),
    addFlow(room, "f/t/bare", [echo("x", "flow_env")]),
    addFlow(room, "f/t/own", { modules: [echo("x", "flow_env")], flow_env: { mine: 1 } }),
    addFlow(room, "f/t/itself", [nested("again", "f/t/itself")]),
    addFlow(room, "f/t/quiet", [step("q")]),
  ]);
});
const started = (from: number) => room.started.slice(from).map(({ job }) => job);

describe("a flow that another flow runs", () => {
  it("runs in parallel iterations and at any depth, and its caller receives its result", async () => {
    expect(await runFlowInCloud(room, [nested("o", "f/t/outer", { list: "[1, 2, 3]" })])).toMatchObject({ result: [20, 30, 40] });
  });

  it("waits in the segments of its caller, also in a loop", async () => {
    const body = [nested("c", "f/t/inner", { n: "flow_input.iter.value" }), echo("d", "previous_result + results.a")];
    const value = { same_worker: true, modules: [step("s", sleepS(1)), echo("a", "1"), each("l", "[3, 4]", body)] };
    expect(await runFlowInCloud(room, value)).toMatchObject({ result: [41, 51] });
  });

  it("fails its caller with its error after the retries", async () => {
    const from = room.started.length;
    const again = { ...nested("a", "f/t/failing"), retry: { constant: { attempts: 1, seconds: 0 } } };
    const { state, result } = await runFlowInCloud(room, [again, step("b")]);
    expect([state, result]).toEqual(["failed", { error: { ...notFound, step_id: "a" } }]);
    expect(new Set(started(from)).size).toBe(3);
  });

  it("is passed over with continue_on_error", async () => {
    const modules = [{ ...nested("a", "f/t/failing"), continue_on_error: true }, echo("b", "error.message")];
    expect(await runFlowInCloud(room, modules)).toMatchObject({ state: "succeeded", result: notFound.message });
  });

  it("fails its step if it does not exist", async () => {
    expect((await runFlowInCloud(room, [nested("a", "f/t/none")])).result).toMatchObject({
      error: { message: "There is no flow at f/t/none.", step_id: "a" },
    });
  });

  it("has the flow_env of its caller, unless it has its own", async () => {
    const modules = [nested("a", "f/t/bare"), nested("b", "f/t/own"), echo("c", "[results.a, results.b]")];
    expect(await runFlowInCloud(room, { modules, flow_env: { k: "v" } })).toMatchObject({ result: [{ k: "v" }, { mine: 1 }] });
  });

  it("has the priority of its step, as its own steps have; other steps have that of their flow", async () => {
    const [from, ran] = [room.started.length, room.runs.length];
    const modules = [{ ...step("a"), priority: 7 }, step("b"), { ...nested("n", "f/t/quiet"), priority: 9 }];
    const run = await startFlow(room, modules, {}, { priority: 3 });
    await new Cloud(room).play(run);
    const priorityOf = async (id: string) => (await room.deps.jobs.get(id))?.priority;
    expect(await Promise.all(room.runs.slice(ran).map(({ job }) => priorityOf(job)))).toEqual([7, 3, 9]);
    expect(await priorityOf(started(from)[1] ?? "")).toBe(9);
  });
});

it("a flow that runs itself fails with the step's name when 20 are nested, and none of them still runs", async () => {
  const from = room.started.length;
  const run = await startFlow(room, [nested("again", "f/t/itself")]);
  await new Cloud(room).play(run);
  const message = "Flows can be nested at most 20 levels deep, so the step again did not start f/t/itself.";
  expect(await endOfFlow(room, run)).toMatchObject({ state: "failed", result: { error: { name: "TooDeep", message, step_id: "again" } } });
  const ends = await Promise.all(started(from).map((id) => endOfFlow(room, id)));
  expect(ends.map(({ state }) => state)).toEqual(Array(21).fill("failed"));
});
