import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refused } from "../../test/support/api/refusal.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../test/support/api/workspace.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";
import { listStoredKeys } from "../../test/support/use-cases/stored/traces.ts";
import { addEndpoint, listEvents } from "../../test/support/use-cases/world-events.ts";

const ECHO = "f/t/echo";
let service: Service;
let ws: Workspace;
let other: Workspace;
beforeAll(async () => {
  service = await startService(["run", "stream", "jobs", "objects", "people"]);
  ws = service.ws;
  other = await newWorkspace(service.api);
  await addEndpoint({ ...service.world, workspace: other.id });
  await ws.saveScript({ path: ECHO, language: "bun", content: "export function main({ ...all }) { return all; }" });
  await ws.saveScript({ path: "f/t/reply", language: "bash", content: "" }, false);
});
afterAll(() => service.close());

const storedFiles = () => listStoredKeys(`files/${ws.id}/`);
/** The events of the other workspace. */
const eventsOfOther = async () =>
  (await listEvents({ ...service.world, workspace: other.id })).map(({ type, data }) => `${type} ${(data as { path?: string }).path}`);

interface Sent {
  headers?: Record<string, string>;
  query?: Record<string, string>;
}
const CE = { id: "1", source: "/s", type: "t", specversion: "1.0" };
const EVENT = { "content-type": "application/cloudevents+json" };
const form = (boundary: string) => ({ "content-type": `multipart/form-data${boundary}` });
const FILE = '--cut\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nwhole\r\n';

