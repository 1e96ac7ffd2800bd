import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { actions } from "../../../../contract/access/actions.ts";
import { limits } from "../../../../contract/limits.ts";
import type { JobListQuery } from "../../../../contract/routes/jobs/job-lists.ts";
import { endedIndexObject } from "../../../../core/jobs/lists/ended-index.ts";
import { type ListScope, matchesJob } from "../../../../core/jobs/lists/filter.ts";
import { buildListKey, computeShard, hasEnded, type Job } from "../../../../core/jobs/record/job.ts";
import { aQueuedJob } from "../../../../test/builders/jobs.ts";
import { newWorld, type World } from "../../../../test/support/use-cases/world.ts";
import { addWorkspace } from "../../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../../test/support/use-cases/world-people.ts";
import type { JobCaller } from "../read.ts";
import { countEndedJobs, countJobs } from "./count.ts";
import { recordEndedIndexStart } from "./ended-index.ts";
import { listJobIds } from "./list.ts";

let world: World;
const person: JobCaller = { actor: anAdmin, action: actions.readRun };
const jobs: Job[] = [];
const parent = randomUUID();
const KINDS = ["script", "preview", "flow"] as const;
const STATES = ["queued", "running", "succeeded", "failed", "canceled", "skipped", "succeeded", "succeeded"] as const;

/** A job whose fields vary with its number, so that each filter selects some and not others. */
function aVariedJob(workspace: string, at: number, createdAtMs: number): Job {
  const state = STATES[at % STATES.length] ?? "queued";
  const queued = aQueuedJob({
    workspace,
    createdAtMs,
    expiresAtMs: createdAtMs + limits.jobRetentionMs,
    kind: KINDS[at % 3] ?? "script",
    path: `f/ops/${["hello", "bye", "hello_all"][at % 3]}`,
    createdBy: ["ann", "ben", "cid"][at % 5 === 0 ? 2 : at % 2] ?? "ann",
    tag: at % 4 === 0 ? "go" : "bun",
    ...(at % 6 === 0 ? { parent } : {}),
    ...(at % 7 === 0 ? { step: { id: "a", scope: "", path: "a", flow: "f/ops/flow" } } : {}),
  });
  if (state === "queued") return queued;
  const started = { startedAtMs: createdAtMs + 5, worker: `worker-${at % 3}`, attempt: 1 };
  if (state === "running") return { ...queued, ...started, state, nonce: "n", leaseUntilMs: createdAtMs + 60_000 };
  return { ...queued, ...started, state, endedAtMs: createdAtMs + 10 + at, result: { in: "head", json: String(at % 3) }, erased: false };
}

beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
  const { deps, workspace, clock } = world;
  const started = clock.nowMs;
  // Jobs before this time count as those of an earlier release, whose end states have no index.
  await deps.objects.put({ ...endedIndexObject.key(), value: { sinceMs: started + 60_000 } });
  for (let at = 0; at < 240; at += 1) {
    const job = aVariedJob(workspace, at, started + at * 1000);
    // A few ended jobs wait for their erasure.
    const dueMs = hasEnded(job) ? (at % 31 === 3 ? started + 1e9 : undefined) : started + 1e6;
    if (at < 60 && hasEnded(job) && dueMs === undefined) {
      await deps.jobs.create(job, started);
      await deps.jobs.update(job.id, { duePartition: deps.jobs.removed, dueAtMs: deps.jobs.removed }, { attr: "id", exists: true });
    } else await deps.jobs.create(job, dueMs);
    jobs.push(job);
  }
  const rare = { ...aVariedJob(workspace, 2, started - 1000), tag: "rare" };
  await deps.jobs.create(rare, undefined);
  jobs.push(rare);
  clock.nowMs = started + 300_000;
});

/** The list by its definition: every job is compared with the whole query. */
function expected(query: JobListQuery, scope: ListScope): string[] {
  const order = query.order_desc === false ? 1 : -1;
  const rank = (job: Job) => (scope === "all" && hasEnded(job) ? 1 : 0);
  const key = (job: Job) => buildListKey(job.createdAtMs, job.id);
  return jobs
    .filter((job) => matchesJob(job, query, scope, world.clock.nowMs))
    .sort((a, b) => rank(a) - rank(b) || order * (key(a) < key(b) ? -1 : 1))
    .map(({ id }) => id);
}

