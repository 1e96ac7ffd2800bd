import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import path from "node:path";
import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { PurgeQueueCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { env } from "../../../contract/env.ts";
import { api } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients, bendJob, invoke, misdirected } from "../../support/engine/aws.ts";
import { startTestInstance, type TestInstance } from "../../support/engine/instances.ts";
import { crashFunction, freezeFunction } from "../../support/engine/processes.ts";
import { queueEvent, saveTellingScripts } from "../../support/jobs/telling.ts";
import { startWitness, type Witness } from "../../support/jobs/witness.ts";
import { until } from "../../support/until.ts";

/** Processes are killed and clocks are moved here, so this file has its own instance. */
let instance: TestInstance;
let ws: Workspace;
let witness: Witness;
beforeAll(async () => {
  [instance, witness] = await Promise.all([startTestInstance(), startWitness()]);
  ws = await newWorkspace(api({ url: instance.url, token: instance.admin.token }));
  await saveTellingScripts(ws);
});
afterAll(async () => {
  await witness?.close();
  await instance?.stop();
});

const tagged = (what: string, tag: string) => witness.reports.filter((report) => report.what === what && report.query["tag"] === tag);
const waitForReport = (what: string, tag: string, times = 1) =>
  until(() => tagged(what, tag)[times - 1], { timeoutMs: 90_000, what: `'${what}' of ${tag}, ${times} times` });
/** Housekeeping as it would be done that many seconds from now. */
const housekeep = (inS = 0) =>
  invoke("HousekeepingFunction", { nowMs: Date.now() + inS * 1000 }, instance) as Promise<Record<string, number>>;
const job = async (id: string) => expectStatus(await ws.get(`jobs_u/get/${id}`), 200).json as Record<string, unknown>;
/** A script that was never built before. */
const fresh = () => ({ path: "f/t/fresh", language: "bun", content: `export const main = () => "${randomUUID()}";` });
const args = (tag: string, seconds = 0) => ({ url: witness.url, tag, seconds: String(seconds) });

describe("a script that is saved while the queue rejects messages", () => {
  it("the script is saved, and housekeeping starts its build", async () => {
    const saved = await misdirected(instance, /Objects/, env.queueUrl, () =>
      ws.post("scripts/create", { path: "f/t/unheard", summary: "", language: "bash", content: "echo built" }),
    );
    const hash = expectStatus(saved, 201).text;
    const status = async () => (await ws.get(`scripts/deployment_status/h/${hash}`)).json as { lock?: string; job_id?: string };
    const { lock, job_id } = await status();
    expect(lock).toBeUndefined();
    expect(await job(String(job_id))).toMatchObject({ running: false });
    expect((await housekeep(80))["sent"]).toBe(1);
    expect(await ws.completed(String(job_id))).toMatchObject({ success: true });
    expect((await ws.runWait("f/t/unheard")).json).toBe("built");
  });
});

describe("messages", () => {
  const send = (body: object) =>
    awsClients(instance).sqs.send(new SendMessageCommand({ QueueUrl: instance.outputs["QueueUrl"], MessageBody: JSON.stringify(body) }));

  it("a message that arrives three times runs its job once, during the run and after its end", async () => {
    const id = await ws.run("f/t/slow", args("repeated", 2));
    await Promise.all([send({ job: id }), send({ job: id })]);
    await waitForReport("begun", "repeated");
    await send({ job: id });
    expect(await ws.completed(id)).toMatchObject({ success: true, result: "done" });
    await Promise.all([send({ job: id }), send({ job: id })]);
    // Messages are received in order of arrival. Once this later job has run, the earlier messages have been handled.
    await ws.completed(await ws.run("f/t/quick", args("after")));
    expect([tagged("begun", "repeated").length, tagged("ended", "repeated").length]).toEqual([1, 1]);
  });

  it("messages about missing jobs and malformed messages are ignored", async () => {
    await Promise.all([send({ job: randomUUID() }), send({ nonsense: true })]);
    expect(await ws.completed(await ws.run("f/t/quick", args("neighbour")))).toMatchObject({ success: true });
    await awsClients(instance).sqs.send(new PurgeQueueCommand({ QueueUrl: instance.outputs["QueueUrl"] }));
  });

  it("housekeeping sends messages that were never sent", async () => {
    const id = await ws.run("f/t/quick", args("unsent"), { scheduled_in_secs: 8 });
    await awsClients(instance).sqs.send(new PurgeQueueCommand({ QueueUrl: instance.outputs["QueueUrl"] }));
    expect((await housekeep())["sent"]).toBe(0);
    expect(await job(id)).toMatchObject({ running: false });
    expect((await housekeep(100))["sent"]).toBe(1);
    expect(await ws.completed(id)).toMatchObject({ success: true });
    expect(tagged("ran", "unsent")).toHaveLength(1);
  });

  it("messages from two simultaneous ticks of housekeeping run their job once", async () => {
    const id = await ws.run("f/t/quick", args("ticks"), { scheduled_in_secs: 3 });
    // Handles jobs that are due later, at the current time: a later tick would treat the running job as lost.
    const tick = () => invoke("HousekeepingFunction", { aheadMs: 100_000 }, instance);
    await Promise.all([tick(), tick(), tick()]);
    expect(await ws.completed(id)).toMatchObject({ success: true });
    await ws.completed(await ws.run("f/t/quick", args("after-ticks")));
    expect(tagged("ran", "ticks")).toHaveLength(1);
  });
});

