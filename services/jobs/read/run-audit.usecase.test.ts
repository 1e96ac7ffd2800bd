import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { AuditJson, AuditQuery } from "../../../contract/routes/workspaces/audit.ts";
import { matchesAuditQuery } from "../../../core/audit/entry.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import { isAuditedRun, toRunEntry } from "../../../core/jobs/run-audit.ts";
import { aQueuedJob } from "../../../test/builders/jobs.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { buildAuditItem } from "../../audit/audit.ts";
import { getWorkspaceAudit, listWorkspaceAudit } from "./run-audit.ts";

let world: World;
let startMs: number;
const jobs: Job[] = [];
/** All entries of the workspace's log, the newest first. */
let all: AuditJson[] = [];
const KINDS = ["script", "flow", "preview", "flowpreview", "dependencies"] as const;
const iso = (at: number) => new Date(startMs + at * 1000).toISOString();

beforeAll(async () => {
  world = await newWorld();
  const { deps, workspace, clock } = world;
  startMs = clock.nowMs;
  for (let at = 0; at < 500; at += 1) {
    const kind = KINDS[at % KINDS.length] ?? "script";
    jobs.push(
      aQueuedJob({
        workspace,
        kind,
        ...(kind.includes("preview") ? { path: undefined, hash: undefined } : { path: `f/t/${at % 3}` }),
        createdBy: at % 4 === 0 ? "ann" : "ben",
        permissionedAs: "u/ben",
        createdAtMs: startMs + at * 1000,
        expiresAtMs: startMs + 1e9,
        ...(at % 7 === 0 ? { step: { id: "a", scope: "", path: "a", flow: "f/t/flow" } } : {}),
      }),
    );
  }
  await Promise.all(jobs.map((job) => deps.jobs.create(job, undefined)));
  await deps.jobs.create(aQueuedJob({ workspace: `${workspace}-2`, createdAtMs: startMs, expiresAtMs: startMs + 1e9 }), undefined);
  const changes = Array.from({ length: 100 }, (_, at) =>
    buildAuditItem(
      {
        workspace,
        username: at % 3 === 0 ? "ann" : "ben",
        operation: at % 5 === 0 ? "variables.decrypt_secret" : "scripts.create",
        action_kind: at % 5 === 0 ? "Execute" : "Created",
        resource: `f/t/${at % 3}`,
      },
      startMs + at * 5000 + 500,
    ),
  );
  await Promise.all(changes.map((item) => deps.objects.put(item)));
  all = [...changes.map(({ value }) => value as AuditJson), ...jobs.filter(isAuditedRun).map(toRunEntry)].sort((a, b) =>
    a.timestamp < b.timestamp ? 1 : -1,
  );
});

describe("the audit log of a workspace", () => {
  it("contains each run that is not a step, with its operation, its starter and its path", async () => {
    const { entries } = await listWorkspaceAudit(world.deps, world.workspace, { operation: "jobs.run.flow", per_page: 1 });
    const newest = jobs.findLast(({ kind, step }) => kind === "flow" && !step);
    expect(entries).toEqual([
      {
        workspace_id: world.workspace,
        id: newest?.id,
        timestamp: new Date(newest?.createdAtMs ?? 0).toISOString(),
        username: newest?.createdBy,
        operation: "jobs.run.flow",
        action_kind: "Execute",
        resource: newest?.path,
        parameters: { uuid: newest?.id, permissioned_as: "u/ben", hash: newest?.hash },
      },
    ]);
    expect(await getWorkspaceAudit(world.deps, world.workspace, newest?.id ?? "")).toEqual(entries[0]);
  });

  it("lists changes and runs in one order, on pages without gaps or repetitions, for every filter", async () => {
    const list = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
    const operations = ["jobs.run.script", "jobs.run.flow,scripts.create", "jobs.run.preview,jobs.run.flow_preview", "scripts.create", ""];
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          username: list("ann", "ben", "ann,ben", "cid"),
          operation: list(...operations),
          operations: list(...operations),
          exclude_operations: list(...operations),
          resource: list("f/t/1", "f/t/0,f/t/2", "f/t"),
          action_kind: list("Execute", "Created", "Created,Execute", "Delete"),
          after: list(iso(17), iso(350)),
          before: list(iso(18), iso(400)),
          page: fc.integer({ min: 0, max: 4 }),
          per_page: fc.constantFrom(1, 7, 100),
        }),
        async (query) => {
          const { entries } = await listWorkspaceAudit(world.deps, world.workspace, query);
          const from = (Math.max(query.page, 1) - 1) * query.per_page;
          const wanted = all.filter((entry) => matchesAuditQuery(entry, query)).slice(from, from + query.per_page);
          expect(entries.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([10, 300])("compares a bounded number of entries, and a page that ends early has a cursor (%d)", async (maxScanned) => {
    const query: AuditQuery = { username: "ann", resource: "f/t/1", per_page: 100 };
    const found = new Set<string>();
    let before: string | undefined;
    let pages = 0;
    do {
      const page = await listWorkspaceAudit(world.deps, world.workspace, { ...query, ...(before ? { before } : {}) }, maxScanned);
      for (const { id } of page.entries) found.add(id);
      before = page.before;
      pages += 1;
    } while (before !== undefined && pages < 60);
    expect(pages).toBeGreaterThan(1);
    expect([...found]).toEqual(all.filter((entry) => matchesAuditQuery(entry, query)).map(({ id }) => id));
  });

  it("contains no run of another workspace and no step", async () => {
    const step = jobs.find(({ step }) => step);
    await expect(getWorkspaceAudit(world.deps, world.workspace, step?.id ?? "")).rejects.toMatchObject({ code: "audit.notFound" });
    const other = jobs.find(isAuditedRun);
    await expect(getWorkspaceAudit(world.deps, `${world.workspace}-2`, other?.id ?? "")).rejects.toMatchObject({ code: "audit.notFound" });
  });
});
