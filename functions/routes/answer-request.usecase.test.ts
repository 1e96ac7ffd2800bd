import { randomUUID } from "node:crypto";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { EDGE_KEY_HEADER, env } from "../../contract/env.ts";
import { limits } from "../../contract/limits.ts";
import type { FoundHttpRoute } from "../../core/http-routes/http-route.ts";
import { settingObject } from "../../core/objects/setting.ts";
import { write } from "../../core/objects/write.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { EDGE_KEY } from "../../test/support/fuzz/gateway-event.ts";
import { routesOf } from "../../test/support/use-cases/cases/route-fixture.ts";
import { failure, newWorld, success, type World } from "../../test/support/use-cases/world.ts";
import { addScript, addWorkspace, listJobs, work } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

const { aRoute, serve } = routesOf(() => world);

const SANDBOX = "sandbox allow-scripts allow-forms allow-popups allow-downloads";

/** A runner's answer for a script that has thrown an error with these fields. */
function failed(error: { name: string; message: string; stack: string; svc_status_code?: number }): ReturnType<typeof failure> {
  const answer = failure(error.message);
  return "outcome" in answer ? { ...answer, outcome: { ...answer.outcome, error } } : answer;
}

describe("an answer of a route", () => {
  it("is the result of the script, or the response that the result describes", async () => {
    world.answers.run = async () => success({ total: 3 });
    const { call } = serve(await aRoute());
    const reply = await call("POST");
    expect([reply.statusCode, reply.body, reply.headers["content-type"]]).toEqual([200, '{"total":3}', "application/json"]);
    expect(reply.headers).toMatchObject({ "x-svc-job-id": expect.any(String), "x-svc-job-state": "succeeded" });
    world.answers.run = async () => success({ svc_status_code: 402, svc_content_type: "text/html", result: "<p>Pay" });
    expect(await call("POST")).toMatchObject({ statusCode: 402, body: "<p>Pay" });
  });

  it("is based on the decoded body, also with a preprocessor, or refuses its encoding", async () => {
    const preprocessed = { ...(await aRoute()), head: undefined as FoundHttpRoute["head"] };
    const { build, ...version } = await addScript(world, { path: `f/t/${randomUUID()}`, params: null, preprocessor: { params: null } });
    preprocessed.head = { ...scriptHeadObject.key(world.workspace, version.path), value: version, build };
    preprocessed.trigger.scriptPath = version.path;
    world.answers.run = async () => success(1);
    for (const route of [await aRoute(), preprocessed]) {
      const { call } = serve(route);
      for (const [encoding, encode] of Object.entries({ gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync })) {
        const headers = { "content-type": "application/json", "content-encoding": encoding };
        expect(await call("POST", headers, { body: encode(Buffer.from('{"a":1}')) })).toMatchObject({ statusCode: 200 });
        const { args } = world.runs.at(-1) ?? {};
        expect(JSON.stringify(args)).toContain('"a":1');
        const refused = await call("POST", headers, { body: Buffer.from("{}") });
        expect([refused.statusCode, refused.headers["x-svc-error"]]).toEqual([400, "body.notDecoded"]);
      }
      expect(await call("POST", { "content-encoding": "zstd" })).toMatchObject({ statusCode: 415 });
    }
  });

  it("has 201 and the job's id if the route is asynchronous, and 202 for a caller who waits for a suspended route", async () => {
    const asynchronous = await serve(await aRoute({ request_type: "async" })).call("POST");
    expect([asynchronous.statusCode, asynchronous.body]).toEqual([201, asynchronous.headers["x-svc-job-id"]]);
    for (const [type, status] of [
      ["async", 201],
      ["sync", 202],
      ["sync_sse", 202],
    ] as const) {
      const suspended = await serve(await aRoute({ request_type: type }, "suspended")).call("POST");
      expect([suspended.statusCode, suspended.body]).toEqual([status, suspended.headers["x-svc-job-id"]]);
    }
  });

  it("has the status of the route for a failed run, else that of the workspace, else 200, and never a stack trace", async () => {
    const error = { name: "Error", message: "no stock", stack: "at main (f/t/x.ts:3)" };
    world.answers.run = async () => failed(error);
    const [plain, own] = [serve(await aRoute()), serve(await aRoute({ failed_status: 503 }))];
    const setting = settingObject.key(world.workspace, "failed_runs");
    const replies = [await plain.call("POST"), await own.call("POST")];
    await world.deps.objects.put({ ...setting, value: { status: 500 } });
    replies.push(await plain.call("POST"), await own.call("POST"));
    world.answers.run = async () => success({ a: 1 });
    replies.push(await own.call("POST"));
    world.answers.run = async () => failed({ ...error, svc_status_code: 409 });
    replies.push(await own.call("POST"));
    await world.deps.objects.transactWrite([write.remove(setting)]);
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 503, 500, 503, 200, 409]);
    for (const { body } of replies) expect(body).not.toContain("stack");
    expect(replies[0]?.body).toContain("no stock");
  });

  it("is one of at most 5 streams of an address, or of 20 of a token, and starts nothing if it is refused", async () => {
    for (const [authentication, limit] of [
      [{ outcome: "admitted" }, limits.streamsPerAddress],
      [{ outcome: "admitted", actor: { ...anAdmin, tokenHash: randomUUID() } }, limits.streamsPerToken],
    ] as const) {
      const route = await aRoute({ request_type: "sync_sse" });
      const { call } = serve(route, authentication);
      const address = { "x-forwarded-for": `192.0.2.${limit}` };
      const replies = await Promise.all(Array.from({ length: limit + 5 }, () => call("POST", address)));
      const refused = replies.filter(({ statusCode }) => statusCode !== 200);
      expect(refused.map(({ statusCode, headers }) => [statusCode, headers["x-svc-error"]])).toEqual(
        Array.from({ length: 5 }, () => [429, "stream.tooMany"]),
      );
      expect(Number(refused[0]?.headers["retry-after"])).toBeGreaterThan(0);
      expect(await listJobs(world, route.trigger.scriptPath)).toHaveLength(limit);
      // Requests that are not streamed need no slot, and neither does the address or the token of another caller.
      const other = authentication.outcome === "admitted" && "actor" in authentication ? { outcome: "admitted" as const } : authentication;
      expect((await serve(route, other).call("POST", { "x-forwarded-for": "192.0.2.100" })).statusCode).toBe(200);
      expect((await serve(await aRoute({ request_type: "async" }), authentication).call("POST", address)).statusCode).toBe(201);
      expect((await call("HEAD", address)).statusCode).toBe(405);
    }
  });

  it("continues the stream of its run from the id of an event, whatever the route now returns to new requests", async () => {
    const route = await aRoute({ request_type: "sync_sse" });
    const first = await serve(route).call("POST", { "x-forwarded-for": "192.0.2.1" });
    world.answers.run = async () => success("streamed");
    await work(world);
    const chunks = first.chunks?.(new AbortController().signal);
    const [, id = ""] = /^id: (0-[0-9a-f]{32})-end\n/.exec(String((await chunks?.next())?.value)) ?? [];
    for (const changed of [
      route,
      { ...route, trigger: { ...route.trigger, mode: "suspended" as const } },
      { ...route, fields: { ...route.fields, request_type: "async" as const } },
    ]) {
      const again = await serve(changed).call("POST", { "x-forwarded-for": "192.0.2.2", "last-event-id": id });
      expect([again.statusCode, again.headers["x-svc-job-id"]]).toEqual([200, first.headers["x-svc-job-id"]]);
      for await (const event of again.chunks?.(new AbortController().signal) ?? []) expect(event).toContain('"only_result":"streamed"');
      expect((await serve(changed).call("POST", { "last-event-id": `${id}-end` })).statusCode).toBe(204);
      const unknown = await serve(changed).call("POST", { "last-event-id": `0-${"0".repeat(32)}` });
      expect([unknown.statusCode, unknown.headers["x-svc-error"]]).toEqual([404, "stream.runUnknown"]);
    }
    expect(await listJobs(world, route.trigger.scriptPath)).toHaveLength(1);
  });

  it("streams no stack trace of a failed run", async () => {
    const { call } = serve(await aRoute({ request_type: "sync_sse" }));
    const reply = await call("POST");
    world.answers.run = async () => failed({ name: "Error", message: "no stock", stack: "at main (f/t/x.ts:3)" });
    await work(world);
    const chunks = reply.chunks?.(new AbortController().signal);
    const { value } = (await chunks?.next()) ?? {};
    expect(value).toContain("no stock");
    expect(value).not.toContain("at main");
    await chunks?.return(undefined);
  });

  it("streams the events of the job, which end with its result", async () => {
    const route = await aRoute({ request_type: "sync_sse" });
    const { call } = serve(route);
    const reply = await call("POST");
    expect(reply.headers["content-type"]).toBe("text/event-stream");
    world.answers.run = async () => success("streamed");
    await work(world);
    const chunks = reply.chunks?.(new AbortController().signal);
    expect((await chunks?.next())?.value).toContain('"only_result":"streamed"');
    await chunks?.return(undefined);
  });

  it.each([
    ["another address", "POST", { path: "shop/carts" }, 404, "httpRoute.unknown"],
    ["another method", "DELETE", {}, 405, "route.method"],
    ["a method that no route has", "PROPFIND", {}, 405, "route.method"],
    ["a body that is too large", "POST", { body: "a".repeat(5_000_000) }, 413, "body.tooLarge"],
  ])("is one sentence for %s", async (_, method, sent, status, code) => {
    const reply = await serve(await aRoute()).call(method, {}, sent);
    expect([reply.statusCode, reply.headers["x-svc-error"]]).toEqual([status, code]);
    expect(reply.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(reply.headers["content-security-policy"]).toBe(SANDBOX);
    expect(reply.body).toMatch(/^[A-Z].*\.$/);
    expect(reply.headers["allow"]).toBe(status === 405 ? "POST, OPTIONS" : undefined);
  });

  it("is 404 for a disabled route and for a route whose script is gone; a disabled route looks like an unknown address", async () => {
    const disabled = await serve(await aRoute({}, "disabled")).call("POST");
    const unknown = await serve(await aRoute()).call("POST", {}, { path: "x" });
    expect([disabled.statusCode, disabled.body]).toEqual([404, unknown.body]);
    const gone = await serve({ ...(await aRoute()), head: undefined }).call("POST");
    expect([gone.statusCode, gone.headers["x-svc-error"]]).toEqual([404, "httpRoute.notRunnable"]);
  });

  it("to HEAD is the answer to GET without its body", async () => {
    world.answers.run = async () => success("text");
    const route = await aRoute({ http_method: "get" });
    const reply = await serve(route).call("HEAD");
    expect([reply.statusCode, reply.body, reply.headers["content-type"]]).toEqual([200, "", "application/json"]);
    expect(await listJobs(world, route.trigger.scriptPath)).toHaveLength(1);
    expect((await serve(route).call("POST")).headers["allow"]).toBe("GET, HEAD, OPTIONS");
  });
});

