import { afterAll, beforeAll, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { startWitness, type Witness } from "../../support/jobs/witness.ts";

let ws: Workspace;
let witness: Witness;
beforeAll(async () => {
  [ws, witness] = await Promise.all([newWorkspace(), startWitness()]);
});
afterAll(() => witness?.close());

const content = `url="$1"\nwhat="$2"\nseconds="$3"\ncurl -s -o /dev/null "$1/$2"\nsleep "$3"\necho done`;
const save = (path: string, fields: object = {}) => ws.saveScript({ path: `f/t/${path}`, language: "bash", content, ...fields });
const run = (path: string, seconds: number) => ws.run(`f/t/${path}`, { url: witness.url, what: path, seconds: String(seconds) });

it("the jobs of a script show its priority, queued and completed, and a job without one has none", async () => {
  await Promise.all([save("shown", { priority: 7 }), save("plain")]);
  const later = await ws.run("f/t/shown", {}, { scheduled_in_secs: 600 });
  expect((await ws.get(`jobs_u/get/${later}`)).json).toMatchObject({ type: "QueuedJob", priority: 7 });
  const [ended, plain] = [await run("shown", 0), await run("plain", 0)];
  expect(await ws.completed(ended)).toMatchObject({ success: true, priority: 7 });
  expect(await ws.completed(plain)).not.toHaveProperty("priority");
  const listed = (await ws.get("jobs/list", { script_path_exact: "f/t/shown", job_kinds: "script" })).json as Record<string, unknown>[];
  expect(listed.map(({ priority }) => priority)).toEqual([7, 7]);
  const waited = await ws.runWait("f/t/shown", { url: witness.url, what: "shown", seconds: "0" });
  expect(await ws.completed(String(waited.headers.get("x-svc-job-id")))).toMatchObject({ success: true, priority: 7 });
});

it("a priority is a whole number from 0 to 100", async () => {
  for (const priority of [-1, 0.5, 101]) {
    const answer = await ws.post("scripts/create", { path: "f/t/wrong", summary: "", language: "bash", content, priority });
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([422, "body.shape"]);
    expect(answer.text).toContain("priority");
  }
});

it("jobs without a priority that occupy every worker do not delay one that has it", async () => {
  await Promise.all([save("long"), save("flood"), save("first", { priority: 1 })]);
  // Five messages at a time are handled of a queue here, each as long as its longest job: one after the other, each gets its own.
  const long: string[] = [];
  for (let n = 1; n <= 5; n += 1) {
    long.push(await run("long", 100));
    await witness.waitForReport("long", n);
  }
  const flood = await Promise.all(Array.from({ length: 12 }, () => run("flood", 0)));
  expect(await ws.completed(await run("first", 0))).toMatchObject({ success: true });
  const waits = await Promise.all(flood.map(async (id) => (await ws.get(`jobs_u/get/${id}`)).json));
  expect(waits).toEqual(flood.map((id) => expect.objectContaining({ id, type: "QueuedJob", running: false })));
  expectStatus(await ws.post("jobs/queue/cancel_selection", long), 200);
  for (const id of flood) expect(await ws.completed(id)).toMatchObject({ success: true });
});
