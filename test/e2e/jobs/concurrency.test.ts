import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients, invoke } from "../../support/engine/aws.ts";
import { startTestInstance, type TestInstance } from "../../support/engine/instances.ts";
import { crashFunction } from "../../support/engine/processes.ts";
import { startWitness, type Witness } from "../../support/jobs/witness.ts";
import { until } from "../../support/until.ts";

/** The default limit of synchronous calls is 25 s. It is changed before the first call, because functions cache it. */
const SYNC_LIMIT_S = 10;

/** Processes are killed and clocks are moved here, so this file has its own instance. */
let instance: TestInstance;
let ws: Workspace;
let witness: Witness;
beforeAll(async () => {
  [instance, witness] = await Promise.all([startTestInstance(), startWitness()]);
  const client = api({ url: instance.url, token: instance.admin.token });
  expectStatus(await client.post("settings/global/timeout_wait_result", { value: SYNC_LIMIT_S }), 200);
  ws = await newWorkspace(client);
});
afterAll(async () => {
  await witness?.close();
  await instance?.stop();
});

/** Reports its start and its end; a second attempt does not sleep. */
const tell = (what: string) => `curl -s -o /dev/null "$1/${what}?tag=$2&n=$3&attempt=$OV_ATTEMPT"`;
const content = `url="$1"\ntag="$2"\nn="$3"\nseconds="$4"\n${tell("begun")}\n[ "$OV_ATTEMPT" = 1 ] && sleep "$4"\n${tell("ended")}\necho "$3"`;
const save = (path: string, fields: Record<string, unknown>) =>
  ws.saveScript({ path: `f/t/${path}`, language: "bash", content, ...fields });
const args = (tag: string, n: number | string, seconds: number) => ({ url: witness.url, tag, n: String(n), seconds: String(seconds) });
const run = (path: string, n: number | string, seconds: number, tag = path) => ws.run(`f/t/${path}`, args(tag, n, seconds));

const reportsOf = (tag: string) => witness.reports.filter(({ query }) => query["tag"] === tag);
const begun = (tag: string) => reportsOf(tag).flatMap(({ what, query }) => (what === "begun" ? [query["n"]] : []));
const events = (tag: string) => reportsOf(tag).map(({ what, query }) => `${what} ${query["n"]}`);
const waitForEvent = (what: string, tag: string, n: number | string) =>
  until(() => reportsOf(tag).find((one) => one.what === what && one.query["n"] === String(n)), {
    timeoutMs: 60_000,
    what: `${what} ${tag} ${n}`,
  });
/** The maximum number of simultaneous runs. */
function mostAtOnce(tag: string): number {
  let now = 0;
  return Math.max(...reportsOf(tag).map(({ what }) => (what === "begun" ? ++now : what === "ended" ? --now : now)));
}
const job = async (id: string) => expectStatus(await ws.get(`jobs_u/get/${id}`), 200).json as Record<string, unknown>;
const succeeded = async (ids: string[]) => {
  for (const id of ids) expect(await ws.completed(id, 110_000)).toMatchObject({ success: true });
};
/** Housekeeping as it would be done that many seconds from now. */
const housekeep = (inS = 0) => invoke("HousekeepingFunction", { nowMs: Date.now() + inS * 1000 }, instance);
const head = async (id: string) => {
  const { dynamodb } = awsClients(instance);
  const key = { pk: { S: id }, sk: { S: "job" } };
  const { Item = {} } = await dynamodb.send(
    new GetItemCommand({ TableName: instance.outputs["JobsTable"], Key: key, ConsistentRead: true }),
  );
  return Item;
};
const groupOf = async (id: string) => String((await head(id))["cc"]?.M?.["group"]?.S);
/** The item of a job's group; `undefined` if the group is empty. */
const groupItem = async (group: string) => {
  const key = { pk: { S: `limit#${group}` }, sk: { S: "group" } };
  const input = { TableName: instance.outputs["JobsTable"], Key: key, ConsistentRead: true };
  return (await awsClients(instance).dynamodb.send(new GetItemCommand(input))).Item;
};
/** Until a job has come to the worker and found no slot. */
const waiting = async (id: string) => {
  const group = await groupOf(id);
  const ref = { pk: { S: `limit#${group}` }, sk: { S: `wait#${String((await head(id))["ls"]?.S)}` } };
  const input = { TableName: instance.outputs["JobsTable"], Key: ref, ConsistentRead: true };
  await until(async () => (await awsClients(instance).dynamodb.send(new GetItemCommand(input))).Item, { what: `${id} waiting` });
  await until(async () => (await groupItem(group))?.["w"]?.BOOL, { what: `the group of ${id} to know that somebody waits` });
};

