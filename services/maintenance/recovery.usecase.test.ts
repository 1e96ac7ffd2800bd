import { describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { aRunningJob } from "../../test/builders/jobs.ts";
import { nested, sleepS, step } from "../../test/support/use-cases/flow-modules.ts";
import type { Room } from "../../test/support/use-cases/room.ts";
import { addFlow, approveGate, endOfFlow, gates, newFlowRoom, playExecutions, startFlow } from "../../test/support/use-cases/room-flows.ts";
import { addJob, newScriptRoom, resumeDue, work } from "../../test/support/use-cases/room-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/room-people.ts";
import { runExecution } from "../../test/support/use-cases/state-machine.ts";

const MONTH_S = 30 * 24 * 3600;
const asks = { id: "ask", value: { type: "identity" }, suspend: { required_events: 1, timeout: MONTH_S } };

/** Runs the machine of a flow until it enters a state, with the clock where it was. */
async function playTo(room: Room, run: string, name: string): Promise<void> {
  const execution = running(room, run);
  const atMs = room.clock.nowMs;
  const onEnter = (position: { name: string }) => {
    if (position.name === name) throw new Error("The machine stands here.");
  };
  await expect(runExecution(room, execution, { onEnter })).rejects.toThrow("The machine stands here.");
  room.clock.nowMs = atMs;
}

const approve = async (room: Room, run: string) => approveGate(room, (await gates(room, run))[0] ?? expect.fail(), 1, { person: anAdmin });

interface Waiting {
  startRun: (room: Room) => Promise<string>;
  /** Lets the flow continue. */
  decide?: (room: Room, run: string) => Promise<unknown>;
  /** Plays the executions until the flow has ended. */
  play?: (room: Room, run: string) => Promise<unknown>;
}
const waiting: Record<string, Waiting> = {
  "for an approval": {
    startRun: async (room) => {
      const run = await startFlow(room, [asks, step("b")]);
      await playExecutions(room);
      return run;
    },
    decide: approve,
  },
  "for an approval whose reminder became due while the engine was stopped": {
    startRun: async (room) => {
      const gate = { type: "consentgate", approvers: ["role:admin"], remind_after: 60, timeout: MONTH_S };
      const run = await startFlow(room, [{ id: "ask", value: gate }, step("b")]);
      await playExecutions(room);
      room.clock.nowMs += 61_000;
      return run;
    },
    decide: approve,
  },
  "for a nested flow that waits for an approval": {
    startRun: async (room) => {
      await addFlow(room, "f/t/asks", [asks]);
      const run = await startFlow(room, [nested("n", "f/t/asks"), step("b")]);
      await playExecutions(room);
      await work(room);
      await playExecutions(room);
      return run;
    },
    decide: approve,
  },
  "for the end of a sleep": {
    startRun: async (room) => {
      const run = await startFlow(room, [step("a", sleepS(MONTH_S)), step("b")]);
      await playTo(room, run, "b");
      return run;
    },
    play: async (room, run) => runExecution(room, running(room, run)),
  },
};

const running = (room: Room, run: string) => room.started.find(({ job, is }) => job === run && is === "running") ?? expect.fail();

describe.each(["has failed", "is unknown"])("after restarts of the engine, when each execution %s,", (what) => {
  it.each(Object.keys(waiting))("a flow that waits %s continues at once", async (kind) => {
    const { startRun, decide, play = (one: Room) => playExecutions(one) } = waiting[kind] ?? expect.fail();
    const room = await newFlowRoom();
    const run = await startRun(room);
    const flows = room.started.map(({ job }) => job);
    for (let restarts = 0; restarts < 5; restarts += 1) {
      if (what === "is unknown") room.started.length = 0;
      for (const execution of room.started) execution.is = "ended";
      await resumeDue(room, { stoppedMs: room.clock.nowMs });
      expect(room.started.flatMap(({ job, is }) => (is === "running" ? [job] : [])).toSorted()).toEqual(flows.toSorted());
    }
    await play(room, run);
    if (decide) {
      await decide(room, run);
      await play(room, run);
    }
    expect(await endOfFlow(room, run)).toMatchObject({ state: "succeeded", result: "b" });
  });
});

describe("after a restart of the engine,", () => {
  it("a job that ran is queued again, one that was claimed since then is not, and a scheduled one keeps its time", async () => {
    const { room, hash } = await newScriptRoom();
    const { nowMs } = room.clock;
    const stoppedMs = nowMs + 1000;
    const claimedAt = async (atMs: number) => {
      const times = { createdAtMs: nowMs, startedAtMs: nowMs, expiresAtMs: nowMs + limits.jobRetentionMs };
      const job = aRunningJob({ ...times, workspace: room.workspace, hash, leaseUntilMs: atMs + limits.leaseMs });
      await room.deps.jobs.create(job, nowMs + 75_000);
      return job.id;
    };
    const [lost, claimed] = [await claimedAt(stoppedMs - 1), await claimedAt(stoppedMs + 1)];
    const { id: later } = await addJob(room, { hash, scheduledForMs: nowMs + 30_000 });

    await resumeDue(room, { stoppedMs });
    expect(await room.deps.jobs.get(claimed)).toMatchObject({ state: "running" });
    expect(await room.deps.jobs.get(lost)).toMatchObject({ state: "queued", losses: 1 });
    await work(room);
    expect(await room.deps.jobs.get(lost)).toMatchObject({ state: "succeeded" });
    expect(await room.deps.jobs.get(later)).toMatchObject({ state: "queued" });
  });
});
