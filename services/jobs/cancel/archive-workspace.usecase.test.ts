import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addJob, addScript, addWorkspace, LEASE_OVER_MS, newIsolation, work } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { resumeDueJobs } from "../../maintenance/resume-due-jobs.ts";
import { setWorkspaceArchived } from "../../workspaces/archive.ts";
import { createWorkspace, listAllWorkspaces } from "../../workspaces/workspaces.ts";
import { archiveWorkspace } from "./archive-workspace.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

const WEEK_MS = 7 * 24 * 3600_000;

/** A workspace with a job in the queue, a job that is scheduled for later, and a flow that waits for an approval. */
async function aWorkspace() {
  const id = `w-${randomUUID().slice(0, 8)}`;
  const own = { ...world, workspace: id };
  await createWorkspace(world.deps, anAdmin, { id, name: id });
  const { hash } = await addScript(own);
  const flow = await startFlow(own, [{ id: "ask", value: { type: "identity" }, suspend: { required_events: 1, timeout: 1_000_000 } }]);
  await playExecutions(own);
  const ids = [flow, (await addJob(own, { hash })).id, (await addJob(own, { hash, scheduledForMs: world.clock.nowMs + WEEK_MS })).id];
  return {
    archive: () => archiveWorkspace(world.deps, { actor: anAdmin, workspace: id }),
    restore: () => setWorkspaceArchived(world.deps, id, false),
    isArchived: async () => (await listAllWorkspaces(world.deps)).find((workspace) => workspace.id === id)?.deleted === true,
    async states(): Promise<string[]> {
      return (await world.deps.jobs.batchGet(ids)).map(({ state }) => state);
    },
    isOpen: () => world.started.some(({ job, is }) => job === flow && is === "running"),
    runs: () => world.runs.filter(({ job }) => ids.includes(job)).length,
  };
}
/** Runs the housekeeping of all jobs that are due after this time. */
async function checkAfter(passedMs: number): Promise<void> {
  world.clock.nowMs += passedMs;
  const inUse = new Set((await listAllWorkspaces(world.deps)).filter(({ deleted }) => !deleted).map(({ id }) => id));
  await resumeDueJobs({ ...world.deps, isolation: newIsolation(world) }, inUse, Number.POSITIVE_INFINITY);
  await work(world);
}

const all = ["canceled", "canceled", "canceled"];

describe("archiveWorkspace, whichever of its writes fails,", () => {
  it("cancels all jobs when the call is repeated, and none of them runs", async () => {
    const make = async () => {
      const { archive, isArchived, states, isOpen, runs } = await aWorkspace();
      return {
        act: archive,
        recover: archive,
        check: async () => {
          expect([await isArchived(), await states(), isOpen(), runs()]).toEqual([true, all, false, 0]);
        },
      };
    };
    await expectToSurviveFaults(make, { kinds: ["death"] });
  });

  it("cancels no job of an active workspace, and all jobs of an archived one, if the call is not repeated", async () => {
    const make = async () => {
      const { archive, isArchived, states, isOpen, runs } = await aWorkspace();
      return {
        act: archive,
        recover: async () => {
          if (await isArchived()) return;
          expect([await states(), isOpen(), runs()]).toEqual([["running", "queued", "queued"], true, 0]);
          await archive();
        },
        check: async () => {
          await checkAfter(LEASE_OVER_MS);
          await checkAfter(WEEK_MS);
          expect([await isArchived(), await states(), isOpen(), runs()]).toEqual([true, all, false, 0]);
        },
      };
    };
    await expectToSurviveFaults(make, { kinds: ["death"] });
  });

  it("can be followed by a restoration: each job is canceled and stopped, or continues", async () => {
    const make = async () => {
      const { archive, restore, isArchived, states, isOpen, runs } = await aWorkspace();
      return {
        act: async () => {
          await archive();
          await restore();
        },
        recover: restore,
        check: async () => {
          await checkAfter(LEASE_OVER_MS);
          const [flow, queued, scheduled] = await states();
          expect([await isArchived(), isOpen()]).toEqual([false, flow === "running"]);
          expect(["canceled", "running"]).toContain(flow);
          expect(["canceled", "succeeded"]).toContain(queued);
          expect(["canceled", "queued"]).toContain(scheduled);
          expect(runs()).toBe(queued === "succeeded" ? 1 : 0);
          // The flow must not wait in later scenarios.
          await archive();
        },
      };
    };
    await expectToSurviveFaults(make, { kinds: ["death"] });
  });
});
