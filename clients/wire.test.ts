import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Called, clients, type Driver, startDriver } from "../test/support/clients/client-driver.ts";
import { approvals } from "../test/support/clients/exchanges/approvals.ts";
import { files } from "../test/support/clients/exchanges/files.ts";
import type { Row } from "../test/support/clients/exchanges/row.ts";
import { runs } from "../test/support/clients/exchanges/runs.ts";
import { stored } from "../test/support/clients/exchanges/stored.ts";
import { type RecordedRequest, type Recorder, type Reply, startRecorder } from "../test/support/clients/recorder.ts";

// A cold Go compiler on a shared machine.
vi.setConfig({ hookTimeout: 240_000, testTimeout: 60_000 });

let recorder: Recorder;
beforeAll(async () => {
  recorder = await startRecorder();
});
afterAll(() => recorder.close());

const job = {
  WM_TOKEN: "a-token",
  WM_WORKSPACE: "demo",
  WM_JOB_ID: "job-1",
  WM_ROOT_FLOW_JOB_ID: "root-1",
  WM_FLOW_JOB_ID: "flow-1",
  WM_FLOW_STEP_ID: "a",
  WM_STATE_PATH_NEW: "u/ann/f_ops_hello_state",
  WM_BASE_URL: "https://svc.example/",
};
const spelledOurs = Object.fromEntries(Object.entries(job).map(([name, value]) => [name.replace("WM_", "OV_"), value]));

/** One call with its replies, and the requests that it made: each as method, route and query in one text. */
async function exchange(driver: Driver, { call, args, replies }: Pick<Row, "call" | "args" | "replies">) {
  recorder.requests.length = 0;
  recorder.replies.splice(0, Number.POSITIVE_INFINITY, ...replies);
  const called: Called = await driver.call(call, ...args);
  return { ...called, requests: [...recorder.requests], unused: recorder.replies.length };
}

const line = ({ method, path, query }: RecordedRequest) =>
  [
    method,
    path.replace("/api/w/demo/", ""),
    ...Object.entries(query)
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
  ].join(" ");
const bodies = (requests: RecordedRequest[]) =>
  requests.map(({ body, type }) => (type === "application/json" ? JSON.parse(body) : type ? [type, body] : undefined));

