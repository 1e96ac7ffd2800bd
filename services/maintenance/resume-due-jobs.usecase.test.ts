import { beforeEach, describe, expect, it } from "vitest";
import { anchorObject } from "../../core/approvals/anchor.ts";
import { grownChainObject } from "../../core/approvals/record.ts";
import { SHARDS } from "../../core/jobs/record/job.ts";
import type { JobStore } from "../../ports/job-store.ts";
import { withFault } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addJob, addWorkspace, LEASE_OVER_MS, newIsolation } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { deleteWorkspace } from "../workspaces/archive.ts";
import { createWorkspace } from "../workspaces/workspaces.ts";
import { periodicTasks } from "./periodic-tasks.ts";
import { resumeDueJobs } from "./resume-due-jobs.ts";
import { runPeriodicTasks } from "./run-periodic-tasks.ts";

let world: World;
beforeEach(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

async function resume(jobs: JobStore = world.deps.jobs) {
  const failures: unknown[] = [];
  const sent = await resumeDueJobs(
    { ...world.deps, jobs, isolation: newIsolation(world, failures) },
    new Set([world.workspace]),
    Number.POSITIVE_INFINITY,
  );
  if (failures.length > 0) throw failures[0];
  return sent;
}
async function addJobs(count: number, fields: (index: number) => Parameters<typeof addJob>[1] = () => ({})): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 50) {
    const added = await Promise.all(Array.from({ length: Math.min(50, count - at) }, (_, index) => addJob(world, fields(at + index))));
    ids.push(...added.map(({ id }) => id));
  }
  return ids;
}
const takeSent = async () => (await world.messages()).map(({ job }) => job);

describe("resumeDueJobs", () => {
  it("sends each of 2,000 due jobs once although two ticks overlap and one of them dies", async () => {
    const ids = await addJobs(2000);
    world.clock.nowMs += LEASE_OVER_MS;
    // The second tick starts when the first has claimed jobs, and the first dies before it has claimed a page, so before it sends a message.
    const claimed = Promise.withResolvers<void>();
    const update: JobStore["update"] = async (...args) => {
      const found = await world.deps.jobs.update(...args);
      if (found) claimed.resolve();
      return found;
    };
    const dying = withFault({ write: 60, moment: "before", kind: "death" }, () => resume({ ...world.deps.jobs, update }));
    await claimed.promise;
    await resume();
    expect((await dying).ended.status).toBe("rejected");
    const sent = await takeSent();
    // The workers have taken them.
    for (let at = 0; at < sent.length; at += 50) {
      await Promise.all(sent.slice(at, at + 50).map((id) => world.deps.jobs.deleteItem(id, "job")));
    }
    world.clock.nowMs += LEASE_OVER_MS;
    await resume();
    const late = await takeSent();
    expect([...sent, ...late].sort()).toEqual(ids.sort());
    // The dead tick had claimed them: at most one page of each shard.
    expect(late.length).toBeGreaterThan(0);
    expect(late.length).toBeLessThanOrEqual(100 * SHARDS);
  });

  it("sends jobs with a priority to their own queue, and jobs of a concurrency group with the group", async () => {
    const group = { group: "g".repeat(32), limit: 1 };
    await addJobs(30, (index) => ({ ...(index % 3 === 0 ? { priority: 5 } : {}), ...(index % 3 === 1 ? { concurrency: group } : {}) }));
    world.clock.nowMs += LEASE_OVER_MS;
    expect(await resume()).toMatchObject({ sent: 30 });
    const messages = await world.messages();
    expect(messages.filter((message) => "group" in message && message.group === group.group)).toHaveLength(10);
    // The messages of the queue of priorities are read last.
    const jobs = new Map((await world.deps.jobs.batchGet(messages.map(({ job }) => job))).map((job) => [job.id, job]));
    expect(messages.map(({ job }) => (jobs.get(job)?.priority ? "high" : "normal"))).toEqual([
      ...Array(20).fill("normal"),
      ...Array(10).fill("high"),
    ]);
  });

  it("sends a waiting job again after 75 s, then after twice the time, so that a long queue does not fill with copies", async () => {
    await addJob(world);
    let sent = 0;
    for (let minute = 0; minute < 60; minute += 1) {
      world.clock.nowMs += 60_000;
      await resume();
      sent += (await takeSent()).length;
    }
    expect(sent).toBeGreaterThanOrEqual(6);
    expect(sent).toBeLessThanOrEqual(8);
  });
});

describe("housekeeping, although due jobs never run out,", () => {
  it("signs the heads of chains and removes deleted workspaces in each tick", async () => {
    const { deps } = world;
    const id = `b-${world.workspace}`;
    await createWorkspace(deps, anAdmin, { id, name: id });
    await deps.objects.put({ pk: `VAR#${id}`, sk: "f/t/v", value: {} });
    await deleteWorkspace(deps, id, "ann");
    await deps.objects.put(grownChainObject.key(world.workspace, "2026-01-01", "0-root"));
    let listed = 0;
    const listDuePage: typeof deps.jobs.listDuePage = async () => {
      listed += 1;
      const entry = { id: "00000000-0000-4000-8000-000000000000", ref: "job", workspace: world.workspace, dueAtMs: 0 };
      return { entries: [entry], after: {} };
    };
    const { failed } = await runPeriodicTasks(
      periodicTasks({ ...deps, jobs: { ...deps.jobs, listDuePage }, isolation: newIsolation(world) }),
      {
        untilMs: Date.now() + 3000,
        onTaskFailed: (name, error) => expect.fail(`${name}: ${String(error)}`),
      },
    );
    expect(failed).toEqual([]);
    expect(listed).toBeGreaterThan(10);
    expect(await deps.objects.get(anchorObject.key(world.workspace, 1))).toBeDefined();
    expect(await deps.objects.get({ pk: `VAR#${id}`, sk: "f/t/v" })).toBeUndefined();
  });
});
