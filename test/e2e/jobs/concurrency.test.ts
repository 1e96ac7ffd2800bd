import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients, bendJob, invoke } from "../../support/engine/aws.ts";
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
    const numbers = Array.from({ length: 24 }, (_, n) => n);
    const calls = [24, 25, 26].map((n) => ws.runWait("f/t/storm", args("storm", n, 0.2)));
    const ids = await Promise.all(numbers.map((n) => run("storm", n, 0.2)));
    await succeeded(ids);
    // Synchronous callers wait for as long as they do for any run; their runs go on in any case.
    await Promise.all(calls);
    for (const n of [24, 25, 26]) await waitForEvent("ended", "storm", n);
    expect(mostAtOnce("storm")).toBeLessThanOrEqual(3);
    expect(begun("storm")).toHaveLength(27);
    const group = await groupOf(String(ids[0]));
    await housekeep(120);
    await until(async () => (await groupItem(group)) === undefined, { what: "the group to be over" });
  });

  it("the limit is used fully and never exceeded", async () => {
    await save("fully", { concurrent_limit: 3 });
    const long = await Promise.all([1, 2, 3].map((n) => run("fully", n, 100)));
    await Promise.all([1, 2, 3].map((n) => waitForEvent("begun", "fully", n)));
    const last = await run("fully", 4, 0);
    await waiting(last);
    expect(begun("fully")).toHaveLength(3);
    expectStatus(await ws.post("jobs/queue/cancel_selection", long), 200);
    await succeeded([last]);
  });

  it("waiting jobs run in the order of their creation", async () => {
    await save("order", { concurrent_limit: 1 });
    const ids = [await run("order", 0, 4)];
    await waitForEvent("begun", "order", 0);
    for (let n = 1; n <= 6; n += 1) ids.push(await run("order", n, 0));
    for (const id of ids.slice(1)) await waiting(id);
    await succeeded(ids);
    expect(events("order")).toEqual(ids.flatMap((_, n) => [`begun ${n}`, `ended ${n}`]));
  });

  it("runs with one concurrency_key wait for each other, and runs with another key do not", async () => {
    await save("keyed", { concurrent_limit: 1, concurrency_key: "customer $args[tag] of $workspace" });
    const [first, other] = [await run("keyed", 1, 4, "ann"), await run("keyed", 1, 4, "bob")];
    await Promise.all([waitForEvent("begun", "ann", 1), waitForEvent("begun", "bob", 1)]);
    const behind = await run("keyed", 2, 0, "ann");
    await succeeded([first, other, behind]);
    expect(events("ann")).toEqual(["begun 1", "ended 1", "begun 2", "ended 2"]);
    expect(await groupOf(first)).toBe(await groupOf(behind));
    expect(await groupOf(first)).not.toBe(await groupOf(other));
  });

  it("two scripts with one key share the limit", async () => {
    await Promise.all(["left", "right"].map((path) => save(path, { concurrent_limit: 1, concurrency_key: "the printer" })));
    const first = await run("left", 1, 3, "printer");
    await waitForEvent("begun", "printer", 1);
    await succeeded([first, await run("right", 2, 0, "printer")]);
    expect(events("printer")).toEqual(["begun 1", "ended 1", "begun 2", "ended 2"]);
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

  it("the limit of a new version applies to its own runs, and waiting jobs retain their limit and position", async () => {
    await save("changed", { concurrent_limit: 1 });
    const first = await run("changed", 1, 6);
    await waitForEvent("begun", "changed", 1);
    const second = await run("changed", 2, 6);
    await waiting(second);
    await save("changed", { concurrent_limit: 2 });
    const third = await run("changed", 3, 0);
    await succeeded([first, second, third]);
    expect(events("changed").slice(0, 2)).toEqual(["begun 1", "ended 1"]);
    expect(events("changed").indexOf("begun 3")).toBeLessThan(events("changed").indexOf("ended 2"));
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
  it("the slot of a canceled run goes to the next job, and a job that is canceled while it waits is skipped", async () => {
    await save("cancel", { concurrent_limit: 1 });
    const first = await run("cancel", 1, 100);
    await waitForEvent("begun", "cancel", 1);
    const second = await run("cancel", 2, 0);
    await waiting(second);
    const third = await run("cancel", 3, 0);
    await waiting(third);
    expectStatus(await ws.post(`jobs_u/queue/cancel/${second}`, {}), 200);
    expect(await ws.completed(second)).toMatchObject({ canceled: true });
    expectStatus(await ws.post(`jobs_u/queue/cancel/${first}`, {}), 200);
    await succeeded([third]);
    expect(begun("cancel")).toEqual(["1", "3"]);
  });

  it("the slot of a run that was canceled by force is free at once", async () => {
    await save("forced", { concurrent_limit: 1 });
    const first = await run("forced", 1, 100);
    await waitForEvent("begun", "forced", 1);
    const second = await run("forced", 2, 0);
    await waiting(second);
    expectStatus(await ws.post(`jobs_u/queue/force_cancel/${first}`, {}), 200);
    await succeeded([second]);
  });

  it("a job whose message arrives several times takes one slot", async () => {
    await save("twice", { concurrent_limit: 2 });
    const first = await run("twice", 1, 100);
    await waitForEvent("begun", "twice", 1);
    const [second, third] = [await run("twice", 2, 100), await run("twice", 3, 0)];
    await waitForEvent("begun", "twice", 2);
    await waiting(third);
    const group = await groupOf(first);
    const again = async (id: string) =>
      awsClients(instance).sqs.send(
        new SendMessageCommand({ QueueUrl: instance.outputs["QueueUrl"], MessageBody: JSON.stringify({ job: id, group }) }),
      );
    await Promise.all([first, first, second, third, third].map(again));
    for (const id of [first, second]) expectStatus(await ws.post(`jobs_u/queue/cancel/${id}`, {}), 200);
    await succeeded([third]);
    // Ended, they are told of again: nothing is freed a second time.
    await Promise.all([first, second, third].map(again));
    await succeeded([await run("twice", 4, 0)]);
    expect(begun("twice")).toEqual(["1", "2", "3", "4"]);
  });

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

  it("the slot of a lost run goes to a waiting job", async () => {
    await save("lost", { concurrent_limit: 1 });
    const first = await run("lost", 1, 100);
    await waitForEvent("begun", "lost", 1);
    const second = await run("lost", 2, 0);
    await waiting(second);
    crashFunction(instance, { output: "WorkerFunction" });
    crashFunction(instance, { runner: "bash" });
    await bendJob(instance, first, "SET lo = :two", { ":two": { N: "2" } });
    await housekeep(75);
    expect(await ws.completed(first)).toMatchObject({ success: false, result: { error: { name: "WorkerLost" } } });
    await succeeded([second]);
  });

  it("housekeeping frees a slot whose holder died right after it had ended the job", async () => {
    await save("leaked", { concurrent_limit: 1 });
    const first = await run("leaked", 1, 8);
    await waitForEvent("begun", "leaked", 1);
    const second = await run("leaked", 2, 0);
    await waiting(second);
    crashFunction(instance, { output: "WorkerFunction" });
    crashFunction(instance, { runner: "bash" });
    await bendJob(instance, first, "SET s = :failed, en = :now, r = :result REMOVE n, lu, dp, ds", {
      ":failed": { S: "failed" },
      ":now": { N: String(Date.now()) },
      ":result": { M: { in: { S: "head" }, json: { S: "null" } } },
    });
    await housekeep(61);
    await succeeded([second]);
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
