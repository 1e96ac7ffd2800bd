import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RunOutcome } from "../../../runners/protocol.ts";
import { aRunningJob } from "../../../test/builders/jobs.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { success, type World } from "../../../test/support/use-cases/world.ts";
import { addJob, newScriptWorld, passLease, passTime, work } from "../../../test/support/use-cases/world-jobs.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { cancelJob } from "./cancel-job.ts";

const mark = { by: "ann", reason: "wrong customer" };

let world: World;
let hash: string;
beforeAll(async () => {
  ({ world, hash } = await newScriptWorld());
});
beforeEach(() => {
  world.answers.run = async () => success(1);
});

const load = async (id: string) => {
  const job = await world.deps.jobs.get(id);
  if (!job) throw new Error("The job's record is gone.");
  return job;
};
const cancel = async (id: string, force = false) => cancelJob(world.deps, await load(id), { ...mark, force });
const runsOf = (id: string) => world.runs.filter(({ job }) => job === id).length;
/** The response of a runner that was ordered to stop. */
const killed = { ...success(null), outcome: { outcome: "killed", logs: { offset: 0, text: "" }, timings: { totalMs: 5 } } as RunOutcome };

describe("cancelJob, whichever of its writes fails,", () => {
  it("ends a job that waits, which never runs, when the call is repeated", async () => {
    await expectToSurviveFaults(async () => {
      const { id } = await addJob(world, { hash });
      return {
        act: () => cancel(id),
        recover: () => cancel(id).catch((error: unknown) => expect(error).toMatchObject({ code: "job.ended" })),
        check: async () => {
          await handleJobMessage(world.deps, { job: id, hash });
          await passLease(world, 1);
          expect(await load(id)).toMatchObject({ state: "canceled", cancel: mark });
          expect(runsOf(id)).toBe(0);
        },
      };
    });
  });

  it.each([false, true])("ends a job that runs, once, when the call is repeated (force: %s)", async (force) => {
    await expectToSurviveFaults(async () => {
      const { id } = await addJob(world, { hash });
      let stop = () => {};
      world.answers.run = () => new Promise((resolve) => (stop = () => resolve(killed)));
      const running = handleJobMessage(world.deps, { job: id, hash });
      await expect.poll(() => runsOf(id), { interval: 2 }).toBe(1);
      return {
        act: () => cancel(id, force),
        recover: () => cancel(id, force).catch((error: unknown) => expect(error).toMatchObject({ code: "job.ended" })),
        check: async () => {
          stop();
          await running;
          await passLease(world, 1);
          expect(await load(id)).toMatchObject({ state: "canceled", cancel: mark });
          expect(runsOf(id)).toBe(1);
        },
      };
    });
  });

  it("frees the slot of its concurrency group for the job that waits", async () => {
    const make = async () => {
      const concurrency = { group: randomUUID().replaceAll("-", ""), limit: 1 };
      const [first, second] = [await addJob(world, { hash, concurrency }), await addJob(world, { hash, concurrency })];
      let stop = () => {};
      world.answers.run = () => new Promise((resolve) => (stop = () => resolve(killed)));
      const running = handleJobMessage(world.deps, { job: first.id, hash, group: concurrency.group });
      await expect.poll(() => runsOf(first.id), { interval: 2 }).toBe(1);
      world.answers.run = async () => success(1);
      await handleJobMessage(world.deps, { job: second.id, hash, group: concurrency.group });
      return {
        act: () => cancel(first.id, true),
        recover: () => cancel(first.id, true).catch(() => undefined),
        check: async () => {
          stop();
          await running;
          await passTime(world, 2);
          expect([(await load(first.id)).state, (await load(second.id)).state, runsOf(second.id)]).toEqual(["canceled", "succeeded", 1]);
        },
      };
    };
    await expectToSurviveFaults(make, { kinds: ["death"] });
  });
});

describe("a cancellation and a claim at once", () => {
  it("end the job before it runs, or stop the run: the job does not run after it was canceled", async () => {
    for (let round = 0; round < 12; round += 1) {
      const { id } = await addJob(world, { hash });
      const [answer] = await Promise.all([
        cancel(id).catch((error: unknown) => String(error)),
        handleJobMessage(world.deps, { job: id, hash }),
      ]);
      const { state } = await load(id);
      if (answer.endsWith("is canceled.")) expect([state, runsOf(id)]).toEqual(["canceled", 0]);
      else expect([state, runsOf(id)]).toEqual(["succeeded", 1]);
    }
  });
});

describe("a job that is canceled while no runner accepts it", () => {
  it("does not begin again from the queue", async () => {
    const { id } = await addJob(world, { hash });
    world.answers.run = async () => {
      expect(await cancel(id)).toContain("is being canceled");
      return { kind: "throttled" };
    };
    await handleJobMessage(world.deps, { job: id, hash }).catch(() => undefined);
    world.answers.run = async () => success(1);
    await work(world);
    await passLease(world);
    expect(await load(id)).toMatchObject({ state: "canceled", cancel: mark });
    expect(runsOf(id)).toBe(1);
  });
});

describe("a job with a period that an earlier release stored without a bound", () => {
  const UNBOUNDED = { eraseAfterS: 1e15, cacheTtlS: 1e15 };

  it("ends when it is canceled by force, in any state", async () => {
    const waiting = await addJob(world, { hash, ...UNBOUNDED });
    expect(await cancel(waiting.id, true)).toBe(`The job ${waiting.id} is canceled.`);
    const { id } = await addJob(world, { hash, ...UNBOUNDED });
    let stop = () => {};
    world.answers.run = () => new Promise((resolve) => (stop = () => resolve(killed)));
    const running = handleJobMessage(world.deps, { job: id, hash });
    await expect.poll(() => runsOf(id), { interval: 2 }).toBe(1);
    expect(await cancel(id, true)).toBe(`The job ${id} is canceled.`);
    stop();
    await running;
    expect([(await load(waiting.id)).state, (await load(id)).state]).toEqual(["canceled", "canceled"]);
  });

  it("runs, ends and disturbs no other job of housekeeping", async () => {
    const [{ id }, other] = [await addJob(world, { hash, ...UNBOUNDED }), await addJob(world, { hash })];
    await passTime(world);
    await work(world);
    expect([(await load(id)).state, (await load(other.id)).state]).toEqual(["succeeded", "succeeded"]);
    await passTime(world);
    expect(await load(id)).toMatchObject({ state: "succeeded", erased: false });
  });

  it("ends when its worker is lost", async () => {
    const lost = { attempt: 3, losses: 3 };
    const job = aRunningJob({
      workspace: world.workspace,
      hash,
      ...UNBOUNDED,
      ...lost,
      createdAtMs: world.clock.nowMs,
      leaseUntilMs: world.clock.nowMs,
      expiresAtMs: world.clock.nowMs + 1e9,
    });
    await world.deps.jobs.create(job, world.clock.nowMs);
    await passLease(world);
    expect((await load(job.id)).state).toBe("failed");
  });
});
