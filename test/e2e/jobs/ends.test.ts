import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { GetItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients } from "../../support/engine/aws.ts";
import { stubServiceEnv } from "../../support/engine/stub-env.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const { dynamodb } = awsClients();
const { outputs } = shared();
const set = (table: "JobsTable" | "ObjectsTable", pk: string, sk: string, name: string, value: object) =>
  dynamodb.send(
    new UpdateItemCommand({
      TableName: outputs[table],
      Key: { pk: { S: pk }, sk: { S: sk } },
      UpdateExpression: "SET #n = :v",
      ExpressionAttributeNames: { "#n": name },
      ExpressionAttributeValues: { ":v": value as never },
    }),
  );

describe("a running job that is canceled by force", () => {
  it("the job retains that end and its output, whatever its runner reports afterwards", async () => {
    await ws.saveScript({
      path: "f/t/late",
      language: "bun",
      content: `export async function main(pad: string, url: string, ms: number) {
        console.log("first line");
        await fetch(url);
        await Bun.sleep(ms);
        return "late result " + pad;
      }`,
    });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const server = createServer((_, response) => void released.then(() => response.end()));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // Large enough that neither end has room in the job's head item.
    const job = await ws.run("f/t/late", { pad: "x".repeat(400), url, ms: 0 });
    await until(async () => (await ws.get(`jobs_u/get_logs/${job}`)).text.includes("first line"), {
      timeoutMs: 30_000,
      what: "the first line",
    });
    expectStatus(await ws.post(`jobs_u/queue/force_cancel/${job}`, { reason: "r".repeat(300) }), 200);
    // The script ends before the runner polls again, so it does not notice the cancellation.
    release();
    // The report of its end arrives while this run lasts.
    const witness = await ws.runWait("f/t/late", { pad: "", url, ms: 2000 });
    expect(witness.json).toBe("late result ");
    server.close();

    const result = expectStatus(await ws.get(`jobs_u/completed/get_result/${job}`), 200).json;
    expect(result).toEqual({ error: { name: "Canceled", message: expect.stringContaining("rrr") } });
    expect((await ws.get(`jobs_u/get_logs/${job}`)).text).toContain("first line");
    expect((await ws.completed(job))["canceled"]).toBe(true);
  });
});

describe("a version whose build ended without a reason", () => {
  it("a job that cannot be read fails with the reason for every reader and worker", async () => {
    const path = "f/t/never_built";
    const hash = await ws.saveScript({ path, language: "bun", content: "export function main() { return 1; }" });
    // A canceled job represents a build whose worker was lost three times.
    const canceled = await ws.run(path, {}, { scheduled_in_secs: 600 });
    expectStatus(await ws.post(`jobs_u/queue/cancel/${canceled}`, {}), 200);
    const pending = { M: { state: { S: "pending" }, job: { S: canceled } } };
    await set("ObjectsTable", `V#${ws.id}#${hash}`, "head", "b", pending);
    await set("ObjectsTable", `R#${ws.id}#${path}`, "head", "b", pending);

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
    await set("JobsTable", job, "job", "ttl", { N: String(Math.floor(Date.now() / 1000) - 1) });
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
    stubServiceEnv(shared());
    const { jobTable } = await import("../../../aws/dynamodb/job-table.ts");
    expect([await jobTable.deleteUnclaimed(ended), await jobTable.deleteUnclaimed(waiting)]).toEqual([false, true]);
    vi.unstubAllEnvs();
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
    const { Item } = await dynamodb.send(
      new GetItemCommand({ TableName: outputs["JobsTable"], Key: { pk: { S: job }, sk: { S: "job" } }, ConsistentRead: true }),
    );
    const dueMs = Number(Item?.["ds"]?.N);
    expect(dueMs).toBeLessThan(Date.parse(at) - 60_000);
    expect(dueMs).toBeGreaterThan(Date.parse(at) - 900_000);
    expect(Number(Item?.["ttl"]?.N)).toBeGreaterThan(Date.parse(at) / 1000);
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