describe("a concurrent_limit", () => {
  it("the limit holds for many calls, asynchronous and synchronous, and leaves nothing behind", async () => {
    await save("storm", { concurrent_limit: 3 });
    const numbers = Array.from({ length: 12 }, (_, n) => n);
    const calls = [12, 13, 14].map((n) => ws.runWait("f/t/storm", args("storm", n, 0.2)));
    const ids = await Promise.all(numbers.map((n) => run("storm", n, 0.2)));
    await succeeded(ids);
    // Synchronous callers wait for as long as they do for any run; their runs go on in any case.
    await Promise.all(calls);
    for (const n of [12, 13, 14]) await waitForEvent("ended", "storm", n);
    expect(mostAtOnce("storm")).toBeLessThanOrEqual(3);
    expect(begun("storm")).toHaveLength(15);
    const group = await groupOf(String(ids[0]));
    await housekeep(120);
    await until(async () => (await groupItem(group)) === undefined, { what: "the group to be over" });
  });

  it("a synchronous call waits for its slot", async () => {
    await save("sync", { concurrent_limit: 1 });
    await run("sync", 1, 2);
    await waitForEvent("begun", "sync", 1);
    expect(expectStatus(await ws.runWait("f/t/sync", args("sync", 2, 0)), 200).text.trim()).toBe('"2"');
    expect(mostAtOnce("sync")).toBe(1);
  });

  it("the job of a synchronous call that reached the time limit continues, whether it runs or still waits", async () => {
    await Promise.all([save("late", { concurrent_limit: 1 }), save("free", {})]);
    await run("late", 1, SYNC_LIMIT_S + 2);
    await waitForEvent("begun", "late", 1);
    const answers = await Promise.all([
      ws.runWait("f/t/late", args("late", 2, 0)),
      ws.runWait("f/t/free", args("free", 2, SYNC_LIMIT_S + 2)),
    ]);
    for (const { status, headers, text } of answers) {
      expect([status, headers.get("x-svc-error")]).toEqual([504, "job.syncTimeout"]);
      const id = headers.get("x-svc-job-id") ?? "";
      expect(text).toMatch(new RegExp(`job ${id} .*within ${SYNC_LIMIT_S} s`));
      expect(await ws.completed(id)).toMatchObject({ success: true, result: "2", logs: "2\n" });
    }
    expect(events("late")).toEqual(["begun 1", "ended 1", "begun 2", "ended 2"]);
  });
});

describe("a concurrency_time_window_s", () => {
  it("no window contains more starts than the limit", async () => {
    await save("window", { concurrent_limit: 2, concurrency_time_window_s: 4 });
    const ids = await Promise.all([1, 2, 3, 4, 5].map((n) => run("window", n, 0)));
    await succeeded(ids);
    const starts = (await Promise.all(ids.map(job))).map(({ started_at }) => Date.parse(String(started_at))).sort((a, b) => a - b);
    for (let n = 2; n < starts.length; n += 1) expect((starts[n] ?? 0) - (starts[n - 2] ?? 0)).toBeGreaterThanOrEqual(4000);
  });
});

describe("a slot", () => {
  it("the slot of a run whose worker and runner crashed is reserved for its next attempt, and then goes to a waiting job", async () => {
    await save("killed", { concurrent_limit: 1 });
    const first = await run("killed", 1, 100);
    await waitForEvent("begun", "killed", 1);
    const second = await run("killed", 2, 0);
    await waiting(second);
    expect(crashFunction(instance, { output: "WorkerFunction" })).toBeGreaterThan(0);
    expect(crashFunction(instance, { runner: "bash" })).toBeGreaterThan(0);
    await housekeep(75);
    await succeeded([first, second]);
    expect(events("killed")).toEqual(["begun 1", "begun 1", "ended 1", "begun 2", "ended 2"]);
  });
});

it("a call that is not answered in time leaves its result to be read for an hour after the end of the run, despite delete_after_secs", async () => {
  const content = `text="$1"\nsleep ${SYNC_LIMIT_S + 1}\necho "$1"`;
  await save("erased", { content, delete_after_secs: 0 });
  const answer = await ws.runWait("f/t/erased", { text: "topsecret" });
  expect(answer.status).toBe(504);
  const id = answer.headers.get("x-svc-job-id") ?? "";
  expect(await ws.completed(id)).toMatchObject({ success: true, result: "topsecret" });
  await housekeep(3_500);
  expect(await ws.completed(id)).toMatchObject({ result: "topsecret" });
  await until(async () => (await housekeep(3_700)) && (await ws.completed(id))["deleted"], { what: "the erasure" });
  expect(JSON.stringify(await ws.completed(id))).not.toContain("topsecret");
});

it("an invalid limit is rejected when the script is saved", async () => {
  const send = (fields: object) => ws.post("scripts/create", { path: "f/t/wrong", summary: "", language: "bash", content, ...fields });
  for (const fields of [
    { concurrent_limit: -1 },
    { concurrent_limit: 1.5 },
    { concurrent_limit: 1001 },
    { concurrency_time_window_s: -1 },
  ]) {
    const answer = await send(fields);
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([422, "body.shape"]);
    expect(answer.text).toContain(Object.keys(fields)[0]);
  }
  const hash = expectStatus(await send({ concurrent_limit: 0 }), 201).text;
  expect((await ws.get(`scripts/get/h/${hash}`)).json).toMatchObject({ concurrent_limit: 0 });
});
