import { describe, expect, it } from "vitest";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld } from "../../../test/support/use-cases/world.ts";
import { addJob, addScript, addWorkspace, passTime } from "../../../test/support/use-cases/world-jobs.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { loadLogs } from "../values/values.ts";
import { eraseJob } from "./erase-job.ts";

describe("eraseJob, whichever of its writes fails,", () => {
  it("removes all content of the job once housekeeping has run, and leaves its record", async () => {
    await expectToSurviveFaults(async () => {
      const world = await newWorld();
      const { deps } = world;
      await addWorkspace(world);
      const { hash } = await addScript(world);
      const { id } = await addJob(world, { hash });
      await deps.storage.putObject(`jobs/${world.workspace}/${id}/args#1.json`, "{}", "application/json");
      await handleJobMessage(deps, { job: id, hash });
      const erase = async () => {
        const job = await deps.jobs.get(id);
        if (!job || !hasEnded(job)) throw new Error("The job has not ended.");
        return eraseJob(deps, job);
      };
      return {
        act: erase,
        recover: async () => {
          // An erasure that never began is requested again. Housekeeping completes one that began.
          const job = await deps.jobs.get(id);
          if (job && hasEnded(job) && !job.erased) await erase();
          await passTime(world);
        },
        check: async () => {
          const job = await deps.jobs.get(id);
          if (!job || !hasEnded(job)) throw new Error("The job's record is gone.");
          expect(job).toMatchObject({ erased: true, args: { in: "head", json: "{}" }, result: { in: "head", json: "null" } });
          expect(await loadLogs(deps, job)).toBe("");
          expect((await deps.jobs.listChildren(id, "")).filter(({ ref }) => ref !== "job")).toEqual([]);
          expect(await deps.storage.getObjectEtag(`jobs/${world.workspace}/${id}/args#1.json`)).toBeUndefined();
        },
      };
    });
  });
});
