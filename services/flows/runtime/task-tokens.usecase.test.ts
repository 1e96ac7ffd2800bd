import { describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { hasEnded } from "../../../core/jobs/job.ts";
import { expectToSurviveFaults, withFault } from "../../../test/support/use-cases/failing-writes.ts";
import { newRoom, type Room } from "../../../test/support/use-cases/room.ts";
import { addFlow, approveGate, gates, playExecutions, startFlow } from "../../../test/support/use-cases/room-flows.ts";
import { addWorkspace, housekeep, work } from "../../../test/support/use-cases/room-jobs.ts";
import { loadValue } from "../../jobs/values/values.ts";
import { runTask } from "./run-task.ts";

const asks = { id: "ask", value: { type: "identity" }, suspend: { required_events: 1, timeout: 100_000 } };
const identity = (id: string) => ({ id, value: { type: "identity" } });
const nested = { id: "sub", value: { type: "flow", path: "f/t/inner", input_transforms: {} } };

async function aRoom(): Promise<Room> {
  const room = await newRoom();
  await addWorkspace(room);
  return room;
}

/** Handles messages and runs executions until nothing changes. */
async function settle(room: Room): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await work(room);
    await playExecutions(room);
  }
}

/** The time after which housekeeping has checked every flow of this file, with a minute between two ticks. */
const CHECKED_AT_MS = limits.flowCheckMs + 2 * limits.taskTokenMs;
async function passUntilChecked(room: Room): Promise<void> {
  for (let passed = 0; passed < CHECKED_AT_MS; passed += 61_000) {
    room.clock.nowMs += 61_000;
    await housekeep(room);
    await settle(room);
  }
}

async function expectSuccess({ deps }: Room, run: string): Promise<void> {
  const job = await deps.jobs.get(run);
  if (!job || !hasEnded(job)) throw new Error(`The flow's job is ${job?.state}, in its execution ${job?.flow?.execution}.`);
  expect([job.state, await loadValue(deps, job, job.result)]).toEqual(["succeeded", expect.anything()]);
}

/** Injects a fault into one call that registers a task's token; `of`: its number, counted from 1. */
function tokenFault(write: number, moment: "before" | "after", of = 1): typeof runTask {
  let tokens = 0;
  return async (deps, call) => {
    if (!("token" in call) || call.token === undefined) return runTask(deps, call);
    tokens += 1;
    if (tokens !== of) return runTask(deps, call);
    const { ended } = await withFault({ write, moment, kind: "death" }, () => runTask(deps, call));
    if (ended.status === "rejected") throw ended.reason;
    return ended.value;
  };
}
const moments = [
  [1, "before"],
  [1, "after"],
] as const;

