import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { workspaceObject } from "../../../core/workspaces/workspace.ts";
import { aQueuedJob } from "../../../test/builders/jobs.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld } from "../../../test/support/use-cases/world.ts";
import { createJobRecord } from "./create-job-record.ts";

describe("createJobRecord with an Idempotency-Key, whichever of its writes fails,", () => {
  it("records one job for the key, and the repeated call returns or creates it", async () => {
    await expectToSurviveFaults(async () => {
      const world = await newWorld();
      const { deps, workspace, clock } = world;
      const expiresAtMs = clock.nowMs + limits.jobRetentionMs;
      const key = { ...workspaceObject.key(workspace), pk: `IDEMPOTENCY#${workspace}` };
      const idempotencyKey = { key, fingerprint: "same", retentionMs: 60_000 };
      const ids = [randomUUID(), randomUUID()];
      const call = (id: string | undefined) =>
        createJobRecord(deps, aQueuedJob({ id: id ?? "", workspace, createdAtMs: clock.nowMs, expiresAtMs }), idempotencyKey);
      return {
        act: () => call(ids[0]),
        recover: () => call(ids[1]),
        check: async () => {
          const made = await deps.jobs.batchGet(ids);
          expect(made).toHaveLength(1);
          expect((await deps.objects.get(key))?.value).toMatchObject({ job: made[0]?.id });
        },
      };
    });
  });
});
