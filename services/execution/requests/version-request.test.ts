import { describe, expect, it } from "vitest";
import type { Actor } from "../../../core/people/actor.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import { anAdmin } from "../../../test/support/use-cases/room-people.ts";
import { buildPreviewRequest } from "./preview-request.ts";
import { buildVersionRequest } from "./version-request.ts";

const deps = { jobs: { get: async () => undefined }, nowMs: () => 0 };
const aJob = { ...anAdmin, kind: "job", jobId: "j", attempt: 1, workspace: "demo", permissionedAs: "u/ann" } as Actor;
const target = (fields: object = {}) => ({
  kind: "script" as const,
  version: { workspace: "demo", path: "f/t/a", preprocessor: { params: null }, ...fields } as unknown as Runnable,
});
const headers = { "content-type": "application/json", "webhook-id": "m1", "x-trace": "t1" };

/** Reads a call with a JSON body. */
const build = (version: object = {}, query: object = {}, { actor = anAdmin as Actor, sent = {} } = {}) =>
  buildVersionRequest(
    deps,
    target(version),
    { actor, query, payload: { method: "POST", headers: { ...headers, ...sent }, query: {}, bytes: Buffer.from('{"a":1}') } },
    { includedHeaders: ["x-trace"] },
  );

describe("the request to run a stored version", () => {
  it("is an event for the preprocessor if a person calls it and does not skip the preprocessor", async () => {
    expect((await build()).arguments.event).toBeDefined();
    expect((await build({}, { skip_preprocessor: true })).arguments.event).toBeUndefined();
    expect((await build({}, {}, { actor: aJob })).arguments.event).toBeUndefined();
    expect((await build({ preprocessor: undefined })).arguments.event).toBeUndefined();
  });

  it("contains the headers that every run receives", async () => {
    expect((await build({ preprocessor: undefined })).arguments.args).toMatchObject({ a: 1, x_trace: "t1" });
  });

  it("has the key of its webhook-id only for a script that runs once for each, and an Idempotency-Key takes precedence", async () => {
    expect((await build()).idempotencyKey).toBeUndefined();
    const byWebhookId = (await build({ onceByWebhookId: true })).idempotencyKey;
    expect(byWebhookId).toMatchObject({ fingerprint: "webhook-id" });
    const byKey = (await build({ onceByWebhookId: true }, {}, { sent: { "idempotency-key": "k" } })).idempotencyKey;
    expect(byKey?.fingerprint).not.toBe("webhook-id");
  });
});

it("the tag of a preview is that of the query, then of the body, then the language", async () => {
  const tagOf = async (query: object, body: object) => {
    const call = { actor: anAdmin, workspace: "demo", query, body: { content: "", language: "bun" as const, ...body }, headers: {} };
    const request = await buildPreviewRequest(deps, call as Parameters<typeof buildPreviewRequest>[1]);
    return "preview" in request ? request.preview.tag : undefined;
  };
  expect([await tagOf({ tag: "q" }, { tag: "b" }), await tagOf({}, { tag: "b" }), await tagOf({}, {})]).toEqual(["q", "b", "bun"]);
});