/** Follows the cursors of a list to its end. */
async function listAll(query: JobListQuery, scope: ListScope, workspace = world.workspace): Promise<string[]> {
  const all: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listJobIds(world.deps, person, { workspace, query: { ...query, cursor }, scope });
    all.push(...page.entries);
    cursor = page.next;
  } while (cursor);
  return all;
}

const at = (seconds: number) => new Date(jobs[0] ? jobs[0].createdAtMs + seconds * 1000 : 0).toISOString();
const optional = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });
const queries = fc.record({
  created_by: optional("ann", "ben,cid", "!ann", "*n", "absent"),
  parent_job: optional(parent, `!${parent}`, randomUUID()),
  script_path_exact: optional("f/ops/hello", "f/ops/hello,f/ops/bye", "f/ops/h*"),
  script_path_start: optional("f/ops/hello", "f/o"),
  tag: optional("go", "bun,go", "!go"),
  job_kinds: optional("script", "script,flow", "dependencies"),
  worker: optional("worker-1"),
  success: optional(true, false),
  status: optional("failure", "canceled,skipped", "success", "!success"),
  is_skipped: optional(true, false),
  running: optional(true, false),
  suspended: optional(true, false),
  is_flow_step: optional(true, false),
  has_null_parent: optional(true),
  created_after: optional(20, 100).map((s) => (s === undefined ? undefined : at(s))),
  created_before: optional(90, 200).map((s) => (s === undefined ? undefined : at(s))),
  allow_wildcards: optional(true),
  order_desc: optional(true, false),
  per_page: fc.constantFrom(7, 40, 100),
});

it("a list with any filters contains the jobs that match, in order, when its cursors are followed", async () => {
  await fc.assert(
    fc.asyncProperty(queries, fc.constantFrom<ListScope>("all", "queue", "completed"), async (drawn, scope) => {
      const query: JobListQuery = drawn;
      expect(await listAll(query, scope)).toEqual(expected(query, scope));
    }),
    { numRuns: 60 },
  );
});

/** A list with a limited number of reads: the number of jobs, and those that have the worker and the arguments of the query, newest first. */
interface Limited {
  count: number;
  hasWorker: (at: number) => boolean;
  hasArgs: (at: number) => boolean;
  query: JobListQuery;
}
const limited: [string, Limited][] = [
  // The first page of the index has 60 entries, and the second one the rest, of which 140 may still be read.
  ["jobs", { count: 240, hasWorker: (at) => at % 20 === 0, hasArgs: () => true, query: {} }],
  // After 220 jobs, of which 100 have the worker, no further arguments may be compared.
  [
    "arguments",
    {
      count: 300,
      hasWorker: (at) => (at < 60 ? at % 3 === 0 : at >= 220 || at % 2 === 0),
      hasArgs: (at) => at > 0,
      query: { args: '{"n":1}' },
    },
  ],
];
it.each(limited)(
  "a list has all jobs that match, also if one call may read no more %s",
  async (title, { count, hasWorker, hasArgs, query }) => {
    const workspace = `limited-${title}`;
    const added: Job[] = [];
    while (added.length < count) {
      const at = added.length;
      const args = { in: "head" as const, json: hasArgs(at) ? '{"n":1}' : "{}" };
      const varied = { ...aVariedJob(workspace, 2, world.clock.nowMs - at * 1000), id: randomUUID(), args };
      const job = { ...varied, worker: hasWorker(at) ? "wanted" : "other" };
      // All jobs are in one partition of the index, so that its pages are known.
      if (computeShard(job.id) === 0) added.push(job);
    }
    await Promise.all(added.map((job) => world.deps.jobs.create(job, undefined)));
    const wanted = added.filter((_, at) => hasWorker(at) && hasArgs(at)).map(({ id }) => id);
    expect(await listAll({ ...query, worker: "wanted", per_page: 100 }, "completed", workspace)).toEqual(wanted);
  },
);

