import { randomUUID } from "node:crypto";
import { paginateScan, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documents } from "../../aws/sdk/clients.ts";
import { env, requireEnv } from "../../contract/env.ts";
import type { Answer } from "../../test/support/api/api.ts";
import { member, someone } from "../../test/support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../test/support/api/workspace.ts";
import { startWitness, type Witness } from "../../test/support/jobs/witness.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
let witness: Witness;
beforeAll(async () => {
  witness = await startWitness();
  service = await startService(["run", "stream", "jobs", "objects", "people"]);
  ws = service.ws;
  await ws.saveScript({ path: PATH, language: "bun", content: main });
});
afterAll(async () => {
  await witness?.close();
  await service?.close();
});

const PATH = "f/t/one";
const main = "export async function main(url?: string, all?: unknown) { if (url) await fetch(url); return process.env.WM_JOB_ID; }";
const refused = ({ status, headers }: Answer) => [status, headers.get("x-svc-error")];

/** A job whose time has come and whose message has not: it waits. */
async function waitingJob(at: Workspace): Promise<string> {
  const id = await at.run(PATH, {}, { scheduled_in_secs: 850 });
  const bend = new UpdateCommand({
    TableName: requireEnv(env.jobsTable),
    Key: { pk: id, sk: "job" },
    UpdateExpression: "SET sf = :now, ds = :soon",
    ExpressionAttributeValues: { ":now": Date.now() - 1, ":soon": Date.now() + 60_000 },
  });
  await documents().send(bend);
  return id;
}

describe("queue_limit", () => {
  let full: Workspace;
  beforeAll(async () => {
    full = await newWorkspace(service.api);
    await full.saveScript({ path: PATH, language: "bun", content: main });
    for (let times = 0; times < 3; times += 1) await waitingJob(full);
    // Neither waits: one has ended, the other's time is far off.
    await full.completed(await full.run(PATH));
    await full.run(PATH, {}, { scheduled_in_secs: 850 });
  });
  const calls: [string, (query: object) => Promise<Answer>][] = [
    ["run_wait_result", (query) => full.runWait(PATH, {}, { ...query })],
    ["run_wait_result by GET", (query) => full.get(`jobs/run_wait_result/p/${PATH}`, { ...query })],
    [
      "run_wait_result/preview",
      (query) => full.post("jobs/run_wait_result/preview", { language: "bun", content: "export const main = () => 1;" }, { ...query }),
    ],
    ["run_and_stream", (query) => full.post(`jobs/run_and_stream/p/${PATH}`, {}, { ...query })],
  ];

  it.each(calls)("the limit of %s rejects the job that would exceed it, and creates nothing", async (_route, call) => {
    const jobs = async () => ((await full.get("jobs/list", { per_page: 100 })).json as unknown[]).length;
    const before = await jobs();
    const answer = await call({ queue_limit: 3 });
    expect(refused(answer)).toEqual([429, "queue.full"]);
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(refused(await call({ queue_limit: 0 }))).toEqual([429, "queue.full"]);
    expect(await jobs()).toBe(before);
    expectStatus(await call({ queue_limit: 4 }), 200);
  });

  it("the limit ignores other workspaces, and a repeated call that has started its job is accepted", async () => {
    expectStatus(await ws.runWait(PATH, {}, { queue_limit: 1 }), 200);
    const headers = { "idempotency-key": randomUUID() };
    const call = (queue_limit: number) =>
      full.call("POST", `jobs/run_wait_result/p/${PATH}`, { body: {}, headers, query: { queue_limit } });
    const first = expectStatus(await call(4), 200);
    expect(expectStatus(await call(1), 200).text).toBe(first.text);
  });

  it.each(["-1", "many"])("an invalid limit is rejected: %s", async (queue_limit) => {
    expect(refused(await ws.runWait(PATH, {}, { queue_limit }))).toEqual([400, "query.invalid"]);
  });
});

