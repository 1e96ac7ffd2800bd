import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { member } from "../../test/support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../test/support/api/workspace.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
  await ws.saveScript({ path: "f/t/one", language: "bun", content: "export const main = () => 1;" });
});
afterAll(() => service.close());

describe("lists", () => {
  it("lists filter, order and page many jobs without gaps or repetitions", async () => {
    const own = await newWorkspace(service.api);
    await own.saveScript({ path: "f/t/ok", language: "bun", content: "export const main = (x: number) => String(x);" });
    await own.saveScript({ path: "f/t/bad", language: "bun", content: "export const main = () => { throw new Error('no'); };" });
    const ok = await Promise.all(Array.from({ length: 9 }, (_, x) => own.run("f/t/ok", { x })));
    const bad = await Promise.all(Array.from({ length: 4 }, () => own.run("f/t/bad")));
    for (const id of [...ok, ...bad]) await own.completed(id);
    type Listed = { id: string; created_at: string; success: boolean };
    const list = async (query: Record<string, string | number | boolean> = {}) => (await own.get("jobs/list", query)).json as Listed[];
    const pages = [
      ...(await list({ per_page: 6, page: 1 })),
      ...(await list({ per_page: 6, page: 2 })),
      ...(await list({ per_page: 6, page: 3 })),
    ];
    expect(new Set(pages.map(({ id }) => id)).size).toBe(15);
    expect(pages.map(({ created_at }) => created_at)).toEqual(
      pages
        .map(({ created_at }) => created_at)
        .sort()
        .reverse(),
    );
    expect(new Set((await list({ script_path_exact: "f/t/bad", job_kinds: "script" })).map(({ id }) => id))).toEqual(new Set(bad));
    expect((await list({ success: false })).every(({ success }) => !success)).toBe(true);
    expect(await list({ success: false })).toHaveLength(4);
    expect(await list({ job_kinds: "dependencies" })).toHaveLength(2);
    expect(await list({ args: JSON.stringify({ x: 7 }) })).toMatchObject([{ id: ok[7] }]);
    expect(await list({ result: JSON.stringify("7") })).toMatchObject([{ id: ok[7] }]);
    expect((await own.get("jobs/completed/list", { status: "failure" })).json).toHaveLength(4);
    expect((await own.get("jobs/queue/list")).json).toEqual([]);
    expect((await own.get("jobs/list_filtered_uuids", { script_path_exact: "f/t/bad", job_kinds: "script" })).json).toHaveLength(4);
    expect((await own.get("jobs/completed/count_jobs", { success: true, completed_after_s_ago: 3600 })).json).toBe(11);
    expect((await own.get("jobs/list", { args: "{" })).status).toBe(400);
  });
});

describe("a list of all jobs while they end", () => {
  it("the list contains each job once, in the queue or after it", async () => {
    const own = await newWorkspace(service.api);
    await own.saveScript({ path: "f/t/ok", language: "bun", content: "export const main = () => 1;" });
    await own.completed(await own.run("f/t/ok"));
    const { answers } = service.world;
    const { run } = answers;
    const starts = new EventEmitter().setMaxListeners(24);
    let permitted = 0;
    let begun = 0;
    // One more run may begin after each list.
    answers.run = async (request) => {
      begun += 1;
      for (const at = begun; at > permitted; ) await once(starts, "more");
      return run(request);
    };
    const ids = await Promise.all(Array.from({ length: 24 }, () => own.run("f/t/ok")));
    let ended = 0;
    const counts = new Set<number>();
    while (ended < ids.length) {
      const listed = (await own.get("jobs/list", { per_page: 100 })).json as { id: string; type: string }[];
      const seen = listed.map(({ id }) => id);
      expect(seen).toHaveLength(new Set(seen).size);
      expect(ids.filter((id) => !seen.includes(id))).toEqual([]);
      ended = listed.filter(({ id, type }) => type === "CompletedJob" && ids.includes(id)).length;
      counts.add(ended);
      permitted += 1;
      starts.emit("more");
    }
    answers.run = run;
    // Some lists contained jobs of both kinds.
    expect(counts.size).toBeGreaterThan(2);
  });
});

describe("cancel by selection", () => {
  it("the route cancels queued jobs, ignores completed and missing ones, and returns the canceled ids", async () => {
    const waiting = await Promise.all([1, 2].map(() => ws.run("f/t/one", {}, { scheduled_in_secs: 600 })));
    const ended = await ws.run("f/t/one");
    await ws.completed(ended);
    const answer = await ws.post("jobs/queue/cancel_selection", [...waiting, ended, randomUUID()]);
    expect((expectStatus(answer, 200).json as string[]).sort()).toEqual([...waiting].sort());
    for (const id of waiting) expect(await ws.completed(id)).toMatchObject({ canceled: true });
    expect(await ws.completed(ended)).toMatchObject({ success: true });
  });

  it("the route ignores jobs that the caller could not cancel one by one", async () => {
    const dev = (await member(ws, "dev")).in(ws);
    const other = await newWorkspace(service.api);
    await other.saveScript({ path: "f/t/one", language: "bun", content: "export const main = () => 1;" });
    const theirs = await other.run("f/t/one", {}, { scheduled_in_secs: 600 });
    const admins = await ws.run("f/t/one", {}, { scheduled_in_secs: 600 });
    expect((await dev.post("jobs/queue/cancel_selection", [theirs, admins])).json).toEqual([]);
    expect((await ws.get(`jobs_u/get/${admins}`)).json).toMatchObject({ canceled: false });
  });
});

describe("all_workspaces", () => {
  it("only superadmins list and count the jobs of every workspace, newest first", async () => {
    const other = await newWorkspace(service.api);
    await other.saveScript({ path: "f/t/one", language: "bun", content: "export const main = () => 1;" });
    const ids: string[] = [];
    for (const at of [ws, other, ws]) ids.unshift(await at.run("f/t/one", {}, { scheduled_in_secs: 600, tag: "everywhere" }));
    const query = { all_workspaces: "true", tag: "everywhere", per_page: 2 };
    const listed = async (page: number) =>
      ((await ws.get("jobs/queue/list", { ...query, page })).json as { id: string }[]).map(({ id }) => id);
    expect([...(await listed(1)), ...(await listed(2))]).toEqual(ids);
    const [all, here] = await Promise.all([ws.get("jobs/queue/count", { all_workspaces: "true" }), ws.get("jobs/queue/count")]);
    const length = ({ json }: { json: unknown }) => (json as { database_length: number }).database_length;
    expect(length(all)).toBeGreaterThan(length(here));
    const dev = (await member(ws, "dev")).in(ws);
    expect((await dev.get("jobs/list", { all_workspaces: "true" })).status).toBe(403);
  });
});
