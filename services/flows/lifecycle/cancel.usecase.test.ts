import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { computeShard, hasEnded } from "../../../core/jobs/record/job.ts";
import { expectToSurviveFaults, withFault } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { addFlow, gates, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addWorkspace, housekeep, listJobs, resumeDue, work } from "../../../test/support/use-cases/world-jobs.ts";
import { cancelJob } from "../../jobs/cancel/cancel-job.ts";
import { eraseJob } from "../../jobs/erasure/erase-job.ts";

const mark = { by: "ann", reason: "wrong customer" };
const asks = { id: "ask", value: { type: "identity" }, suspend: { required_events: 1, timeout: 1_000_000 } };
const nested = (path: string) => ({ id: "sub", value: { type: "flow", path, input_transforms: {} } });

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
  await addFlow(world, "f/t/innermost", [asks]);
  await addFlow(world, "f/t/inner", [nested("f/t/innermost")]);
});

async function settle(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await work(world);
    await playExecutions(world);
  }
}

/** Starts a flow and lets it wait. The returned call cancels it. */
async function startCancelable(value: object[]): Promise<{ run: string; cancel: () => Promise<void> }> {
  const run = await startFlow(world, value);
  await settle();
  const cancel = async () => {
    const job = await world.deps.jobs.get(run);
    if (job) await cancelJob(world.deps, job, mark);
  };
  return { run, cancel };
}

const runningExecutions = (ids: string[]) => world.started.filter(({ job, is }) => ids.includes(job) && is === "running");

describe("cancelJob of a flow whose nested flows wait, whichever of its writes fails,", () => {
  it("ends every flow of the run when the call is repeated or housekeeping runs", async () => {
    const make = async () => {
      const { run, cancel } = await startCancelable([nested("f/t/inner")]);
      expect(await gates(world, run)).toHaveLength(1);
      return {
        act: cancel,
        recover: async () => {
          await cancel().catch((error: unknown) => expect(error).toMatchObject({ code: "job.ended" }));
          // Runs once for each level of nesting: housekeeping ends a flow when it checks the flow after its parent has ended.
          for (let check = 0; check < 3; check += 1) {
            world.clock.nowMs += limits.flowWaitCheckMs + 60_000;
            await housekeep(world);
            await settle();
          }
        },
        check: async () => {
          const jobs = (await listJobs(world)).filter(({ id, root }) => id === run || root === run);
          expect(jobs.map(({ state, cancel: by }) => [state, by])).toEqual([1, 2, 3].map(() => ["canceled", mark]));
          expect(runningExecutions(jobs.map(({ id }) => id))).toEqual([]);
        },
      };
    };
    await expectToSurviveFaults(make, { kinds: ["death"] });
  });
});

describe("cancelJob of a flow that waits for an approval, whichever of its writes fails,", () => {
  it("ends it and stops its execution when the call is repeated", async () => {
    const make = async () => {
      const { run, cancel } = await startCancelable([asks]);
      return {
        act: cancel,
        recover: () => cancel().catch((error: unknown) => expect(error).toMatchObject({ code: "job.ended" })),
        check: async () => {
          expect(await world.deps.jobs.get(run)).toMatchObject({ state: "canceled", cancel: mark });
          expect(runningExecutions([run])).toEqual([]);
        },
      };
    };
    await expectToSurviveFaults(make);
  });
});

/** Runs only the housekeeping of jobs, after the time at which it verifies that an ended flow was stopped. */
async function checkAgain(): Promise<void> {
  world.clock.nowMs += limits.flowWaitCheckMs + 60_000;
  await resumeDue(world);
  await settle();
}
const isDue = async (id: string) =>
  (await world.deps.jobs.listDue(computeShard(id), Number.MAX_SAFE_INTEGER, 1000)).some((entry) => entry.id === id);

describe("the end of a flow that waits for an approval, if the process that ends it dies and is not repeated,", () => {
  const expectStopped = async (run: string, state: string) => {
    const job = await world.deps.jobs.get(run);
    expect([job?.state, runningExecutions([run]).length, await isDue(run)]).toEqual([state, 0, false]);
    expect(job).not.toHaveProperty("stopping");
  };

  it("is completed by housekeeping, which stops the execution of a canceled flow", async () => {
    const make = async () => {
      const { run, cancel } = await startCancelable([asks]);
      return {
        act: cancel,
        recover: async () => {
          // A cancellation that never began has no effect. The flow must not wait in later scenarios.
          if ((await world.deps.jobs.get(run))?.state === "running") await cancel();
        },
        check: async () => {
          await checkAgain();
          await expectStopped(run, "canceled");
        },
      };
    };
    await expectToSurviveFaults(make);
  });

  it("is completed by housekeeping for every level of nested flows", async () => {
    const make = async () => {
      const { run, cancel } = await startCancelable([nested("f/t/inner")]);
      return {
        act: cancel,
        recover: async () => {
          if ((await world.deps.jobs.get(run))?.state === "running") await cancel();
        },
        check: async () => {
          for (let check = 0; check < 2; check += 1) await checkAgain();
          const jobs = (await listJobs(world)).filter(({ id, root }) => id === run || root === run);
          expect(jobs).toHaveLength(3);
          for (const { id } of jobs) await expectStopped(id, "canceled");
        },
      };
    };
    await expectToSurviveFaults(make, { kinds: ["death"] });
  });

  it("is completed by the next tick of housekeeping when the flow has exceeded its time limit", async () => {
    const make = async () => {
      const run = await startFlow(world, [asks], {}, { timeoutS: 60 });
      await settle();
      return {
        act: checkAgain,
        recover: checkAgain,
        check: async () => {
          await checkAgain();
          await expectStopped(run, "failed");
        },
      };
    };
    await expectToSurviveFaults(make, { kinds: ["death"] });
  });

  it("stops the execution even if the job is erased first", async () => {
    const run = await startFlow(world, [asks]);
    await settle();
    const job = await world.deps.jobs.get(run);
    await withFault({ write: 2, moment: "before", kind: "death" }, async () => job && cancelJob(world.deps, job, mark));
    expect(runningExecutions([run])).toHaveLength(1);
    const ended = await world.deps.jobs.get(run);
    if (!ended || !hasEnded(ended)) throw new Error(`The flow is ${ended?.state}.`);
    await eraseJob(world.deps, ended);
    await checkAgain();
    await expectStopped(run, "canceled");
  });
});
