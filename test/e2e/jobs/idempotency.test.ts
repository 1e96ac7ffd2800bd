import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

let ws: Workspace;
const PATH = "f/t/once";
beforeAll(async () => {
  ws = await newWorkspace();
  await ws.saveScript({
    path: PATH,
    language: "bun",
    content: "export function main(n = 0) { return { n, job: process.env.WM_JOB_ID }; }",
  });
});

const call = (route: string, key: string, body: unknown = {}): Promise<Answer> =>
  ws.call("POST", `jobs/${route}/p/${PATH}`, { body, headers: { "idempotency-key": key } });

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

  it.each(["", " ", "é", "x".repeat(256)])("an invalid key is rejected: %j", async (key) => {
    const answer = await fetch(`${ws.api.url}/api/w/${ws.id}/jobs/run/p/${PATH}`, {
      method: "POST",
      headers: { authorization: `Bearer ${ws.api.token}`, "idempotency-key": Buffer.from(key).toString("latin1") },
      body: "{}",
    });
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([400, "idempotency.key"]);
  });
});