describe("a refused request", () => {
  it("receives one sentence that does not say why, and starts no job; the route shows the reason", async () => {
    const route = await aRoute();
    const bodies = new Set<string>();
    for (const reason of ["wrongKey", "tooOld", "wrongClaim"] as const) {
      const { call, refusals } = serve(route, { outcome: "refused", reason, challenge: 'Basic realm="svc"' });
      const reply = await call("POST");
      expect([reply.statusCode, reply.headers["www-authenticate"], refusals]).toEqual([401, 'Basic realm="svc"', [reason]]);
      bodies.add(reply.body);
    }
    expect(bodies.size).toBe(1);
    expect(await listJobs(world, route.trigger.scriptPath)).toEqual([]);
  });

  it("sends its challenge through API Gateway only to a CloudFront that restores status and header", async () => {
    const { call } = serve(await aRoute(), { outcome: "refused", reason: "wrongKey", challenge: 'Basic realm="svc"' });
    const carried = await call("POST", { "X-Svc-Edge-Restores": "1" });
    expect([carried.statusCode, carried.headers["x-svc-status"], carried.headers["www-authenticate"]]).toEqual([
      200,
      "401",
      'Basic realm="svc"',
    ]);
    const direct = await call("POST");
    expect([direct.statusCode, direct.headers["x-svc-status"]]).toEqual([401, undefined]);
    const withoutChallenge = serve(await aRoute(), { outcome: "refused", reason: "wrongKey" });
    expect((await withoutChallenge.call("POST", { "x-svc-edge-restores": "1" })).statusCode).toBe(401);
  });

  it("lets a script send a challenge, and keeps the header of CloudFront from it", async () => {
    world.answers.run = async () => success({ svc_status_code: 401, svc_headers: { "WWW-Authenticate": "Digest x" }, result: "no" });
    const route = await aRoute();
    const reply = await serve(route).call("POST", { "x-svc-edge-restores": "1" });
    expect([reply.statusCode, reply.headers["x-svc-status"], reply.headers["www-authenticate"]]).toEqual([200, "401", "Digest x"]);
    const forged = { svc_headers: { "x-svc-status": "401" }, result: "no" };
    world.answers.run = async () => success(forged);
    const refused = await serve(route).call("POST", { "x-svc-edge-restores": "1" });
    expect([refused.statusCode, refused.headers["x-svc-status"], refused.headers["x-svc-error"]]).toEqual([400, undefined, "reply.shape"]);
  });

  it("is refused although its reason cannot be recorded", async () => {
    const recordRefusal = () => Promise.reject(new Error("No table."));
    const reply = await serve(await aRoute(), { outcome: "refused", reason: "wrongKey" }, { recordRefusal }).call("POST");
    expect(reply.statusCode).toBe(401);
  });

  it("may be repeated if the keys of its issuer cannot be read", async () => {
    const reply = await serve(await aRoute(), { outcome: "unavailable", retryAfterS: 30 }).call("POST");
    expect([reply.statusCode, reply.headers["retry-after"]]).toEqual([503, "30"]);
  });

  it("is different from a check of the address, which is answered without a job", async () => {
    const route = await aRoute();
    const reply = await serve(route, { outcome: "answered", contentType: "text/plain", body: "challenge" }).call("POST");
    expect([reply.statusCode, reply.body, reply.headers["content-security-policy"]]).toEqual([200, "challenge", SANDBOX]);
    expect(await listJobs(world, route.trigger.scriptPath)).toEqual([]);
  });
});

