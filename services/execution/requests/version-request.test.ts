import { expect, it } from "vitest";
import type { Uses } from "../../uses.ts";
import type { RunTarget } from "./run-request.ts";
import { buildVersionRequest, findPageTrigger } from "./version-request.ts";

const deps = { jobs: { get: async () => undefined } } as unknown as Uses<"jobs">;

it("a webhook's sender identifies a delivery by the field that the URL names", async () => {
  const actor = { kind: "person" as const, email: "ann@example.com", username: "ann", superAdmin: false, tokenHash: "", tokenPrefix: "" };
  const target = { kind: "script", version: { workspace: "team", path: "f/ops/a", onceByWebhookId: false } } as unknown as RunTarget;
  const keyOf = async (body: object, headers: Record<string, string> = {}) => {
    const payload = { method: "POST", headers, query: {}, bytes: Buffer.from(JSON.stringify(body)) };
    const call = { actor, query: { idempotency_from: "stripe", idempotency_ttl: 600 }, payload };
    return (await buildVersionRequest(deps, target, call, { includedHeaders: [] })).job.idempotencyKey;
  };
  const first = await keyOf({ id: "evt_1", attempt: 1 });
  expect(first).toMatchObject({ retentionMs: 600_000 });
  expect(await keyOf({ id: "evt_1", attempt: 2 })).toEqual(first);
  expect((await keyOf({ id: "evt_2" }))?.key).not.toEqual(first?.key);
  expect(await keyOf({ other: 1 })).toBeUndefined();
  // A key that the caller chose takes precedence.
  expect((await keyOf({ id: "evt_1" }, { "idempotency-key": "own" }))?.key).not.toEqual(first?.key);
});

it("an idempotency key of a script never finds the run of a flow at the same path", async () => {
  const payload = { method: "POST", headers: { "idempotency-key": "once" }, query: {}, bytes: Buffer.from("{}") };
  const actor = { kind: "person" as const, email: "ann@example.com", username: "ann", superAdmin: false, tokenHash: "", tokenPrefix: "" };
  const keyOf = async (kind: RunTarget["kind"]) => {
    const target = { kind, version: { workspace: "team", path: "f/ops/a", onceByWebhookId: false } } as unknown as RunTarget;
    return (await buildVersionRequest(deps, target, { actor, query: {}, payload }, { includedHeaders: [] })).job.idempotencyKey?.key;
  };
  expect(await keyOf("script")).toEqual(await keyOf("script"));
  expect(await keyOf("script")).not.toEqual(await keyOf("flow"));
});

it("a run that a page of this service starts with a session is one of the console, and all others are webhooks", () => {
  expect(findPageTrigger({ "sec-fetch-site": "same-origin" })).toBe("ui");
  expect(findPageTrigger({ "sec-fetch-site": "cross-site" })).toBeUndefined();
  expect(findPageTrigger({ "sec-fetch-site": "same-origin", authorization: "Bearer t" })).toBeUndefined();
  expect(findPageTrigger({})).toBeUndefined();
});
