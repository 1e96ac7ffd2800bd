import { describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { aRunningJob } from "../../test/builders/jobs.ts";
import { runExecution } from "../../test/support/use-cases/aws/state-machine.ts";
import { nested, sleepS, step } from "../../test/support/use-cases/cases/flow-modules.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import {
  addFlow,
  approveGate,
  endOfFlow,
  gates,
  newFlowWorld,
  playExecutions,
  startFlow,
} from "../../test/support/use-cases/world-flows.ts";
import { addJob, newScriptWorld, resumeDue, work } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";

const MONTH_S = 30 * 24 * 3600;
const asks = { id: "ask", value: { type: "identity" }, suspend: { required_events: 1, timeout: MONTH_S } };

/** Runs the machine of a flow until it enters a state, without moving the clock. */
async function playTo(world: World, run: string, name: string): Promise<void> {
  const execution = running(world, run);
  const atMs = world.clock.nowMs;
  const onEnter = (position: { name: string }) => {
    if (position.name === name) throw new Error("The machine stands here.");
  };
  await expect(runExecution(world, execution, { onEnter })).rejects.toThrow("The machine stands here.");
  world.clock.nowMs = atMs;
}

const approve = async (world: World, run: string) =>
  approveGate(world, (await gates(world, run))[0] ?? expect.fail(), 1, { person: anAdmin });

interface Waiting {
  startRun: (world: World) => Promise<string>;
  /** Lets the flow continue. */
  decide?: (world: World, run: string) => Promise<unknown>;
  /** Runs the executions until the flow has ended. */
  play?: (world: World, run: string) => Promise<unknown>;
}
const waiting: Record<string, Waiting> = {
  "for an approval": {
    startRun: async (world) => {
      const run = await startFlow(world, [asks, step("b")]);
      await playExecutions(world);
      return run;
    },
    decide: approve,
  },
  "for an approval whose reminder became due while the engine was stopped": {
    startRun: async (world) => {
      const gate = { type: "consentgate", approvers: ["role:admin"], remind_after: 60, timeout: MONTH_S };
      const run = await startFlow(world, [{ id: "ask", value: gate }, step("b")]);
      await playExecutions(world);
      world.clock.nowMs += 61_000;
      return run;
    },
    decide: approve,
  },
  "for a nested flow that waits for an approval": {
    startRun: async (world) => {
      await addFlow(world, "f/t/asks", [asks]);
      const run = await startFlow(world, [nested("n", "f/t/asks"), step("b")]);
      await playExecutions(world);
      await work(world);
      await playExecutions(world);
      return run;
    },
    decide: approve,
  },
  "for the end of a sleep": {
    startRun: async (world) => {
      const run = await startFlow(world, [step("a", sleepS(MONTH_S)), step("b")]);
      await playTo(world, run, "b");
      return run;
    },
    play: async (world, run) => runExecution(world, running(world, run)),
  },
};

const running = (world: World, run: string) => world.started.find(({ job, is }) => job === run && is === "running") ?? expect.fail();

describe.each(["has failed", "is unknown"])("after restarts of the engine, when each execution %s,", (what) => {
  it.each(Object.keys(waiting))("a flow that waits %s continues at once", async (kind) => {
    const { startRun, decide, play = (one: World) => playExecutions(one) } = waiting[kind] ?? expect.fail();
    const world = await newFlowWorld();
    const run = await startRun(world);
    const flows = world.started.map(({ job }) => job);
    for (let restarts = 0; restarts < 5; restarts += 1) {
      if (what === "is unknown") world.started.length = 0;
      for (const execution of world.started) execution.is = "ended";
      await resumeDue(world, { stoppedMs: world.clock.nowMs });
      expect(world.started.flatMap(({ job, is }) => (is === "running" ? [job] : [])).toSorted()).toEqual(flows.toSorted());
    }
    await play(world, run);
    if (decide) {
      await decide(world, run);
      await play(world, run);
    }
    expect(await endOfFlow(world, run)).toMatchObject({ state: "succeeded", result: "b" });
  });
});

describe("after a restart of the engine,", () => {
  it("a job that ran is queued again, one that was claimed since then is not, and a scheduled one keeps its time", async () => {
    const { world, hash } = await newScriptWorld();
    const { nowMs } = world.clock;
    const stoppedMs = nowMs + 1000;
    const claimedAt = async (atMs: number) => {
      const times = { createdAtMs: nowMs, startedAtMs: nowMs, expiresAtMs: nowMs + limits.jobRetentionMs };
      const job = aRunningJob({ ...times, workspace: world.workspace, hash, leaseUntilMs: atMs + limits.leaseMs });
      await world.deps.jobs.create(job, nowMs + 75_000);
      return job.id;
    };
    const [lost, claimed] = [await claimedAt(stoppedMs - 1), await claimedAt(stoppedMs + 1)];
    const { id: later } = await addJob(world, { hash, scheduledForMs: nowMs + 30_000 });

    await resumeDue(world, { stoppedMs });
    expect(await world.deps.jobs.get(claimed)).toMatchObject({ state: "running" });
    expect(await world.deps.jobs.get(lost)).toMatchObject({ state: "queued", losses: 1 });
    await work(world);
    expect(await world.deps.jobs.get(lost)).toMatchObject({ state: "succeeded" });
    expect(await world.deps.jobs.get(later)).toMatchObject({ state: "queued" });
  });
});
