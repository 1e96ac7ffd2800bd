import { describe, expect, it } from "vitest";
import { hasEnded } from "../../core/jobs/job.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newRoom, success } from "../../test/support/use-cases/room.ts";
import { addJob, addScript, addWorkspace, passTime } from "../../test/support/use-cases/room-jobs.ts";
import { loadLogs, loadValue } from "../jobs/values/values.ts";
import { handleJobMessage } from "./handle-job-message.ts";

/** A result that fits the head, one that is a separate item, and one that S3 holds. */
const results = { small: 1, "middle-sized": "m".repeat(2000), large: "l".repeat(20_000) };

describe("handleJobMessage, whichever of its writes fails,", () => {
  it.each(Object.entries(results))("ends the job once, with its %s result and its logs", async (_, result) => {
    const writes = await expectToSurviveFaults(async () => {
      const room = await newRoom();
      const { deps } = room;
      await addWorkspace(room);
      const { hash } = await addScript(room);
      const { id } = await addJob(room, { hash, cacheTtlS: 600 });
      room.answers.run = async () => success(result);
      return {
        act: () => handleJobMessage(deps, { job: id, hash }),
        recover: () => passTime(room),
        check: async () => {
          const job = await deps.jobs.get(id);
          if (!job || !hasEnded(job)) throw new Error(`The job is ${job?.state}.`);
          expect(job.state).toBe("succeeded");
          expect(JSON.parse(await loadValue(deps, job, job.result))).toEqual(result);
          expect(await loadLogs(deps, job)).toContain("a line\n");
          expect(await deps.jobs.listDue(0, Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
        },
      };
    });
    expect(writes).toBeGreaterThanOrEqual(3);
  });
});
