import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { canceledEnding } from "../../../core/jobs/record/lifecycle.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import type { World } from "../../../test/support/use-cases/world.ts";
import { addJob, newScriptWorld, passLease, work } from "../../../test/support/use-cases/world-jobs.ts";
import { endJob } from "../lifecycle/end/end-job.ts";
import { claimWithSlot, reconcileGroup } from "./concurrency.ts";

let world: World;
let hash: string;
beforeAll(async () => {
  ({ world, hash } = await newScriptWorld());
});

const runsOf = (id: string) => world.runs.filter(({ job }) => job === id).length;

/** A group with a limit of one whose slot was never released, because the function that ended its job died, and two jobs that wait for it. */
async function aStuckGroup() {
  const { deps } = world;
  const group = randomUUID().replaceAll("-", "");
  const concurrency = { group, limit: 1 };
  const first = await addJob(world, { hash, concurrency });
  const claimed = await claimWithSlot(deps, first.id, group);
  if (!claimed) throw new Error("The first job has got no slot.");
  const others = [await addJob(world, { hash, concurrency }), await addJob(world, { hash, concurrency })].map(({ id }) => id);
  for (const id of others) expect(await claimWithSlot(deps, id, group)).toBeUndefined();
  await endJob(deps, claimed, canceledEnding({ by: "ann", reason: "" }));
  await world.messages();
  return {
    others,
    reconcile: () => reconcileGroup(deps, `limit#${group}`),
    load: async () => (await deps.concurrency.get(`limit#${group}`, world.workspace)).group,
  };
}

async function expectAllRanOnce(ids: string[]): Promise<void> {
  const states = (await world.deps.jobs.batchGet(ids)).map(({ id, state }) => [state, runsOf(id)]);
  expect(states).toEqual(ids.map(() => ["succeeded", 1]));
}

describe("reconcileGroup, whichever of its writes fails,", () => {
  it("gives the slot of a job that has ended to those that wait, one after the other", async () => {
    await expectToSurviveFaults(async () => {
      const { others, reconcile, load } = await aStuckGroup();
      return {
        act: reconcile,
        recover: () => passLease(world, 1),
        check: async () => {
          await work(world);
          await passLease(world, 2);
          await expectAllRanOnce(others);
          expect(await load()).toMatchObject({ slots: [], waiting: false });
        },
      };
    });
  });

  it("assigns the slot once when two ticks run at the same time", async () => {
    const { others, reconcile, load } = await aStuckGroup();
    await Promise.all([reconcile(), reconcile(), reconcile()]);
    expect((await load()).slots).toMatchObject([{ state: "promised" }]);
    await work(world);
    await passLease(world, 1);
    await expectAllRanOnce(others);
  });
});
