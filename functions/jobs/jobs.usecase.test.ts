import { randomUUID } from "node:crypto";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documents } from "../../aws/sdk/clients.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../test/support/api/workspace.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
  await ws.saveScript({ path: "f/t/ok", language: "bun", content: "export const main = (x: string) => { console.log(x); return x; };" });
});
afterAll(() => service.close());

const set = (table: string, pk: string, sk: string, name: string, value: unknown) =>
  documents().send(
    new UpdateCommand({
      TableName: requireEnv(table),
      Key: { pk, sk },
      UpdateExpression: "SET #n = :v",
      ExpressionAttributeNames: { "#n": name },
      ExpressionAttributeValues: { ":v": value },
    }),
  );

describe("reading a job", () => {
  it("the deletion of a completed job erases arguments, log and result", async () => {
    const id = await ws.run("f/t/ok", { x: "private" });
    await ws.completed(id);
    expect((await ws.post(`jobs/completed/delete/${id}`)).json).toMatchObject({ id, deleted: true });
    const left = (await ws.get(`jobs_u/get/${id}`)).text;
    expect(left).not.toContain("private");
    expect((await ws.get(`jobs_u/get_logs/${id}`)).text).toBe("");
    expect((await ws.get(`jobs_u/get_args/${id}`)).json).toEqual({});
  });

  it("unknown jobs and those of other workspaces return 404 in plain text", async () => {
    const other = await newWorkspace(service.api);
    const id = await ws.run("f/t/ok");
    for (const answer of [await ws.get(`jobs_u/get/${randomUUID()}`), await other.get(`jobs_u/get/${id}`)]) {
      expect([answer.status, answer.headers.get("content-type"), answer.headers.get("x-svc-error")]).toEqual([
        404,
        "text/plain; charset=utf-8",
        "job.notFound",
      ]);
    }
  });
});

describe("cancel", () => {
  it("a queued job ends at once", async () => {
    const id = await ws.run("f/t/ok", {}, { scheduled_in_secs: 600 });
    expectStatus(await ws.post(`jobs_u/queue/cancel/${id}`, { reason: "not needed" }), 200);
    expect(await ws.completed(id)).toMatchObject({
      canceled: true,
      canceled_by: "admin",
      canceled_reason: "not needed",
      success: false,
      result: { error: { name: "Canceled", message: expect.stringContaining("not needed") } },
    });
    const again = await ws.post(`jobs_u/queue/cancel/${id}`, {});
    expect([again.status, again.headers.get("x-svc-error")]).toEqual([400, "job.ended"]);
  });
});

describe("a version whose build ended without a reason", () => {
  it("a job that cannot be read fails with the reason for every reader and worker", async () => {
    const path = "f/t/never_built";
    const hash = await ws.saveScript({ path, language: "bun", content: "export function main() { return 1; }" });
    // A canceled job represents a build whose worker was lost three times.
    const canceled = await ws.run(path, {}, { scheduled_in_secs: 600 });
    expectStatus(await ws.post(`jobs_u/queue/cancel/${canceled}`, {}), 200);
    const pending = { state: "pending", job: canceled };
    await set(env.objectsTable, `V#${ws.id}#${hash}`, "head", "b", pending);
    await set(env.objectsTable, `R#${ws.id}#${path}`, "head", "b", pending);

    const run = await ws.completed(await ws.run(path));
    expect(run).toMatchObject({
      success: false,
      result: { error: { name: "DependencyError", message: expect.stringContaining(canceled) } },
    });
    const status = (await ws.get(`scripts/deployment_status/h/${hash}`)).json as Record<string, unknown>;
    expect(status).toMatchObject({ lock_error_logs: expect.stringContaining("canceled"), job_id: canceled });
  });
});

describe("an expired job", () => {
  it("the job does not exist any more, whether swept or not", async () => {
    await ws.saveScript({ path: "f/t/one", language: "bun", content: "export function main() { return 1; }" });
    const job = await ws.run("f/t/one");
    await ws.completed(job);
    await set(env.jobsTable, job, "job", "ttl", Math.floor(Date.now() / 1000) - 1);
    expect((await ws.get(`jobs_u/get/${job}`)).status).toBe(404);
    const listed = (await ws.get("jobs/list")).json as { id: string }[];
    expect(listed.map(({ id }) => id)).not.toContain(job);
  });
});

describe("a record whose message could not be sent", () => {
  it("a job is removed only if it was never claimed", async () => {
    await ws.saveScript({ path: "f/t/two", language: "bun", content: "export function main() { return 1; }" });
    const waiting = await ws.run("f/t/two", {}, { scheduled_in_secs: 600 });
    const ended = await ws.run("f/t/two");
    await ws.completed(ended);
    const { jobs } = service.world.deps;
    expect([await jobs.deleteUnclaimed(ended), await jobs.deleteUnclaimed(waiting)]).toEqual([false, true]);
    expect((await ws.get(`jobs_u/get/${waiting}`)).status).toBe(404);
    expect((await ws.get(`jobs_u/get/${ended}`)).status).toBe(200);
  });
});

describe("a job that is scheduled far ahead", () => {
  it("the job waits outside of the queue, and is sent shortly before its time", async () => {
    await ws.saveScript({ path: "f/t/three", language: "bun", content: "export function main() { return 3; }" });
    const at = new Date(Date.now() + 40 * 24 * 3600_000).toISOString();
    const job = await ws.run("f/t/three", {}, { scheduled_for: at });
    expect((await ws.get(`jobs_u/get/${job}`)).json).toMatchObject({ running: false, scheduled_for: at });
    const { Item } = await documents().send(
      new GetCommand({ TableName: requireEnv(env.jobsTable), Key: { pk: job, sk: "job" }, ConsistentRead: true }),
    );
    const dueMs = Number(Item?.["ds"]);
    expect(dueMs).toBeLessThan(Date.parse(at) - 60_000);
    expect(dueMs).toBeGreaterThan(Date.parse(at) - 900_000);
    expect(Number(Item?.["ttl"])).toBeGreaterThan(Date.parse(at) / 1000);
  });
});

it("a preview in a missing workspace returns 404, and nothing is stored", async () => {
  const id = randomUUID();
  const answer = await ws.api.post(
    "w/nowhere/jobs/run/preview",
    { language: "bun", content: "export const main = () => 1" },
    { job_id: id },
  );
  expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([404, "workspace.notFound"]);
  expect((await ws.api.get(`w/nowhere/jobs_u/get/${id}`)).status).toBe(404);
});