describe("a message that failed too often", () => {
  const bury = (id: string) => invoke("DeadLetterFunction", queueEvent(id), instance) as Promise<{ batchItemFailures: unknown[] }>;

  it("a job that never started is queued again", async () => {
    const id = await ws.run("f/t/quick", args("buried"), { scheduled_in_secs: 600 });
    expect(await bury(id)).toEqual({ batchItemFailures: [] });
    expect(await ws.completed(id)).toMatchObject({ success: true });
    expect(tagged("ran", "buried")).toHaveLength(1);
  });

  it("a job that the service failed to start too often fails with the reason", async () => {
    const id = await ws.run("f/t/quick", args("hopeless"), { scheduled_in_secs: 600 });
    // Failed starts, as the record counts them.
    await bendJob(instance, id, "SET lo = :three", { ":three": { N: "3" } });
    expect(await bury(id)).toEqual({ batchItemFailures: [] });
    expect(await ws.completed(id)).toMatchObject({
      success: false,
      result: { error: { name: "NotStarted", message: expect.stringContaining("failed to start this job 3 times") } },
    });
    expect(tagged("ran", "hopeless")).toHaveLength(0);
  });

  it("a job that was started and lost fails with the reason", async () => {
    const id = await ws.run("f/t/slow", args("lost", 5));
    await waitForReport("begun", "lost");
    crashFunction(instance, { output: "WorkerFunction" });
    crashFunction(instance, { runner: "bash" });
    await bendJob(instance, id, "SET lu = :past", { ":past": { N: String(Date.now() - 3_600_000) } });
    expect(await bury(id)).toEqual({ batchItemFailures: [] });
    expect(await ws.completed(id)).toMatchObject({ success: false, result: { error: { name: "WorkerLost" } } });
    expect(tagged("begun", "lost")).toHaveLength(1);
  });

  it("a running job is not affected", async () => {
    const id = await ws.run("f/t/slow", args("alive", 3));
    await waitForReport("begun", "alive");
    expect(await bury(id)).toEqual({ batchItemFailures: [] });
    expect(await ws.completed(id)).toMatchObject({ success: true });
    expect(tagged("begun", "alive")).toHaveLength(1);
  });

  it("a completed or missing job is not affected", async () => {
    const id = await ws.run("f/t/quick", args("ended"));
    const ended = await ws.completed(id);
    expect(await bury(id)).toEqual({ batchItemFailures: [] });
    expect(await bury(randomUUID())).toEqual({ batchItemFailures: [] });
    expect(await ws.completed(id)).toEqual(ended);
  });
});

describe("a build that is canceled", () => {
  it.each([
    ["of a saved version", async () => (await ws.get(`scripts/deployment_status/h/${await ws.saveScript(fresh(), false)}`)).json],
    ["of a preview", async () => ({ job_id: (await ws.post("jobs/run/preview", { ...fresh(), args: {} })).text })],
  ])("a cancellation %s ends the job while the build still hangs", async (_what, start) => {
    // A build leaves an idle process, which the next build uses.
    await ws.saveScript(fresh());
    const build = freezeFunction(instance, { output: "BuildFunction" });
    try {
      const { job_id: id } = (await start()) as { job_id: string };
      await until(async () => (await job(id))["running"], { what: `job ${id} running` });
      expectStatus(await ws.post(`jobs_u/queue/cancel/${id}`, { reason: "too slow" }), 200);
      expect(await ws.completed(id)).toMatchObject({ canceled: true, canceled_reason: "too slow", success: false });
    } finally {
      build.goOn();
      const rooms = path.join(instance.dir, "work", "builds");
      await until(() => readdirSync(rooms).length === 0, { what: "the end of the build itself" });
    }
  });
});

describe("jobs past their time", () => {
  it("expired jobs are removed with all their data by the expiry of the table and the lifecycle of the bucket; younger ones and scripts remain", async () => {
    const { dynamodb, s3 } = awsClients(instance);
    await ws.saveScript({
      path: "f/t/large",
      language: "bun",
      content: "export function main(text: string) { console.log(text.repeat(3)); return text; }",
    });
    const large = { text: "x".repeat(20_000) };
    const [inS3, inItems] = await Promise.all([ws.run("f/t/large", large), ws.run("f/t/large", { text: "y".repeat(2000) })]);
    await Promise.all([ws.completed(inS3), ws.completed(inItems)]);
    const objects = async () =>
      (await s3.send(new ListObjectsV2Command({ Bucket: instance.outputs["Bucket"], Prefix: `jobs/${ws.id}/` }))).KeyCount ?? 0;
    const items = async () => (await dynamodb.send(new ScanCommand({ TableName: instance.outputs["JobsTable"] }))).Items ?? [];
    // The engine applies both settings as the template declares them. Its clock moves for these resources alone.
    const pass = async (days: number, moreDays: number) => {
      const { endpoint, outputs } = instance;
      const dayMs = 24 * 3600 * 1000;
      const resources = { tables: [outputs["JobsTable"]], buckets: [outputs["Bucket"]] };
      const body = JSON.stringify({ ...resources, nowMs: Date.now() + days * dayMs, olderByMs: moreDays * dayMs });
      expect((await fetch(`${endpoint}/_svc/expire`, { method: "POST", body })).status).toBe(200);
    };
    const before = await objects();
    expect(before).toBeGreaterThanOrEqual(3);
    await pass(29, 29);
    expect(await objects()).toBe(before);
    expect((await ws.get(`jobs_u/completed/get/${inS3}`)).status).toBe(200);
    await pass(32, 3);
    await until(async () => (await pass(32, 0)) === undefined && (await items()).length === 0, { what: "the removal of everything" });
    expect(await objects()).toBe(0);
    expect((await items()).map(({ pk, sk }) => [pk?.S, sk?.S])).toEqual([]);
    expect((await ws.get(`jobs_u/get/${inS3}`)).status).toBe(404);
    expect((await ws.get("jobs/list")).json).toEqual([]);
    expect((await ws.runWait("f/t/large", { text: "again" })).json).toBe("again");
  });
});
