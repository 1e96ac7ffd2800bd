import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newRoom, type Room } from "../../test/support/use-cases/room.ts";
import { addJob, addWorkspace } from "../../test/support/use-cases/room-jobs.ts";
import { storeValueOutsideHead } from "../jobs/values/values.ts";
import { removeExpired } from "./remove-expired.ts";

let room: Room;
beforeAll(async () => {
  room = await newRoom();
  await addWorkspace(room);
});

describe("removeExpired of several jobs, whichever of its writes fails,", () => {
  it("removes each expired job with its items and objects, and no other job, when the next tick runs", async () => {
    await expectToSurviveFaults(async () => {
      const { deps, clock, workspace } = room;
      const createdAtMs = clock.nowMs;
      const expired = await Promise.all(
        ["m".repeat(2000), "l".repeat(20_000)].map(async (text) => {
          const job = await addJob(room, { createdAtMs, expiresAtMs: createdAtMs + limits.jobRetentionMs });
          const location = await storeValueOutsideHead(deps, job, "result", JSON.stringify(text));
          return { job, key: location.in === "s3" ? location.key : undefined };
        }),
      );
      clock.nowMs += limits.jobRetentionMs + 60_000;
      const other = await addJob(room);
      const sweep = () => removeExpired(deps, [workspace], Number.POSITIVE_INFINITY);
      return {
        act: sweep,
        recover: sweep,
        check: async () => {
          for (const { job, key } of expired) {
            expect(await deps.jobs.get(job.id, { expired: true })).toBeUndefined();
            expect(await deps.jobs.listChildren(job.id, "")).toEqual([]);
            if (key !== undefined) expect(await deps.storage.getObjectEtag(key)).toBeUndefined();
          }
          expect(await deps.jobs.get(other.id)).toBeDefined();
        },
      };
    });
  });
});
