import { expect, it } from "vitest";
import type { RunTarget } from "./run-request.ts";
import { buildVersionRequest } from "./version-request.ts";

it("an idempotency key of a script never finds the run of a flow at the same path", async () => {
  const payload = { method: "POST", headers: { "idempotency-key": "once" }, query: {}, bytes: Buffer.from("{}") };
  const actor = { kind: "person" as const, email: "ann@example.com", username: "ann", superAdmin: false, tokenHash: "", tokenPrefix: "" };
  const keyOf = async (kind: RunTarget["kind"]) => {
    const target = { kind, version: { workspace: "team", path: "f/ops/a", onceByWebhookId: false } } as unknown as RunTarget;
    const deps = { jobs: { get: async () => undefined }, nowMs: Date.now };
    return (await buildVersionRequest(deps, target, { actor, query: {}, payload }, { includedHeaders: [] })).idempotencyKey?.key;
  };
  expect(await keyOf("script")).toEqual(await keyOf("script"));
  expect(await keyOf("script")).not.toEqual(await keyOf("flow"));
});