describe("invalid webhook calls", () => {
  it.each<[string, string, Sent, number, string]>([
    ["a form without a boundary", `${FILE}--cut--\r\n`, { headers: form("") }, 400, "payload.form"],
    ["a form under another boundary", `${FILE}--cut--\r\n`, { headers: form("; boundary=other") }, 400, "payload.form"],
    ["a form that ends after a complete file", FILE, { headers: form("; boundary=cut") }, 400, "payload.form"],
    ["an event without a type", JSON.stringify({ ...CE, type: undefined }), { headers: EVENT }, 400, "payload.cloudEvent"],
    ["an event with an empty source", JSON.stringify({ ...CE, source: "" }), { headers: EVENT }, 400, "payload.cloudEvent"],
    ["an event with an invalid time", JSON.stringify({ ...CE, time: "yesterday" }), { headers: EVENT }, 400, "payload.cloudEvent"],
    ["an event of a future version", JSON.stringify({ ...CE, specversion: "9.0" }), { headers: EVENT }, 400, "payload.cloudEvent"],
    ["an event that is not JSON", "{", { headers: EVENT }, 400, "payload.cloudEvent"],
    ["an event with only one of the four headers", "{}", { headers: { "ce-id": "1" } }, 400, "payload.cloudEvent"],
    ["a batch of events", "[]", { headers: { "content-type": "application/cloudevents-batch+json" } }, 415, "payload.cloudEventBatch"],
    ["objects 10,000 deep", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`, {}, 422, "body.tooDeep"],
    ["lists 10,000 deep", `${"[".repeat(10_000)}${"]".repeat(10_000)}`, {}, 422, "body.tooDeep"],
  ])(
    "a call with %s is rejected with one sentence, and leaves no job and no file",
    async (_what, body, { headers, query = {} }, status, code) => {
      for (const route of ["run", "run_wait_result", "run_and_stream"]) {
        const id = randomUUID();
        const answer = await ws.call("POST", `jobs/${route}/p/${ECHO}`, {
          body,
          query: { ...query, job_id: id },
          ...(headers ? { headers } : {}),
        });
        expect(refused(answer)).toMatchObject({ status, code });
        expect((await ws.get(`jobs_u/get/${id}`)).status).toBe(404);
      }
      expect(await storedFiles()).toEqual([]);
    },
  );

  it.each([
    ["not base64", "*", "payload.base64"],
    ["base64 of an invalid length", "abcde", "payload.base64"],
    ["base64 of invalid JSON", Buffer.from("{oops").toString("base64url"), "body.notJson"],
  ])("a GET whose payload is %s is rejected, and leaves no job", async (_what, payload, code) => {
    for (const route of ["run_wait_result", "run_and_stream"]) {
      const id = randomUUID();
      const answer = refused(await ws.get(`jobs/${route}/p/${ECHO}`, { payload, job_id: id }));
      expect(answer).toMatchObject({ status: 400, code });
      expect((await ws.get(`jobs_u/get/${id}`)).status).toBe(404);
    }
  });
});

describe("invalid tokens", () => {
  const run = (token: string, at = `w/${ws.id}/jobs/run/p/${ECHO}`) => ws.api.call("POST", at, { token, body: {} });
  const make = async (body: object) => expectStatus(await ws.api.post("users/tokens/create", body), 201).text;

  it("a malformed, unknown, expired or deleted token returns the same 401", async () => {
    const deleted = await make({ label: "deleted" });
    expectStatus(await ws.api.call("DELETE", `users/tokens/delete/${deleted.slice(0, 10)}`), 200);
    const tokens = [
      "x",
      "x".repeat(5000),
      "eyJhbGciOiJub25lIn0.e30.",
      "eyJhbGciOiJFZERTQSJ9.notjson.AAAA",
      `${ws.api.token}x`,
      await make({ expiration: new Date(Date.now() - 1000).toISOString() }),
      deleted,
    ];
    const answers = await Promise.all(tokens.map(async (token) => refused(await run(token))));
    expect(answers.map(({ status, code }) => [status, code])).toEqual(tokens.map(() => [401, "auth.invalid"]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(refused(await run("two words"))).toMatchObject({ status: 401, code: "auth.missing" });
  });

  it("a token of another workspace or for another script returns 403, which does not reveal existing objects", async () => {
    const elsewhere = await make({ workspace_id: other.id });
    const bound = await make({ workspace_id: ws.id, scopes: [`jobs:run:scripts:${ECHO}`] });
    const answers = [
      refused(await run(elsewhere)),
      refused(await run(elsewhere, `w/${ws.id}/jobs/run/p/f/t/absent`)),
      refused(await run(elsewhere, `w/nowhere/jobs/run/p/${ECHO}`)),
      refused(await run(bound, `w/${ws.id}/jobs/run/p/f/t/reply`)),
      refused(await run(bound, `w/${ws.id}/jobs/run/p/f/t/absent`)),
    ];
    expect(answers.map(({ status, code }) => [status, code])).toEqual(answers.map(() => [403, "auth.forbidden"]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });
});

describe("names outside of their folder", () => {
  const NAMES = ["f/t/../x", "f/../x", "u/../x", "/f/t/x", "f//x", "f/t/", "f/t/.x", "f/t\\x", "f/t/x\u0000", "../f/t/x", "f/t/%2e%2e/x"];

  it.each(NAMES)("the path %j is rejected for scripts, variables and resources, and nothing is stored", async (path) => {
    for (const [route, body] of [
      ["scripts/create", { path, summary: "", language: "bash", content: "" }],
      ["variables/create", { path, value: "v", is_secret: true }],
      ["resources/create", { path, value: {}, resource_type: "any" }],
    ] as const) {
      const answer = refused(await other.post(route, body));
      expect(answer).toMatchObject({ status: 422, code: "body.shape", text: expect.stringContaining("path: ") });
    }
    expect(await eventsOfOther()).toEqual([]);
  });

  it.each(["..", "a/b", ".", "", "a b", "é"])("the folder name %j is rejected", async (name) => {
    expect(refused(await other.post("folders/create", { name }))).toMatchObject({ status: 422, code: "body.shape" });
  });
});

describe("resource values and their types", () => {
  it("an invalid value is rejected before anything is stored, including an overwrite", async () => {
    const value = { host: "h", port: "no number" };
    const body = { path: "f/t/pg", value, resource_type: "postgresql" };
    expect(refused(await other.post("resources/create", body))).toMatchObject({ status: 422, code: "resource.value" });
    expect((await other.get("resources/get/f/t/pg")).status).toBe(404);
    expectStatus(await other.post("resources/create", { ...body, value: { a: 1 }, resource_type: "any" }), 201);
    expect(refused(await other.post("resources/create", body, { update_if_exists: true }))).toMatchObject({ status: 422 });
    expect((await other.get("resources/get_value/f/t/pg")).json).toEqual({ a: 1 });
    expect((await eventsOfOther()).filter((event) => event.includes("Resource"))).toEqual(["CreateResource f/t/pg"]);
  });
});
