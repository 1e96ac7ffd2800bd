import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld } from "../../../test/support/use-cases/world.ts";
import { addJob, addScript, addWorkspace, passTime, work } from "../../../test/support/use-cases/world-jobs.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { claimWithSlot } from "./concurrency.ts";

describe("a job of a concurrency group of one, whichever write of its claim and run fails,", () => {
  it("runs once it has a slot, and passes the slot to the waiting job", async () => {
    const make = async () => {
      const world = await newWorld();
      const { deps } = world;
      await addWorkspace(world);
      const { hash } = await addScript(world);
      const concurrency = { group: randomUUID().replaceAll("-", ""), limit: 1 };
      const [first, second] = [await addJob(world, { hash, concurrency }), await addJob(world, { hash, concurrency })];
      let running = 0;
      let most = 0;
      const { run } = world.answers;
      world.answers.run = async (request) => {
        running += 1;
        most = Math.max(most, running);
        const answer = await run(request);
        running -= 1;
        return answer;
      };
      return {
        act: async () => {
          const message = (job: string) => ({ job, hash, group: concurrency.group });
          await Promise.all([
            handleJobMessage(deps, message(first.id)),
            claimWithSlot(deps, second.id, concurrency.group).catch(() => undefined),
          ]);
          await work(world);
        },
        recover: () => passTime(world, 3),
        check: async () => {
          await passTime(world, 3);
          const states = (await deps.jobs.batchGet([first.id, second.id])).map(({ state }) => state);
          expect(states).toEqual(["succeeded", "succeeded"]);
          expect(most).toBe(1);
          const { group } = await deps.concurrency.get(`limit#${concurrency.group}`, "");
          expect(group).toMatchObject({ slots: [], waiting: false });
        },
      };
    };
    await expectToSurviveFaults(make, { kinds: ["death"] });
  });
});
