import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { canceledEnding } from "../../../core/jobs/lifecycle.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import type { Room } from "../../../test/support/use-cases/room.ts";
import { addJob, newScriptRoom, passLease, work } from "../../../test/support/use-cases/room-jobs.ts";
import { endJob } from "../lifecycle/finish.ts";
import { claimWithSlot, reconcileGroup } from "./concurrency.ts";

let room: Room;
let hash: string;
beforeAll(async () => {
  ({ room, hash } = await newScriptRoom());
});

const runsOf = (id: string) => room.runs.filter(({ job }) => job === id).length;

/** A group of one whose slot was never released, because the function that ended its job died, and two jobs that wait for it. */
async function aStuckGroup() {
  const { deps } = room;
  const group = randomUUID().replaceAll("-", "");
  const concurrency = { group, limit: 1 };
  const first = await addJob(room, { hash, concurrency });
  const claimed = await claimWithSlot(deps, first.id, group);
  if (!claimed) throw new Error("The first job has got no slot.");
  const others = [await addJob(room, { hash, concurrency }), await addJob(room, { hash, concurrency })].map(({ id }) => id);
  for (const id of others) expect(await claimWithSlot(deps, id, group)).toBeUndefined();
  await endJob(deps, claimed, canceledEnding({ by: "ann", reason: "" }));
  await room.messages();
  return {
    others,
    reconcile: () => reconcileGroup(deps, `limit#${group}`),
    load: async () => (await deps.concurrency.get(`limit#${group}`, room.workspace)).group,
  };
}

async function expectAllRanOnce(ids: string[]): Promise<void> {
  const states = (await room.deps.jobs.batchGet(ids)).map(({ id, state }) => [state, runsOf(id)]);
  expect(states).toEqual(ids.map(() => ["succeeded", 1]));
}

describe("reconcileGroup, whichever of its writes fails,", () => {
  it("gives the slot of a job that has ended to those that wait, one after the other", async () => {
    await expectToSurviveFaults(async () => {
      const { others, reconcile, load } = await aStuckGroup();
      return {
        act: reconcile,
        recover: () => passLease(room, 1),
        check: async () => {
          await work(room);
          await passLease(room, 2);
          await expectAllRanOnce(others);
          expect(await load()).toMatchObject({ slots: [], waiting: false });
        },
      };
    });
  });

  it("gives the slot once when two ticks look at once", async () => {
    const { others, reconcile, load } = await aStuckGroup();
    await Promise.all([reconcile(), reconcile(), reconcile()]);
    expect((await load()).slots).toMatchObject([{ state: "promised" }]);
    await work(room);
    await passLease(room, 1);
    await expectAllRanOnce(others);
  });
});
