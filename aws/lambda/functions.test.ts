import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import type { JobCall } from "../../core/jobs/record/lifecycle.ts";
import type { RunRequest } from "../../runners/protocol.ts";
import { stubAws } from "../../test/support/engine/stub-env.ts";

let server: http.Server | undefined;
afterEach(() => {
  server?.close();
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** The adapter with a service that returns these responses; each call creates a new client. */
async function functionsAt(answer: http.RequestListener | undefined, more: Record<string, string> = {}) {
  server = http.createServer(answer);
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  if (!answer) await new Promise((resolve) => server?.close(resolve));
  stubAws(`http://127.0.0.1:${port}`, { SVC_RUNNER_FUNCTIONS: '{"bun":"runner"}', SVC_WORKER_FUNCTION: "worker", ...more });
  return (await import("./functions.ts")).functions;
}

const answered =
  '{"outcome":"success","result":1,"logs":{"offset":0,"text":""},"timings":{"setupMs":1,"runMs":1,"totalMs":2,"freshHost":true}}';

it.each<[string, http.RequestListener | undefined, string]>([
  ["answers an outcome", (_, response) => response.end(answered), "outcome"],
  ["answers without its times", (_, response) => response.end('{"outcome":"success","result":1}'), "lost"],
  ["answers no JSON", (_, response) => response.end("{"), "lost"],
  ["answers nothing", (_, response) => response.end(), "lost"],
  [
    "answers a value that no other program can read",
    (_, response) => response.end(`{"outcome":"success","result":${"[".repeat(5000)}${"]".repeat(5000)}}`),
    "lost",
  ],
  [
    "dies in the run",
    (_, response) => response.writeHead(200, { "x-amz-function-error": "Unhandled" }).end('{"errorMessage":"gone"}'),
    "lost",
  ],
  ["has no room", (_, response) => response.writeHead(429, { "x-amzn-errortype": "TooManyRequestsException" }).end("{}"), "throttled"],
  ["is not there", undefined, "throttled"],
  ["has no environment", (_, response) => response.writeHead(502, { "x-amzn-errortype": "EC2ThrottledException" }).end("{}"), "throttled"],
  ["has a disabled key", (_, response) => response.writeHead(502, { "x-amzn-errortype": "KMSDisabledException" }).end("{}"), "throttled"],
  ["does not exist", (_, response) => response.writeHead(404, { "x-amzn-errortype": "ResourceNotFoundException" }).end("{}"), "lost"],
  // The function may still run: a second call would repeat its effects.
  ["loses its connection in the run", (request) => request.socket.destroy(), "unknown"],
  ["fails on the service's side", (_, response) => response.writeHead(500).end("{}"), "unknown"],
])("a runner that %s", async (_what, answer, kind) => {
  const functions = await functionsAt(answer);
  expect((await functions.invokeRunner("bun", {} as RunRequest, "tenant")).kind).toBe(kind);
});

it.each<[string, http.RequestListener | undefined, unknown]>([
  ["answers the ended job", (_, response) => response.end('{"id":"1","state":"succeeded"}'), { id: "1", state: "succeeded" }],
  ["has given the job back", (_, response) => response.end("null"), null],
  ["dies in the run", (_, response) => response.writeHead(200, { "x-amz-function-error": "Unhandled" }).end("{}"), null],
  ["loses its connection in the run", (request) => request.socket.destroy(), null],
  ["has no room", (_, response) => response.writeHead(429, { "x-amzn-errortype": "TooManyRequestsException" }).end("{}"), "refused"],
  ["is not there", undefined, "refused"],
])("a worker that %s", async (_what, answer, expected) => {
  const functions = await functionsAt(answer);
  expect(await functions.invokeWorker({ running: { id: "1" } } as JobCall)).toEqual(expected);
});

it.each<[string, http.RequestListener | undefined, string | undefined]>([
  ["is throttled", (_, response) => response.writeHead(429, { "x-amzn-errortype": "TooManyRequestsException" }).end("{}"), "service.busy"],
  ["cannot be reached", undefined, "service.busy"],
  [
    "was refused a call itself",
    (_, response) =>
      response.writeHead(200, { "x-amz-function-error": "Unhandled" }).end('{"errorType":"ServiceBusy","errorMessage":"no"}'),
    "service.busy",
  ],
  ["fails", (_, response) => response.writeHead(200, { "x-amz-function-error": "Unhandled" }).end('{"errorType":"TypeError"}'), undefined],
])("a function that %s", async (_what, answer, code) => {
  vi.stubEnv("SVC_FLOWS_FUNCTION", "flows");
  const functions = await functionsAt(answer);
  const request = { workspace: "w", path: "f/a/b", value: {} } as Parameters<typeof functions.createStateMachine>[0];
  const error = await functions.createStateMachine(request).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect((error as { code?: string }).code).toBe(code);
});

it("a runner and the builder are called with their tenant where tenants are isolated", async () => {
  const tenants: unknown[] = [];
  const answer: http.RequestListener = (request, response) => {
    tenants.push(request.headers["x-amz-tenant-id"]);
    response.end(request.url?.includes("build") ? '{"ok":false,"error":"","log":""}' : answered);
  };
  const build = {} as Parameters<Awaited<ReturnType<typeof functionsAt>>["invokeBuild"]>[0];
  for (const tenancy of ["identity", ""]) {
    const functions = await functionsAt(answer, { SVC_BUILD_FUNCTION: "build", SVC_TENANCY: tenancy });
    await functions.invokeRunner("bun", {} as RunRequest, "a user of a");
    for (const workspace of ["a", "a", "b"]) await functions.invokeBuild(build, workspace);
    server?.close();
    vi.resetModules();
  }
  const [ofUser, ofA, againOfA, ofB, ...local] = tenants;
  expect([ofUser, ofA, ofB]).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f]{32}$/)));
  expect(againOfA).toBe(ofA);
  expect(new Set([ofUser, ofA, ofB]).size).toBe(3);
  expect(local).toEqual(Array(4).fill(undefined));
});

/** Calls a runner that Lambda refuses, and returns the telemetry. */
async function refusals(body: object, more: Record<string, string>) {
  const functions = await functionsAt(
    (_, response) => response.writeHead(429, { "x-amzn-errortype": "TooManyRequestsException" }).end(JSON.stringify(body)),
    more,
  );
  const { registerTelemetry } = await import("../../core/telemetry/telemetry.ts");
  const told: unknown[] = [];
  registerTelemetry({ count: (outcome) => told.push(outcome), failure: (_, error, { job }) => told.push([(error as Error).name, job]) });
  expect((await functions.invokeRunner("bun", { job: "j", workspace: "w" } as RunRequest, "tenant")).kind).toBe("throttled");
  return told;
}
const isolated = { SVC_TENANCY: "identity" };

it("a refusal of another environment for a tenant has its own error and metric, and any other refusal has not", async () => {
  const full = { Message: "Rate exceeded", Type: "User" };
  expect(await refusals(full, isolated)).toEqual(["TenantRefusals", ["TenantEnvironmentsFull", "j"]]);
  for (const Reason of [
    "ConcurrentInvocationLimitExceeded",
    "ReservedFunctionConcurrentInvocationLimitExceeded",
    "CallerRateLimitExceeded",
  ]) {
    server?.close();
    vi.resetModules();
    expect(await refusals({ ...full, Reason }, isolated), Reason).toEqual([]);
  }
  server?.close();
  vi.resetModules();
  expect(await refusals(full, { SVC_TENANCY: "" })).toEqual([]);
});