describe.each(clients)("the %s client", (client) => {
  let driver: Driver;
  beforeAll(() => {
    driver = startDriver(client, { ...job, BASE_INTERNAL_URL: `${recorder.url}/` });
  });
  afterAll(() => driver.stop());

  it.each([...stored, ...runs, ...files, ...approvals].map((row) => [row.title, row] as const))("%s", async (_, row) => {
    const { requests, unused, result, error, printed } = await exchange(driver, row);
    expect(requests.map(line)).toEqual(row.requests);
    expect(bodies(requests)).toEqual(row.bodies ?? requests.map(() => undefined));
    expect(unused).toBe(0);
    if (row.error) expect(error).toMatchObject(row.error);
    else expect({ result, error }).toEqual({ result: row.result ?? null, error: undefined });
    expect(printed).toEqual(row.prints ?? []);
    expect(requests.map(({ authorization }) => authorization)).toEqual(requests.map(() => "Bearer a-token"));
  });

  it("the client rejects a path that leads to another route, and sends nothing", async () => {
    for (const path of ["../../users/whoami", "f/ops/../x", "", "f//x"]) {
      const { requests, error } = await exchange(driver, { call: "getVariable", args: [path], replies: [] });
      expect([requests, error?.message]).toEqual([[], expect.stringContaining("is not a path")]);
    }
  });

  it("the client follows a redirect to a file's storage without sending the token", async () => {
    const storage = await startRecorder();
    storage.replies.push({ body: Buffer.from("large") });
    const replies = [{ status: 302, headers: { location: `${storage.url}/file?signature=x` } }];
    expect((await exchange(driver, { call: "loadS3File", args: ["s3:///a.bin"], replies })).result).toBe("large");
    expect(storage.requests).toMatchObject([{ method: "GET", path: "/file", query: { signature: "x" }, authorization: undefined }]);
    await storage.close();
  });

  it("the client sends a file that exceeds a request to its storage, and returns its location", async () => {
    const storage = await startRecorder();
    storage.replies.push({ body: "" }, { status: 403, body: "<Error/>" });
    const content = "é".repeat(2.5 * 1024 * 1024);
    const place = { body: { file_key: "a.csv", url: `${storage.url}/put?signature=x` } };
    const args = ["s3://second/a.csv", content, "$res:f/ops/bucket", "text/csv", "attachment"];
    const { requests, result } = await exchange(driver, { call: "writeS3File", args, replies: [place] });
    expect(result).toEqual({ s3: "a.csv", storage: "second" });
    expect(requests.map(line)).toEqual(["POST job_helpers/presign_upload"]);
    expect(bodies(requests)).toEqual([{ file_key: "a.csv", storage: "second", s3_resource_path: "f/ops/bucket" }]);
    expect(storage.requests).toMatchObject([{ method: "PUT", query: { signature: "x" }, authorization: undefined, type: "text/csv" }]);
    expect(storage.requests[0]?.body === content).toBe(true);
    const refused = await exchange(driver, { call: "writeS3File", args, replies: [place] });
    expect(refused.error).toMatchObject({ status: 403, message: "The file could not be stored: its storage answered 403." });
    await storage.close();
  });

  it("the client requests the approval URLs of the step that runs it, different ones for each call", async () => {
    const urls = { approvalPage: "https://svc.example/approve/x", resume: "https://svc.example/r", cancel: "https://svc.example/c" };
    const ids: string[] = [];
    for (const [args, query] of [
      [[], {}],
      [["Ann & Bo"], { approver: "Ann & Bo" }],
      [["ann", true], { approver: "ann", flow_level: "true" }],
    ] as const) {
      const { requests, result } = await exchange(driver, { call: "getResumeUrls", args: [...args], replies: [{ body: urls }] });
      expect([result, requests]).toMatchObject([urls, [{ method: "GET", query, authorization: "Bearer a-token" }]]);
      expect(requests[0]?.query).toEqual(query);
      const [, id = ""] = /^\/api\/w\/demo\/jobs\/resume_urls\/job-1\/(\d+)$/.exec(requests[0]?.path ?? "") ?? [];
      ids.push(id);
    }
    expect(ids.every((id) => id !== "" && Number(id) < 2 ** 32)).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("the client stops waiting if the service remains unavailable", async () => {
    const replies: Reply[] = Array.from({ length: 5 }, () => ({ status: 503, body: "Later." }));
    const { requests, error } = await exchange(driver, { call: "waitJob", args: ["job-2"], replies });
    expect([requests.length, error?.status]).toEqual([5, 503]);
  });
});

it.each(["bun", "deno", "nodejs"] as const)("runScriptByPathAsync in %s returns the response text, whatever the status", async (client) => {
  const driver = startDriver(client, { ...job, BASE_INTERNAL_URL: recorder.url });
  const refusal = { call: "runScriptByPathAsync", args: ["f/ops/none"], replies: [{ status: 404, body: "There is none." }] };
  expect((await exchange(driver, refusal)).result).toBe("There is none.");
  driver.stop();
});

it.each(["bun", "deno", "nodejs"] as const)("getResumeUrls in %s is also available by its older name", async (client) => {
  const driver = startDriver(client, { ...job, BASE_INTERNAL_URL: recorder.url });
  const { requests, result } = await exchange(driver, { call: "getResumeEndpoints", args: ["ann"], replies: [{ body: { resume: "r" } }] });
  expect([result, requests[0]?.query]).toEqual([{ resume: "r" }, { approver: "ann" }]);
  driver.stop();
});

it.each(["nodejs", "python3"] as const)("runScript in %s accepts either a path or a hash", async (client) => {
  const driver = startDriver(client, { ...job, BASE_INTERNAL_URL: recorder.url });
  const replies: Reply[] = [{ status: 201, body: "job-2" }, { body: { completed: true, success: true, result: 1 } }];
  for (const [args, route] of [
    [["f/ops/x", null, { a: 1 }], "jobs/run/p/f/ops/x"],
    [[null, "00000000000000aa", { a: 1 }], "jobs/run/h/00000000000000aa"],
  ] as const) {
    const { requests, result } = await exchange(driver, { call: "runScript", args: [...args], replies });
    expect([line(requests[0] as RecordedRequest), requests[0]?.body.replace(" ", ""), result]).toEqual([
      `POST ${route} parent_job=job-1 root_job=root-1`,
      '{"a":1}',
      1,
    ]);
  }
  expect((await exchange(driver, { call: "runScript", args: [null, null], replies: [] })).error?.name).toBe("TypeError");
  driver.stop();
});

it.each(["python3", "go"] as const)("runScriptByPathAsync in %s throws if the script cannot run", async (client) => {
  const driver = startDriver(client, { ...job, BASE_INTERNAL_URL: recorder.url });
  const refusal = { call: "runScriptByPathAsync", args: ["f/ops/none"], replies: [{ status: 404, body: "There is none." }] };
  expect((await exchange(driver, refusal)).error).toMatchObject({ name: "ApiError", status: 404 });
  driver.stop();
});

describe.each(clients)("the environment of the %s client", (client) => {
  const drivers: Driver[] = [];
  const start = (variables: Record<string, string>) => {
    const driver = startDriver(client, variables);
    drivers.push(driver);
    return driver;
  };
  afterAll(() => {
    for (const driver of drivers) driver.stop();
  });
  const reading = { call: "getVariable", args: ["f/ops/x"], replies: [{ body: "1" }] };

  it("the client also reads OV_ variables, and BASE_URL if there is no internal address", async () => {
    const driver = start({ ...spelledOurs, BASE_URL: recorder.url });
    const { requests } = await exchange(driver, { call: "runScriptByPathAsync", args: ["f/ops/x", {}], replies: [{ body: "job-2" }] });
    expect(requests).toMatchObject([
      { path: "/api/w/demo/jobs/run/p/f/ops/x", query: { parent_job: "job-1", root_job: "root-1" }, authorization: "Bearer a-token" },
    ]);
  });

  it("the client uses the values of setClient outside of jobs", async () => {
    const driver = start({});
    await driver.call("setClient", "chosen", recorder.url, "other");
    const run = { call: "runScriptByPathAsync", args: ["f/ops/x", { a: 1 }], replies: [{ body: "job-2" }] };
    const { requests, result } = await exchange(driver, run);
    expect(result).toBe("job-2");
    expect(requests).toMatchObject([{ path: "/api/w/other/jobs/run/p/f/ops/x", query: {}, authorization: "Bearer chosen" }]);
    for (const call of ["getRootJobId", "getState", "getProgress", "getResumeUrls"]) {
      expect((await exchange(driver, { call, args: [], replies: [] })).error?.message).toContain("is not set");
    }
  });

  it("the client refuses to ask for an approval in a job that is no step of a flow, and sends nothing", async () => {
    const driver = start({ ...job, WM_FLOW_JOB_ID: "", WM_FLOW_STEP_ID: "", BASE_INTERNAL_URL: recorder.url });
    const teams = { teamName: "Operations", channelName: "General" };
    for (const [call, request] of [
      ["requestInteractiveChatApproval", { chatResourcePath: "f/ops/slack" }],
      ["requestInteractiveSlackApproval", { slackResourcePath: "f/ops/slack" }],
      ["requestInteractiveDiscordApproval", { chatResourcePath: "f/ops/discord" }],
      ["requestInteractiveCollabApproval", teams],
      ["requestInteractiveTeamsApproval", teams],
    ] as const) {
      const { requests, error } = await exchange(driver, { call, args: [request], replies: [] });
      expect([requests, error?.message]).toEqual([[], expect.stringContaining("not run in a step of a flow (WM_FLOW_STEP_ID is not set)")]);
    }
  });

  it("the client sends empty values for a missing workspace and token", async () => {
    const { requests } = await exchange(start({ BASE_INTERNAL_URL: recorder.url }), reading);
    expect(requests).toMatchObject([{ path: "/api/w/no_workspace/variables/get_value/f/ops/x", authorization: undefined }]);
  });

  it("the client reads variables and resources from a file if one is configured", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "svc-mocked-")), "api.json");
    writeFileSync(file, JSON.stringify({ variables: { "f/ops/known": "here" }, resources: { "f/ops/db": { host: "h" } } }));
    const driver = start({ ...job, BASE_INTERNAL_URL: recorder.url, WM_MOCKED_API_FILE: file });
    expect(await exchange(driver, { call: "getVariable", args: ["f/ops/known"], replies: [] })).toMatchObject({
      result: "here",
      requests: [],
    });
    expect(await exchange(driver, { call: "getResource", args: ["f/ops/db"], replies: [] })).toMatchObject({
      result: { host: "h" },
      requests: [],
    });
    expect(await exchange(driver, { ...reading, replies: [{ body: "there" }] })).toMatchObject({ result: "there" });
  });
});
