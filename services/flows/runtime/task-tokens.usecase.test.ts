import { describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import { expectToSurviveFaults, withFault } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { addFlow, approveGate, gates, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addWorkspace, housekeep, work } from "../../../test/support/use-cases/world-jobs.ts";
import { loadValue } from "../../jobs/values/values.ts";
import { runTask } from "./run-task.ts";

const asks = { id: "ask", value: { type: "identity" }, suspend: { required_events: 1, timeout: 100_000 } };
const identity = (id: string) => ({ id, value: { type: "identity" } });
const nested = { id: "sub", value: { type: "flow", path: "f/t/inner", input_transforms: {} } };

async function aWorld(): Promise<World> {
  const world = await newWorld();
  await addWorkspace(world);
  return world;
}

/** Handles messages and runs executions until nothing changes. */
async function settle(world: World): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await work(world);
    await playExecutions(world);
  }
}

/** The time after which housekeeping has checked every flow of this file, with a minute between two ticks. */
const CHECKED_AT_MS = limits.flowCheckMs + 2 * limits.taskTokenMs;
async function passUntilChecked(world: World): Promise<void> {
  for (let passed = 0; passed < CHECKED_AT_MS; passed += 61_000) {
    world.clock.nowMs += 61_000;
    await housekeep(world);
    await settle(world);
  }
}

async function expectSuccess({ deps }: World, run: string): Promise<void> {
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
  it.each(moments)("is passed when the approval arrives immediately (write %i, %s)", async (write, moment) => {
    const world = await aWorld();
    const run = await startFlow(world, [asks, identity("b")]);
    await playExecutions(world, tokenFault(write, moment));
    const [gate] = await gates(world, run);
    if (!gate) throw new Error("The gate has not opened.");
    await approveGate(world, gate);
    // A lost token is found within two minutes, not with the next regular check of a running flow.
    for (let minute = 0; minute < 2; minute += 1) {
      world.clock.nowMs += 61_000;
      await housekeep(world);
      await settle(world);
    }
    await expectSuccess(world, run);
    expect(await gates(world, run)).toHaveLength(1);
  });

  it.each(moments)("is passed when the approval arrives after housekeeping has run (write %i, %s)", async (write, moment) => {
    const world = await aWorld();
    const run = await startFlow(world, [asks, identity("b")]);
    await playExecutions(world, tokenFault(write, moment));
    await passUntilChecked(world);
    const [gate] = await gates(world, run);
    if (!gate) throw new Error("The gate has not opened.");
    await approveGate(world, gate);
    await settle(world);
    await expectSuccess(world, run);
  });

  it("is passed although the execution that replaced it lost its token too", async () => {
    const world = await aWorld();
    const run = await startFlow(world, [asks, identity("b")]);
    await playExecutions(world, tokenFault(1, "before"));
    world.clock.nowMs += 61_000;
    await housekeep(world);
    await playExecutions(world, tokenFault(1, "before"));
    expect(world.started.map(({ execution, is }) => [execution, is])).toEqual([
      [0, "stopped"],
      [1, "running"],
    ]);
    const [gate] = await gates(world, run);
    if (!gate) throw new Error("The gate has not opened.");
    await approveGate(world, gate);
    await passUntilChecked(world);
    await expectSuccess(world, run);
  });

  it("is passed although the token of an earlier execution is stored: the token of the later one was lost", async () => {
    const world = await aWorld();
    const run = await startFlow(world, [asks, identity("b")]);
    await playExecutions(world);
    const [first] = world.started;
    if (first) first.is = "ended";
    world.clock.nowMs += limits.flowWaitCheckMs;
    await housekeep(world);
    await playExecutions(world, tokenFault(1, "before"));
    expect(world.started.map(({ execution, is }) => [execution, is])).toEqual([
      [0, "ended"],
      [1, "running"],
    ]);
    const [gate] = await gates(world, run);
    if (!gate) throw new Error("The gate has not opened.");
    await approveGate(world, gate);
    await passUntilChecked(world);
    await expectSuccess(world, run);
  });

  it("gets no further execution until the one that replaced it has reached the gate", async () => {
    const world = await aWorld();
    const run = await startFlow(world, [asks, identity("b")]);
    await playExecutions(world, tokenFault(1, "before"));
    for (let minute = 0; minute < 5; minute += 1) {
      world.clock.nowMs += 61_000;
      await housekeep(world);
    }
    expect(world.started.map(({ execution }) => execution)).toEqual([0, 1]);
    await playExecutions(world);
    const [gate] = await gates(world, run);
    if (gate) await approveGate(world, gate);
    await settle(world);
    await expectSuccess(world, run);
  });
});

describe("a nested flow whose caller died while it registered the task's token", () => {
  it.each(moments)("is waited for by another execution (write %i, %s)", async (write, moment) => {
    const world = await aWorld();
    await addFlow(world, "f/t/inner", [identity("inner")]);
    const run = await startFlow(world, [nested, identity("b")]);
    await playExecutions(world, tokenFault(write, moment));
    await settle(world);
    await passUntilChecked(world);
    await expectSuccess(world, run);
  });

  it.each(moments)("is waited for by another execution even if it runs for a long time (write %i, %s)", async (write, moment) => {
    const world = await aWorld();
    await addFlow(world, "f/t/inner", [asks]);
    const run = await startFlow(world, [nested, identity("b")]);
    await playExecutions(world, tokenFault(write, moment));
    await work(world);
    await playExecutions(world);
    await passUntilChecked(world);
    const [gate] = await gates(world, run);
    if (!gate) throw new Error("The gate of the nested flow has not opened.");
    await approveGate(world, gate);
    await settle(world);
    await expectSuccess(world, run);
  });
});

describe("a flow with a gate and a nested flow, whichever write of its calls fails,", () => {
  it("succeeds after the approval", async () => {
    const make = async () => {
      const world = await aWorld();
      await addFlow(world, "f/t/inner", [identity("inner")]);
      const run = await startFlow(world, [nested, asks]);
      const approve = async () => {
        for (const gate of await gates(world, run)) if (gate.opened && !gate.decision) await approveGate(world, gate);
      };
      return {
        act: async () => {
          await settle(world);
          await approve();
          await settle(world);
        },
        recover: async () => {
          for (let round = 0; round < 3; round += 1) {
            world.clock.nowMs += limits.flowCheckMs + 1000;
            await housekeep(world);
            await settle(world);
            await approve();
            await settle(world);
          }
        },
        check: () => expectSuccess(world, run),
      };
    };
    const writes = await expectToSurviveFaults(make, { kinds: ["death"] });
    expect(writes).toBeGreaterThan(10);
  });
});