describe("a gate whose step function died while it registered the task's token", () => {
  it.each(moments)("is passed when the approval comes at once (write %i, %s)", async (write, moment) => {
    const room = await aRoom();
    const run = await startFlow(room, [asks, identity("b")]);
    await playExecutions(room, tokenFault(write, moment));
    const [gate] = await gates(room, run);
    if (!gate) throw new Error("The gate has not opened.");
    await approveGate(room, gate);
    // A lost token is found within two minutes, not with the next regular check of a running flow.
    for (let minute = 0; minute < 2; minute += 1) {
      room.clock.nowMs += 61_000;
      await housekeep(room);
      await settle(room);
    }
    await expectSuccess(room, run);
    expect(await gates(room, run)).toHaveLength(1);
  });

  it.each(moments)("is passed when the approval comes after housekeeping has looked (write %i, %s)", async (write, moment) => {
    const room = await aRoom();
    const run = await startFlow(room, [asks, identity("b")]);
    await playExecutions(room, tokenFault(write, moment));
    await passUntilChecked(room);
    const [gate] = await gates(room, run);
    if (!gate) throw new Error("The gate has not opened.");
    await approveGate(room, gate);
    await settle(room);
    await expectSuccess(room, run);
  });

  it("is passed although the execution that took its place lost its token too", async () => {
    const room = await aRoom();
    const run = await startFlow(room, [asks, identity("b")]);
    await playExecutions(room, tokenFault(1, "before"));
    room.clock.nowMs += 61_000;
    await housekeep(room);
    await playExecutions(room, tokenFault(1, "before"));
    expect(room.started.map(({ execution, is }) => [execution, is])).toEqual([
      [0, "stopped"],
      [1, "running"],
    ]);
    const [gate] = await gates(room, run);
    if (!gate) throw new Error("The gate has not opened.");
    await approveGate(room, gate);
    await passUntilChecked(room);
    await expectSuccess(room, run);
  });

  it("is passed although the token of an earlier execution is stored: the token of the later one was lost", async () => {
    const room = await aRoom();
    const run = await startFlow(room, [asks, identity("b")]);
    await playExecutions(room);
    const [first] = room.started;
    if (first) first.is = "ended";
    room.clock.nowMs += limits.flowWaitCheckMs;
    await housekeep(room);
    await playExecutions(room, tokenFault(1, "before"));
    expect(room.started.map(({ execution, is }) => [execution, is])).toEqual([
      [0, "ended"],
      [1, "running"],
    ]);
    const [gate] = await gates(room, run);
    if (!gate) throw new Error("The gate has not opened.");
    await approveGate(room, gate);
    await passUntilChecked(room);
    await expectSuccess(room, run);
  });

  it("is not given another execution while the one that took its place is on its way to the gate", async () => {
    const room = await aRoom();
    const run = await startFlow(room, [asks, identity("b")]);
    await playExecutions(room, tokenFault(1, "before"));
    for (let minute = 0; minute < 5; minute += 1) {
      room.clock.nowMs += 61_000;
      await housekeep(room);
    }
    expect(room.started.map(({ execution }) => execution)).toEqual([0, 1]);
    await playExecutions(room);
    const [gate] = await gates(room, run);
    if (gate) await approveGate(room, gate);
    await settle(room);
    await expectSuccess(room, run);
  });
});

describe("a nested flow whose caller died while it registered the task's token", () => {
  it.each(moments)("is waited for by another execution (write %i, %s)", async (write, moment) => {
    const room = await aRoom();
    await addFlow(room, "f/t/inner", [identity("inner")]);
    const run = await startFlow(room, [nested, identity("b")]);
    await playExecutions(room, tokenFault(write, moment));
    await settle(room);
    await passUntilChecked(room);
    await expectSuccess(room, run);
  });

  it.each(moments)("is waited for by another execution although it runs long (write %i, %s)", async (write, moment) => {
    const room = await aRoom();
    await addFlow(room, "f/t/inner", [asks]);
    const run = await startFlow(room, [nested, identity("b")]);
    await playExecutions(room, tokenFault(write, moment));
    await work(room);
    await playExecutions(room);
    await passUntilChecked(room);
    const [gate] = await gates(room, run);
    if (!gate) throw new Error("The gate of the nested flow has not opened.");
    await approveGate(room, gate);
    await settle(room);
    await expectSuccess(room, run);
  });
});

describe("a flow with a gate and a nested flow, whichever write of its calls fails,", () => {
  it("succeeds after the approval", async () => {
    const make = async () => {
      const room = await aRoom();
      await addFlow(room, "f/t/inner", [identity("inner")]);
      const run = await startFlow(room, [nested, asks]);
      const approve = async () => {
        for (const gate of await gates(room, run)) if (gate.opened && !gate.decision) await approveGate(room, gate);
      };
      return {
        act: async () => {
          await settle(room);
          await approve();
          await settle(room);
        },
        recover: async () => {
          for (let round = 0; round < 3; round += 1) {
            room.clock.nowMs += limits.flowCheckMs + 1000;
            await housekeep(room);
            await settle(room);
            await approve();
            await settle(room);
          }
        },
        check: () => expectSuccess(room, run),
      };
    };
    const writes = await expectToSurviveFaults(make, { kinds: ["death"] });
    expect(writes).toBeGreaterThan(10);
  });
});
