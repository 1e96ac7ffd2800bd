import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { outcomeRef } from "../../../core/flows/journal.ts";
import { ROOT } from "../../../core/flows/scopes.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { newRoom, type Room } from "../../../test/support/use-cases/room.ts";
import { playExecutions, startFlow } from "../../../test/support/use-cases/room-flows.ts";
import { addWorkspace, passLease, work } from "../../../test/support/use-cases/room-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/room-people.ts";
import { restartFlow } from "./restart.ts";

const identity = (id: string, more: object = {}) => ({ id, value: { type: "identity" }, ...more });

let room: Room;
let origin: Job;
beforeAll(async () => {
  room = await newRoom();
  await addWorkspace(room);
  // Enough modules for their outcomes to be an item of their own.
  const id = await startFlow(room, [
    ...Array.from({ length: 6 }, (_, index) => identity(`x${index}`)),
    identity("a"),
    identity("b"),
    identity("c"),
  ]);
  await playExecutions(room);
  const found = await room.deps.jobs.get(id);
  if (found?.state !== "succeeded") throw new Error(`The first flow is ${found?.state}.`);
  origin = found;
  room.clock.nowMs += 3_600_000;
});

const restart = (id: string, step_id: string) => restartFlow(room.deps, anAdmin, origin, { request: { step_id }, fields: { id } });

async function finish(id: string): Promise<void> {
  await work(room);
  await playExecutions(room);
  // A message that was lost is sent by housekeeping.
  await passLease(room, 1);
  await playExecutions(room);
  expect(await room.deps.jobs.get(id)).toMatchObject({ state: "succeeded" });
  expect(room.started.filter(({ job }) => job === id)).toHaveLength(1);
}

/** Which of the modules ran in this job. An outcome is stored for as long as the job that wrote it, so those of the first job expire earlier. */
async function modulesRun(id: string): Promise<string[]> {
  const modules = ["x0", "a", "b", "c"];
  const outcomes = await Promise.all(modules.map((module) => room.deps.jobs.getChild(id, outcomeRef(module, ROOT, ""))));
  const first = Math.ceil(origin.expiresAtMs / 1000);
  return modules.filter((_, index) => outcomes[index]?.expiresAtS !== first);
}

describe("restartFlow, whichever of its writes fails,", () => {
  it("starts one job that runs the step and those after it, when the call is repeated", async () => {
    await expectToSurviveFaults(async () => {
      const id = randomUUID();
      return {
        act: () => restart(id, "b"),
        recover: () => restart(id, "b").catch((error: unknown) => expect(error).toMatchObject({ code: "job.idTaken" })),
        check: async () => {
          await finish(id);
          expect(await modulesRun(id)).toEqual(["b", "c"]);
        },
      };
    });
  });

  it("leaves nothing that a later call with the same job id would take for its own steps", async () => {
    await expectToSurviveFaults(async () => {
      const id = randomUUID();
      let later = false;
      return {
        act: () => restart(id, "c"),
        recover: async () => {
          later = await restart(id, "a").then(
            () => true,
            () => false,
          );
        },
        check: async () => {
          await finish(id);
          expect(await modulesRun(id)).toEqual(later ? ["a", "b", "c"] : ["c"]);
        },
      };
    });
  });

  it("starts one flow when a worker loses the job while it begins", async () => {
    const { deps } = room;
    await expectToSurviveFaults(
      async () => {
        const id = randomUUID();
        return {
          act: async () => {
            await restart(id, "b");
            await work(room);
          },
          recover: () => passLease(room),
          check: async () => {
            if (!(await deps.jobs.get(id))) return;
            await finish(id);
            expect(await modulesRun(id)).toEqual(["b", "c"]);
          },
        };
      },
      { kinds: ["death"] },
    );
  });
});

describe("two restarts with one job id at once", () => {
  it("start one flow, which runs what its own call asked for", async () => {
    for (const steps of [
      ["a", "c"],
      ["c", "a"],
    ] as const) {
      const id = randomUUID();
      const answered = await Promise.allSettled(steps.map((step) => restart(id, step)));
      const accepted = steps.filter((_, index) => answered[index]?.status === "fulfilled");
      expect(accepted).toHaveLength(1);
      expect(answered.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "job.idTaken" } });
      await finish(id);
      expect(await modulesRun(id)).toEqual(accepted[0] === "a" ? ["a", "b", "c"] : ["c"]);
    }
  });
});
