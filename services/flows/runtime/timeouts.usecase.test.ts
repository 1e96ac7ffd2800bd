import { beforeAll, describe, expect, it } from "vitest";
import { Cloud } from "../../../test/support/use-cases/cloud.ts";
import { echo, nested, sleepS, step } from "../../../test/support/use-cases/flow-modules.ts";
import { addFlow, endOfFlow, type FlowRoom, newFlowRoom, startFlow } from "../../../test/support/use-cases/room-flows.ts";
import { resumeDue } from "../../../test/support/use-cases/room-jobs.ts";

let room: FlowRoom;
beforeAll(async () => {
  room = await newFlowRoom();
  await Promise.all([
    addFlow(room, "f/t/sleeps", [step("a", sleepS(600)), step("inside")]),
    addFlow(room, "f/t/asks", [{ id: "ask", value: { type: "identity" }, suspend: { required_events: 1, timeout: 100_000 } }]),
  ]);
});
const timedOut = (seconds: number) => ({
  state: "failed",
  result: { error: { name: "TimeoutError", message: `The flow exceeded its time limit of ${seconds} s.` } },
});

describe("the time limit of a flow", () => {
  const failing = { id: "a", value: { type: "script", path: "f/ops/none" }, retry: { constant: { attempts: 3, seconds: 600 } } };
  it.each<[string, object, string[]]>([
    ["it sleeps", { modules: [step("a", sleepS(600)), step("b")] }, ["a"]],
    ["it waits for its next attempt", { modules: [failing, step("b")] }, []],
    ["it waits for a nested flow", { modules: [nested("n", "f/t/sleeps"), step("b")] }, ["a"]],
    ["a segment sleeps", { same_worker: true, modules: [step("a", sleepS(600)), step("b")] }, ["a"]],
  ])("ends it while %s, and nothing after that begins", async (_title, value, ran) => {
    const from = room.results.length;
    const executions = room.started.length;
    const run = await startFlow(room, value, {}, { timeoutS: 3 });
    await new Cloud(room).play(run);
    expect(await endOfFlow(room, run)).toEqual(timedOut(3));
    expect(room.results.slice(from)).toEqual(ran);
    for (const { job } of room.started.slice(executions)) expect(await endOfFlow(room, job)).toMatchObject({ state: "failed" });
  });

  it("ends it by housekeeping while nothing of it runs, together with the flows nested in it", async () => {
    const from = room.started.length;
    const run = await startFlow(room, [nested("n", "f/t/asks"), step("z")], {}, { timeoutS: 300 });
    const cloud = new Cloud(room);
    const passS = async (seconds: number) => {
      room.clock.nowMs += seconds * 1000;
      await resumeDue(room);
      await cloud.playUntilQuiet();
    };
    await cloud.playUntilQuiet();
    await passS(60);
    expect(await room.deps.jobs.get(run)).toMatchObject({ state: "running" });
    await passS(241);
    expect(await endOfFlow(room, run)).toEqual(timedOut(300));
    const [, inner] = room.started.slice(from);
    expect(await endOfFlow(room, inner?.job ?? "")).not.toMatchObject({ state: "succeeded" });
  });

  it("does not concern a flow that ends in time", async () => {
    const run = await startFlow(room, [step("a"), echo("b", "2")], {}, { timeoutS: 3600 });
    await new Cloud(room).play(run);
    expect(await endOfFlow(room, run)).toEqual({ state: "succeeded", result: 2 });
  });
});
