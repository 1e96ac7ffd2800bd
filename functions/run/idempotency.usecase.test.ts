import { randomUUID } from "node:crypto";
import { paginateScan, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { documents } from "../../aws/sdk/clients.ts";
import { env, requireEnv } from "../../contract/env.ts";
import type { Answer } from "../../test/support/api/api.ts";
import { expectStatus, type Workspace } from "../../test/support/api/workspace.ts";
import { until } from "../../test/support/until.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
const PATH = "f/t/once";
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
  await ws.saveScript({ path: PATH, language: "bun", content: "export const main = (n = 0) => ({ n, job: process.env.WM_JOB_ID });" });
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => service.close());

const call = (route: string, key: string, body: unknown = {}): Promise<Answer> =>
  ws.call("POST", `jobs/${route}/p/${PATH}`, { body, headers: { "idempotency-key": key } });
const jobs = async () =>
  ((await ws.get("jobs/list", { script_path_exact: PATH, per_page: 100 })).json as { id: string }[]).map(({ id }) => id);

describe("an Idempotency-Key", () => {
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
    const { answers } = service.world;
    const { run } = answers;
    const [begun, released] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
    answers.run = async (request) => {
      begun.resolve(request.job);
      await released.promise;
      return run(request);
    };
    const first = call("run_wait_result", key, { n: 3 });
    const id = await begun.promise;
    answers.run = run;
    const reads = vi.spyOn(jobTable, "get");
    const second = call("run_wait_result", key, { n: 3 });
    await until(() => reads.mock.calls.some(([job]) => job === id), { what: "the second call that waits for the job" });
    released.resolve();
    expect((await second).json).toEqual((await first).json);
    expect((await second).json).toMatchObject({ job: id });
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
      return ws.call("POST", `jobs/run/p/${PATH}`, { headers, body: data }).then((answer) => answer.text);
    };
    expect(await form()).toBe(await form());
  });

  it("a key expires after a day", async () => {
    const key = randomUUID();
    const first = expectStatus(await call("run", key), 201);
    const TableName = requireEnv(env.objectsTable);
    // Its name is a hash: found by the job that it remembers.
    let item: Record<string, unknown> | undefined;
    for await (const { Items = [] } of paginateScan({ client: documents() }, { TableName })) {
      item ??= Items.find(({ v }) => (v as { job?: string }).job === first.text);
    }
    await documents().send(
      new UpdateCommand({
        TableName,
        Key: { pk: item?.["pk"], sk: item?.["sk"] },
        UpdateExpression: "SET #t = :t",
        ExpressionAttributeNames: { "#t": "ttl" },
        ExpressionAttributeValues: { ":t": Math.floor(Date.now() / 1000) - 1 },
      }),
    );
    expect(expectStatus(await call("run", key, { n: 5 }), 201).text).not.toBe(first.text);
  });
});