describe("a deployment with CloudFront", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("answers only requests with its key, which reaches no preprocessor and no argument", async () => {
    vi.stubEnv(env.edgeKeys, `the-next-key,${EDGE_KEY}`);
    world.answers.run = async () => success(1);
    const preprocessed = await aRoute();
    const { build, ...version } = await addScript(world, { path: `f/t/${randomUUID()}`, params: null, preprocessor: { params: null } });
    Object.assign(preprocessed, { head: { ...scriptHeadObject.key(world.workspace, version.path), value: version, build } });
    preprocessed.trigger.scriptPath = version.path;
    for (const route of [await aRoute(), preprocessed]) {
      const { call } = serve(route, { outcome: "admitted" }, { includedHeaders: [EDGE_KEY_HEADER, "x-other"] });
      const before = world.runs.length;
      const refused = await call("POST", { "x-other": "seen" });
      expect([refused.statusCode, refused.headers["x-svc-error"]]).toEqual([403, "edge.bypassed"]);
      expect(world.runs).toHaveLength(before);
      expect((await call("POST", { [EDGE_KEY_HEADER]: EDGE_KEY, "x-other": "seen" })).statusCode).toBe(200);
      const sent = JSON.stringify(world.runs.at(-1));
      expect([sent.includes("seen"), sent.includes(EDGE_KEY), sent.includes(EDGE_KEY_HEADER)]).toEqual([true, false, false]);
    }
  });
});
