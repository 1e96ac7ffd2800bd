import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { member } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { startWitness } from "../../support/jobs/witness.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
  await ws.saveScript({ path: "f/t/one", language: "bun", content: "export const main = () => 1;" });
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
    const other = await newWorkspace();
    await other.saveScript({ path: "f/t/one", language: "bun", content: "export const main = () => 1;" });
    const theirs = await other.run("f/t/one", {}, { scheduled_in_secs: 600 });
    const admins = await ws.run("f/t/one", {}, { scheduled_in_secs: 600 });
    expect((await dev.post("jobs/queue/cancel_selection", [theirs, admins])).json).toEqual([]);
    expect((await ws.get(`jobs_u/get/${admins}`)).json).toMatchObject({ canceled: false });
  });
});

describe("all_workspaces", () => {
  it("only superadmins list and count the jobs of every workspace, newest first", async () => {
    const other = await newWorkspace();
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

describe("progress", () => {
  it("a job reports progress through its client, it never decreases, and it can be read during the run and after it", async () => {
    const witness = await startWitness();
    await ws.saveScript({
      path: "f/t/progress",
      language: "bun",
      content: `import * as svc from "svc-client";
export async function main(url: string) {
  await svc.setProgress(40);
  await svc.setProgress(20);
  await fetch(url + "/told");
  return svc.getProgress();
}`,
    });
    const job = await ws.run("f/t/progress", { url: witness.url });
    await witness.waitForReport("told");
    expect(await ws.completed(job)).toMatchObject({ result: 40 });
    expect((await ws.get(`job_metrics/get_progress/${job}`)).json).toBe(40);
    expect((await ws.get(`jobs_u/getupdate/${job}`, { get_progress: "true" })).json).toMatchObject({ progress: 40 });
    expect((await ws.post(`job_metrics/set_progress/${job}`, { percent: 100 })).status).toBe(422);
    await witness.close();
  });
});
