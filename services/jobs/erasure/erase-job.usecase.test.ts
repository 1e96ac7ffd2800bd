import { describe, expect, it } from "vitest";
import { hasEnded } from "../../../core/jobs/job.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { newRoom } from "../../../test/support/use-cases/room.ts";
import { addJob, addScript, addWorkspace, passTime } from "../../../test/support/use-cases/room-jobs.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { loadLogs } from "../values/values.ts";
import { eraseJob } from "./erase-job.ts";

describe("eraseJob, whichever of its writes fails,", () => {
  it("removes all content of the job once housekeeping has run, and leaves its record", async () => {
    await expectToSurviveFaults(async () => {
      const room = await newRoom();
      const { deps } = room;
      await addWorkspace(room);
      const { hash } = await addScript(room);
      const { id } = await addJob(room, { hash });
      await deps.storage.putObject(`jobs/${room.workspace}/${id}/args#1.json`, "{}", "application/json");
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
          await passTime(room);
        },
        check: async () => {
          const job = await deps.jobs.get(id);
          if (!job || !hasEnded(job)) throw new Error("The job's record is gone.");
          expect(job).toMatchObject({ erased: true, args: { in: "head", json: "{}" }, result: { in: "head", json: "null" } });
          expect(await loadLogs(deps, job)).toBe("");
          expect((await deps.jobs.listChildren(id, "")).filter(({ ref }) => ref !== "job")).toEqual([]);
          expect(await deps.storage.getObjectEtag(`jobs/${room.workspace}/${id}/args#1.json`)).toBeUndefined();
        },
      };
    });
  });
});
