import { beforeAll, expect, it } from "vitest";
import { actions } from "../../../../contract/access/actions.ts";
import { limits } from "../../../../contract/limits.ts";
import type { JobStatsQuery } from "../../../../contract/routes/jobs/job-lists.ts";
import { aQueuedJob } from "../../../../test/builders/jobs.ts";
import { newWorld, type World } from "../../../../test/support/use-cases/world.ts";
import { addWorkspace } from "../../../../test/support/use-cases/world-jobs.ts";
import { anAdmin, aReader } from "../../../../test/support/use-cases/world-people.ts";
import { loadJobStats } from "./stats.ts";

const HOUR_MS = 3_600_000;
let world: World;
let startMs: number;

beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
  const { deps, workspace, clock } = world;
  startMs = Math.ceil(clock.nowMs / HOUR_MS) * HOUR_MS;
  const ended = { startedAtMs: 0, worker: "w", attempt: 1, result: { in: "head", json: "1" }, erased: false } as const;
  for (let at = 0; at < 40; at += 1) {
    const createdAtMs = startMs + at * 6 * 60_000;
    const job = aQueuedJob({ workspace, createdAtMs, expiresAtMs: createdAtMs + limits.jobRetentionMs, path: `f/${at % 2 ? "a" : "b"}/x` });
    const startedAtMs = createdAtMs + 10;
    if (at === 39) await deps.jobs.create(job, createdAtMs);
    else {
      const state = at % 10 === 0 ? ("failed" as const) : ("succeeded" as const);
      await deps.jobs.create({ ...job, ...ended, state, startedAtMs, endedAtMs: startedAtMs + at }, undefined);
    }
  }
  clock.nowMs = startMs + 4 * HOUR_MS - 1;
});

const statsOf = (query: JobStatsQuery = {}, deps = world.deps, actor = anAdmin) =>
  loadJobStats(deps, { actor, action: actions.readRun }, world.workspace, query);

it("the statistics contain every job of the range that matches and that the caller may see", async () => {
  const all = await statsOf();
  expect(all).toMatchObject({ partial: false, bucket: 3600, to: new Date(startMs + 4 * HOUR_MS).toISOString() });
  expect(all.buckets.map(({ counts }) => counts)).toEqual([
    ...[1, 2, 3].map(() => ({ failed: 1, succeeded: 9 })),
    { failed: 1, succeeded: 8, queued: 1 },
  ]);
  expect(all.buckets[1]).toMatchObject({ p50_ms: 14, p95_ms: 19, max_ms: 19 });
  const failed = await statsOf({ status: "failure", created_after: new Date(startMs + HOUR_MS - 1).toISOString() });
  expect(failed.buckets.map(({ counts }) => counts)).toEqual([{ failed: 1 }, { failed: 1 }, { failed: 1 }]);
  const seen = await statsOf({}, world.deps, aReader(world.workspace, ["a"]));
  expect(seen.buckets.map(({ counts }) => counts)).toEqual([
    { succeeded: 5 },
    { succeeded: 5 },
    { succeeded: 5 },
    { succeeded: 4, queued: 1 },
  ]);
});

it("errors of all failed jobs that match are counted by name and message, as their previews show them", async () => {
  const { deps, workspace } = world;
  const fail = async (json: string, fields: object = {}) => {
    const createdAtMs = startMs + 60_000;
    const job = aQueuedJob({ workspace, createdAtMs, expiresAtMs: createdAtMs + limits.jobRetentionMs, path: "f/errors/x", ...fields });
    const ended = { startedAtMs: createdAtMs, endedAtMs: createdAtMs + 1, worker: "w", attempt: 1, erased: false } as const;
    await deps.jobs.create({ ...job, ...ended, state: "failed", result: { in: "head", json }, ...fields }, undefined);
  };
  const toJson = (name: string, message: string) => JSON.stringify({ error: { name, message } });
  await Promise.all([1, 2].map(() => fail(toJson("TypeError", "no a"))));
  await fail(toJson("TypeError", "no b"));
  await fail(toJson("TypeError", "no a"), { path: "f/hidden/x" });
  await fail(toJson("Late", "erased"), { erased: true });
  await Promise.all(Array.from({ length: limits.statsErrors }, (_, at) => fail(toJson("Many", `${at}`), { path: "f/many/x" })));
  const query = { script_path_start: "f/errors", created_after: new Date(startMs - 1).toISOString() };
  expect(await statsOf(query)).toMatchObject({
    error_kinds: 2,
    errors: [
      { name: "TypeError", message: "no a", count: 2 },
      { name: "TypeError", message: "no b", count: 1 },
    ],
  });
  const seen = await statsOf({ ...query, script_path_start: "f/" }, world.deps, aReader(workspace, ["hidden"]));
  expect(seen.errors).toEqual([{ name: "TypeError", message: "no a", count: 1 }]);
  const many = await statsOf({ ...query, script_path_start: "f/" });
  expect(many.error_kinds).toBe(limits.statsErrors + 2);
  expect(many.errors).toHaveLength(limits.statsErrors);
});

it("a range with more buckets than a reply has is refused", async () => {
  const query = { bucket: 60, created_after: new Date(startMs).toISOString() };
  await expect(statsOf(query)).rejects.toMatchObject({ code: "query.invalid" });
  expect((await statsOf({ bucket: 60 })).buckets.length).toBeLessThanOrEqual(limits.statsBuckets);
});

it("statistics of more jobs than one request reads say from when on they are complete", async () => {
  // Each id is listed many times, as if there were as many jobs.
  const { jobs } = world.deps;
  const times = Math.ceil((limits.statsReads * 4) / 39);
  const list: typeof jobs.list = async (query) => {
    const page = await jobs.list(query);
    return { ...page, entries: page.entries.flatMap((entry) => Array.from({ length: times }, () => entry)) };
  };
  let read = 0;
  const batchGet = (ids: string[]) => {
    read += ids.length;
    return jobs.batchGet([...new Set(ids)]);
  };
  const stats = await statsOf({}, { ...world.deps, jobs: { ...jobs, list, batchGet } });
  expect(read).toBeLessThanOrEqual(limits.statsReads + limits.listQueue);
  expect(stats.partial).toBe(true);
  expect(Date.parse(stats.complete_from ?? "")).toBeGreaterThan(startMs);
});