describe("webhook-id of scripts that use it", () => {
  beforeAll(() => ws.saveScript({ path: "f/t/hook", language: "bun", content: main, idempotent_webhook_id: true }));
  const deliver = (id: string, { path = "f/t/hook", route = "run", at = 0, headers = {} } = {}) =>
    ws.call("POST", `jobs/${route}/p/${path}`, {
      body: { all: at },
      headers: { "webhook-id": id, "webhook-timestamp": String(at), ...headers },
      query: { include_header: "webhook-timestamp", raw: true },
    });

  it("repeated deliveries of a message create one job, with the timestamp of each attempt", async () => {
    const id = `msg_${randomUUID()}`;
    const first = expectStatus(await deliver(id, { at: 1 }), 201);
    const again = expectStatus(await deliver(id, { at: 2 }), 201);
    expect([again.text, again.headers.get("x-svc-idempotent-replay")]).toEqual([first.text, "true"]);
    expect(expectStatus(await deliver(id, { at: 3, route: "run_wait_result" }), 200).json).toBe(first.text);
    expect(expectStatus(await deliver(`${id}x`), 201).text).not.toBe(first.text);
  });

  it("twenty simultaneous deliveries create one job", async () => {
    const id = `msg_${randomUUID()}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => deliver(id, { at, route: at % 2 ? "run" : "run_wait_result" })),
    );
    expect(answers.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
    expect(new Set(answers.map(({ headers }) => headers.get("x-svc-job-id"))).size).toBe(1);
  });

  it("a message is known for longer than senders retry", async () => {
    const { text: job } = expectStatus(await deliver(`msg_${randomUUID()}`), 201);
    for await (const { Items = [] } of paginateScan({ client: documents() }, { TableName: requireEnv(env.objectsTable) })) {
      const found = Items.find(({ v }) => (v as { job?: string }).job === job);
      if (!found) continue;
      expect(Number(found["ttl"]) * 1000 - Date.now()).toBeGreaterThan(48 * 3600 * 1000);
      return;
    }
    throw new Error(`nothing remembers the job ${job}`);
  });

  it("the header is ignored by other scripts and after an Idempotency-Key, and an invalid one is rejected", async () => {
    const id = `msg_${randomUUID()}`;
    expect((await deliver(id, { path: PATH })).text).not.toBe((await deliver(id, { path: PATH })).text);
    const keyed = (key: string) => deliver(id, { headers: { "idempotency-key": key } });
    const [one, two] = [randomUUID(), randomUUID()];
    expect((await keyed(one)).text).not.toBe((await keyed(two)).text);
    expect(refused(await deliver("x".repeat(256)))).toEqual([400, "idempotency.key"]);
    expectStatus(await deliver("x".repeat(256), { path: PATH }), 201);
  });
});

describe("run_now", () => {
  it("a job scheduled far off runs at once", async () => {
    const id = await ws.run(PATH, {}, { scheduled_in_secs: 24 * 3600 });
    expectStatus(await ws.post(`jobs/queue/run_now/${id}`), 200);
    expect(await ws.completed(id)).toMatchObject({ success: true, result: id });
  });

  it("simultaneous requests run the job once", async () => {
    const id = await ws.run(PATH, { url: `${witness.url}/ran` }, { scheduled_in_secs: 800 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => ws.post(`jobs/queue/run_now/${id}`)));
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    for (const answer of answers) if (answer.status !== 200) expect(refused(answer)).toEqual([400, "job.notQueued"]);
    await ws.completed(id);
    expect(witness.count("ran")).toBe(1);
  });

  it("a job that does not wait, or that the caller could not cancel, is rejected", async () => {
    const ended = await ws.run(PATH);
    await ws.completed(ended);
    expect(refused(await ws.post(`jobs/queue/run_now/${ended}`))).toEqual([400, "job.notQueued"]);
    expect(refused(await ws.post(`jobs/queue/run_now/${randomUUID()}`))).toEqual([404, "job.notFound"]);
    const waiting = await ws.run(PATH, {}, { scheduled_in_secs: 800 });
    const dev = (await member(ws, "dev")).in(ws);
    expect(refused(await dev.post(`jobs/queue/run_now/${waiting}`))).toEqual([404, "job.notFound"]);
    expect(refused(await (await newWorkspace(service.api)).post(`jobs/queue/run_now/${waiting}`))).toEqual([404, "job.notFound"]);
  });
});

describe("instance settings", () => {
  const SETTING = "settings/global/timeout_wait_result";
  const set = (value: unknown) => service.api.post(SETTING, { value });

  it("settings are set, read, listed and removed", async () => {
    try {
      expectStatus(await set(24), 200);
      expect((await service.api.get(SETTING)).json).toBe(24);
      // Other tests have other settings.
      expect((await service.api.get("settings/list_global")).json).toContainEqual({
        name: "timeout_wait_result",
        value: 24,
        version: expect.any(String),
      });
    } finally {
      expectStatus(await service.api.post(SETTING, {}), 200);
    }
    expect((await service.api.get(SETTING)).json).toBeNull();
    expect((await service.api.get("settings/list_global")).text).not.toContain("timeout_wait_result");
  });

  it.each([0, 26, 1.5, "20", [20], {}])("an invalid setting is rejected: %j", async (value) => {
    const answer = await set(value);
    expect(refused(answer)).toEqual([422, "setting.value"]);
    expect(answer.text).toContain("timeout_wait_result");
  });

  it("only superadmins access settings, except for those that clients need", async () => {
    const { api: theirs } = await someone("plain", service.api);
    expect((await theirs.get(SETTING)).status).toBe(403);
    expect((await theirs.post(SETTING, { value: 5 })).status).toBe(403);
    expect((await theirs.get("settings/list_global")).status).toBe(403);
    expect((await theirs.get("settings/global/automate_username_creation")).json).toBe(false);
    expect(refused(await service.api.post("settings/global/automate_username_creation", { value: true }))).toEqual([422, "setting.value"]);
  });
});
