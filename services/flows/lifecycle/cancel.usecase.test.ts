import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { newRoom, type Room } from "../../../test/support/use-cases/room.ts";
import { addFlow, gates, playExecutions, startFlow } from "../../../test/support/use-cases/room-flows.ts";
import { addWorkspace, housekeep, listJobs, work } from "../../../test/support/use-cases/room-jobs.ts";
import { cancelJob } from "../../jobs/cancel/cancel-job.ts";

const mark = { by: "ann", reason: "wrong customer" };
const asks = { id: "ask", value: { type: "identity" }, suspend: { required_events: 1, timeout: 1_000_000 } };
const nested = (path: string) => ({ id: "sub", value: { type: "flow", path, input_transforms: {} } });

let room: Room;
beforeAll(async () => {
  room = await newRoom();
  await addWorkspace(room);
  await addFlow(room, "f/t/innermost", [asks]);
  await addFlow(room, "f/t/inner", [nested("f/t/innermost")]);
});

async function settle(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await work(room);
    await playExecutions(room);
  }
}

const runningExecutions = (ids: string[]) => room.started.filter(({ job, is }) => ids.includes(job) && is === "running");

describe("cancelJob of a flow whose nested flows wait, whichever of its writes fails,", () => {
  it("ends every flow of the run when the call is repeated or housekeeping looks", async () => {
    const make = async () => {
      const run = await startFlow(room, [nested("f/t/inner")]);
      await settle();
      expect(await gates(room, run)).toHaveLength(1);
      const cancel = async () => {
        const job = await room.deps.jobs.get(run);
        if (job) await cancelJob(room.deps, job, mark);
      };
      return {
        act: cancel,
        recover: async () => {
          await cancel().catch((error: unknown) => expect(error).toMatchObject({ code: "job.ended" }));
          // Once for each level of nesting: a flow is ended when housekeeping looks at it after its parent has ended.
          for (let look = 0; look < 3; look += 1) {
            room.clock.nowMs += limits.flowWaitLookMs + 60_000;
            await housekeep(room);
            await settle();
          }
        },
        check: async () => {
          const jobs = (await listJobs(room)).filter(({ id, root }) => id === run || root === run);
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
      const run = await startFlow(room, [asks]);
      await settle();
      const cancel = async () => {
        const job = await room.deps.jobs.get(run);
        if (job) await cancelJob(room.deps, job, mark);
      };
      return {
        act: cancel,
        recover: () => cancel().catch((error: unknown) => expect(error).toMatchObject({ code: "job.ended" })),
        check: async () => {
          expect(await room.deps.jobs.get(run)).toMatchObject({ state: "canceled", cancel: mark });
          expect(runningExecutions([run])).toEqual([]);
        },
      };
    };
    await expectToSurviveFaults(make);
  });
});
