import { randomUUID } from "node:crypto";
import { paginateScan, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients } from "../../support/engine/aws.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
const PATH = "f/t/once";
beforeAll(async () => {
  ws = await newWorkspace();
  await ws.saveScript({
    path: PATH,
    language: "bun",
    content: "export async function main(ms = 0, n = 0) { await Bun.sleep(ms); return { n, job: process.env.WM_JOB_ID }; }",
  });
});

const call = (route: string, key: string, body: unknown = {}): Promise<Answer> =>
  ws.call("POST", `jobs/${route}/p/${PATH}`, { body, headers: { "idempotency-key": key } });
const jobs = async () =>
  ((await ws.get("jobs/list", { script_path_exact: PATH, per_page: 100 })).json as { id: string }[]).map(({ id }) => id);

describe("an Idempotency-Key", () => {
  it("repeated calls with one key create one job, asynchronous and synchronous ones", async () => {
    const key = randomUUID();
    const first = expectStatus(await call("run", key, { n: 1 }), 201);
    expect(first.headers.get("x-svc-idempotent-replay")).toBeNull();
    const again = expectStatus(await call("run", key, { n: 1 }), 201);
    expect([again.text, again.headers.get("x-svc-idempotent-replay")]).toEqual([first.text, "true"]);
    const waited = expectStatus(await call("run_wait_result", key, { n: 1 }), 200);
    expect(waited.json).toEqual({ n: 1, job: first.text });
  });

  it("twenty simultaneous calls create one job", async () => {
    const before = (await jobs()).length;
    const key = randomUUID();
    const routes = Array.from({ length: 20 }, (_, at) => (at % 2 ? "run" : "run_wait_result"));
    const answers = await Promise.all(routes.map((route) => call(route, key, { n: 20 })));
    const ids = new Set(answers.map((answer) => answer.headers.get("x-svc-job-id")));
    expect([ids.size, answers.map(({ status }) => status).filter((status) => status >= 300)]).toEqual([1, []]);
    expect((await jobs()).length).toBe(before + 1);
  });

  it("a repeated synchronous call joins the current run", async () => {
    const key = randomUUID();
    const before = new Set(await jobs());
    const first = call("run_wait_result", key, { ms: 1500 });
    const id = await until(async () => (await jobs()).find((one) => !before.has(one)), { timeoutMs: 10_000, what: "the first call's job" });
    const second = await call("run_wait_result", key, { ms: 1500 });
    expect(second.json).toEqual((await first).json);
    expect(second.json).toMatchObject({ job: id });
  });

  it("a key with other arguments is rejected, and another key is another call", async () => {
    const key = randomUUID();
    const first = expectStatus(await call("run", key, { n: 1 }), 201);
    const other = await call("run", key, { n: 2 });
    expect([other.status, other.headers.get("x-svc-error")]).toEqual([422, "idempotency.reused"]);
    expect(expectStatus(await call("run", randomUUID(), { n: 1 }), 201).text).not.toBe(first.text);
  });

  it("the key works for previews and for files of a form", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const preview = () =>
      ws.call("POST", "jobs/run/preview", { body: { language: "bun", content: "export const main = () => 1" }, headers });
    expect((await preview()).text).toBe((await preview()).text);
    const form = () => {
      const data = new FormData();
      data.append("n", new Blob(["same"]), "n.txt");
      return fetch(`${ws.api.url}/api/w/${ws.id}/jobs/run/p/${PATH}`, {
        method: "POST",
        headers: { ...headers, authorization: `Bearer ${ws.api.token}` },
        body: data,
      }).then((answer) => answer.text());
    };
    expect(await form()).toBe(await form());
  });

  it.each(["", " ", "é", "x".repeat(256)])("an invalid key is rejected: %j", async (key) => {
    const answer = await fetch(`${ws.api.url}/api/w/${ws.id}/jobs/run/p/${PATH}`, {
      method: "POST",
      headers: { authorization: `Bearer ${ws.api.token}`, "idempotency-key": Buffer.from(key).toString("latin1") },
      body: "{}",
    });
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([400, "idempotency.key"]);
  });

  it("a key expires after a day", async () => {
    const key = randomUUID();
    const first = expectStatus(await call("run", key), 201);
    const { dynamodb } = awsClients();
    const TableName = shared().outputs["ObjectsTable"];
    // Its name is a hash: found by the job that it remembers.
    let item: Record<string, unknown> | undefined;
    for await (const { Items = [] } of paginateScan({ client: dynamodb }, { TableName })) {
      item ??= Items.find(({ v }) => v?.M?.["job"]?.S === first.text);
    }
    await dynamodb.send(
      new UpdateItemCommand({
        TableName,
        Key: { pk: item?.["pk"] as never, sk: item?.["sk"] as never },
        UpdateExpression: "SET #t = :t",
        ExpressionAttributeNames: { "#t": "ttl" },
        ExpressionAttributeValues: { ":t": { N: String(Math.floor(Date.now() / 1000) - 1) } },
      }),
    );
    expect(expectStatus(await call("run", key, { n: 5 }), 201).text).not.toBe(first.text);
  });
});