it("a list finds a match after the jobs that one search reads", async () => {
  const query = { tag: "rare", per_page: 5 };
  const page = await listJobIds(world.deps, person, { workspace: world.workspace, query, scope: "completed" });
  expect(page.entries).toEqual(expected(query, "completed"));
  expect(page.entries).toHaveLength(1);
});

it("a list without a cursor has the pages of existing clients, of which page 0 is the first", async () => {
  const pageOf = async (page: number) =>
    (await listJobIds(world.deps, person, { workspace: world.workspace, query: { page, per_page: 50 }, scope: "all" })).entries;
  const all = expected({}, "all");
  expect(await pageOf(0)).toEqual(all.slice(0, 50));
  for (const page of [1, 2, 5]) expect(await pageOf(page)).toEqual(all.slice((page - 1) * 50, page * 50));
});

it("a list refuses a page number after the jobs that one request may skip, and reads none", async () => {
  const page = limits.listSkipped / 100 + 2;
  const search = { workspace: world.workspace, query: { page, per_page: 100 }, scope: "all" as const };
  await expect(listJobIds({} as typeof world.deps, person, search)).rejects.toMatchObject({ code: "query.invalid" });
  expect((await listJobIds(world.deps, person, { ...search, query: { page: page - 1, per_page: 100 } })).entries).toEqual([]);
});

it("a list refuses a cursor that it has not returned", async () => {
  for (const cursor of ["x", Buffer.from('{"phase":"all","after":"1"}').toString("base64url")]) {
    const query = { cursor };
    await expect(listJobIds(world.deps, person, { workspace: world.workspace, query, scope: "all" })).rejects.toMatchObject({
      code: "query.invalid",
    });
  }
});

it("a count equals the length of the list, and reads no ended job if the caller sees all", async () => {
  const { deps, workspace } = world;
  const own = { workspace, query: {}, scope: "completed" } as const;
  expect(await countJobs(deps, person, own)).toEqual({ count: expected({}, "completed").length, complete: true });
  expect(await countJobs(deps, person, { ...own, scope: "queue" })).toEqual({ count: expected({}, "queue").length, complete: true });
  for (const query of [{ tags: "go" }, { success: false }, { success: true, tags: "go" }]) {
    const { tags: tag, ...rest } = { tags: undefined, ...query };
    expect(await countEndedJobs(deps, person, workspace, query)).toEqual({
      count: expected({ tag, ...rest }, "completed").length,
      complete: true,
    });
  }
  const recent = world.clock.nowMs - (jobs[150]?.createdAtMs ?? 0) - 20;
  const found = expected({ completed_after: new Date(world.clock.nowMs - recent).toISOString() }, "completed");
  expect(await countEndedJobs(deps, person, workspace, { completed_after_s_ago: recent / 1000 })).toEqual({
    count: found.length,
    complete: true,
  });
  const read: string[] = [];
  const batchGet = (ids: string[]) => {
    read.push(...ids);
    return deps.jobs.batchGet(ids);
  };
  const watched = { ...deps.jobs, batchGet };
  await countJobs({ ...deps, jobs: watched }, person, own);
  // Jobs that have not ended, and those that wait for their erasure.
  expect(read.length).toBeLessThan(80);
});

it("housekeeping records once the time from which unsuccessful jobs are in the index of their state", async () => {
  const before = await world.deps.objects.get(endedIndexObject.key());
  expect(await recordEndedIndexStart(world.deps, [world.workspace])).toBe(false);
  expect(await world.deps.objects.get(endedIndexObject.key())).toEqual(before);
  for (const [workspaces, sinceMs] of [
    [["empty"], 0],
    [["empty", world.workspace], world.clock.nowMs + 20 * 60_000],
  ] as const) {
    await world.deps.objects.deleteItem(endedIndexObject.key());
    expect(await recordEndedIndexStart(world.deps, workspaces)).toBe(true);
    expect(await world.deps.objects.get(endedIndexObject.key())).toMatchObject({ value: { sinceMs } });
  }
});
