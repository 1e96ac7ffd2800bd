import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { actions } from "../../../contract/access/actions.ts";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import type { World } from "../../../test/support/use-cases/world.ts";
import { playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addJob, LEASE_OVER_MS, newScriptWorld, resumeDue, work } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin, aReader } from "../../../test/support/use-cases/world-people.ts";
import { cancelJobsOfPath, cancelSelectedJobs } from "./cancel-selected-jobs.ts";

const mark = { by: "ann", reason: "wrong customer" };

let world: World;
let hash: string;
beforeAll(async () => {
  ({ world, hash } = await newScriptWorld());
});

/** Two jobs that wait in the queue, and between them a flow that waits for an approval. */
async function aSelection() {
  const flow = await startFlow(world, [{ id: "ask", value: { type: "identity" }, suspend: { required_events: 1, timeout: 1_000_000 } }]);
  await playExecutions(world);
  const ids = [(await addJob(world, { hash })).id, flow, (await addJob(world, { hash })).id];
  const caller = { actor: anAdmin, action: actions.readRun };
  const selection = { workspace: world.workspace, ids: [...ids, randomUUID()] };
  return {
    flow,
    ids,
    cancel: () => cancelSelectedJobs(world.deps, caller, selection, mark),
    async states(): Promise<string[]> {
      return (await world.deps.jobs.batchGet(ids)).map(({ state }) => state);
    },
    isOpen: () => world.started.some(({ job, is }) => job === flow && is === "running"),
    runs: () => world.runs.filter(({ job }) => ids.includes(job)).length,
  };
}
async function checkAgain(): Promise<void> {
  world.clock.nowMs += LEASE_OVER_MS;
  await resumeDue(world);
  await work(world);
}

describe("cancelSelectedJobs, whichever of its writes fails,", () => {
  it("ends all of the jobs when the call is repeated, and none of them runs", async () => {
    await expectToSurviveFaults(async () => {
      const { cancel, states, isOpen, runs, ids } = await aSelection();
      const canceled: string[] = [];
      const act = async () => void canceled.push(...(await cancel()));
      return {
        act,
        recover: act,
        check: async () => {
          await checkAgain();
          expect([await states(), isOpen(), runs()]).toEqual([["canceled", "canceled", "canceled"], false, 0]);
          // A repeated call lists the jobs that it has canceled itself.
          expect(ids).toEqual(expect.arrayContaining(canceled));
        },
      };
    });
  });

  it("leaves each job canceled and stopped, or as it was, when the call is not repeated", async () => {
    await expectToSurviveFaults(async () => {
      const { cancel, isOpen, flow, ids } = await aSelection();
      return {
        act: cancel,
        recover: async () => undefined,
        check: async () => {
          await checkAgain();
          for (const job of await world.deps.jobs.batchGet(ids)) {
            const expected = job.id === flow ? (hasEnded(job) ? "canceled" : "running") : job.cancel ? "canceled" : "succeeded";
            expect(job.state).toBe(expected);
            expect(world.runs.filter((run) => run.job === job.id)).toHaveLength(expected === "succeeded" ? 1 : 0);
          }
          expect(isOpen()).toBe((await world.deps.jobs.get(flow))?.state === "running");
          // The flow must not wait in later scenarios.
          await cancel();
        },
      };
    });
  });
});

it("canceling the jobs of a path cancels those that have not ended, and no job of another path", async () => {
  const path = `f/t/${randomUUID()}`;
  const own = [(await addJob(world, { hash, path })).id, (await addJob(world, { hash, path })).id];
  const other = await addJob(world, { hash, path: `${path}2` });
  const cancel = (actor = anAdmin) =>
    cancelJobsOfPath(world.deps, { actor, action: actions.readRun }, { workspace: world.workspace, path }, mark);
  expect(await cancel(aReader(world.workspace, []))).toEqual({ canceled: 0, hasMore: false });
  expect(await cancel()).toEqual({ canceled: 2, hasMore: false });
  expect((await world.deps.jobs.batchGet(own)).map(({ state }) => state)).toEqual(["canceled", "canceled"]);
  expect(await cancel()).toEqual({ canceled: 0, hasMore: false });
  expect(await world.deps.jobs.get(other.id)).toMatchObject({ state: "queued" });
});
