import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { FoundHttpRoute } from "../../core/http-routes/http-route.ts";
import type { Job } from "../../core/jobs/record/job.ts";
import { hasReferences } from "../../core/resources/references.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { heldJobObject, triggerFaultObject } from "../../core/triggers/trigger.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { failure, newWorld, success, type World } from "../../test/support/use-cases/world.ts";
import { addWorkspace, listJobs, passLease, work } from "../../test/support/use-cases/world-jobs.ts";
import { aReader } from "../../test/support/use-cases/world-people.ts";
import { addHttpRoute, anHttpRouteRequest, type HttpRouteFields, type SentToHttpRoute } from "../../test/support/use-cases/world-routes.ts";
import { loadValue } from "../jobs/values/values.ts";
import { TriggerChanged } from "../triggers/hold-job.ts";
import { runHttpRoute } from "./run-http-route.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

const aRoute = (fields: HttpRouteFields = {}, script: Partial<Runnable> = {}) => addHttpRoute(world, fields, script);
const admitted = { outcome: "admitted" } as const;
const deps = () => ({ ...world.deps, syncLimitMs: async () => 5000 });
const call = (route: FoundHttpRoute, sent: SentToHttpRoute = {}, admission: Parameters<typeof runHttpRoute>[2] = admitted) =>
  runHttpRoute(deps(), route, admission, anHttpRouteRequest(sent));
const argsOf = async (job: Job | undefined) => job && (JSON.parse(await loadValue(world.deps, job, job.args)) as Record<string, unknown>);
const jobsOf = ({ trigger }: FoundHttpRoute) => listJobs(world, trigger.scriptPath);
const eventOf = async (route: FoundHttpRoute) => (await argsOf((await jobsOf(route))[0]))?.["event"] as Record<string, unknown>;
const refusal = (code: string) => expect.objectContaining({ code });

describe("a request of a route", () => {
  it("runs the script as the route's user, names the route, and receives the result", async () => {
    world.answers.run = async () => success({ total: 3 });
    const route = await aRoute();
    const run = await call(route, { body: { a: 1 } });
    expect(run).toMatchObject({ outcome: "ended", replayed: false, result: { state: "succeeded", resultJson: '{"total":3}' } });
    const [job, ...more] = await jobsOf(route);
    expect(more).toEqual([]);
    expect(job).toMatchObject({ trigger: "http", triggerPath: "f/t/route", permissionedAs: "u/ann", state: "succeeded" });
    expect(await argsOf(job)).toEqual({ a: 1 });
  });

  it("passes the headers and query parameters that the route names, except those of a signed request, and no credentials", async () => {
    const query = {
      include_query: ["a, token"],
      include_header: ["X-Event,authorization"],
      a: ["1", "2"],
      token: ["secret-token-of-a-caller"],
    };
    const sent = { body: { a: "body" }, query, headers: { "x-event": "push", authorization: "Bearer secret-token-of-a-caller" } };
    const [route, signed] = [await aRoute(), await aRoute({ own: { authentication_method: "signature" } })];
    await call(route, sent);
    await call(signed, sent);
    expect(await argsOf((await jobsOf(route))[0])).toEqual({ a: ["1", "2"], x_event: "push" });
    expect(await argsOf((await jobsOf(signed))[0])).toEqual({ a: "body" });
  });

  it.each<[string, object, SentToHttpRoute, SentToHttpRoute]>([
    ["stripe", {}, { body: { id: "evt_1", created: 1 } }, { body: { id: "evt_2" } }],
    ["github", {}, { headers: { "x-github-delivery": "1" } }, { headers: { "x-github-delivery": "2" } }],
    ["shopify", {}, { headers: { "x-shopify-event-id": "1" } }, { headers: { "x-shopify-event-id": "2" } }],
    ["standard_webhooks", {}, { headers: { "webhook-id": "1" } }, { headers: { "webhook-id": "2" } }],
    ["header:X-Delivery", {}, { headers: { "x-delivery": "1" } }, {}],
    ["body:data.0.id", {}, { body: { data: [{ id: 7 }] } }, { body: { data: [{ id: 8 }] } }],
    ["body:id", { wrap_body: true }, { body: { id: "1" } }, { body: { id: null } }],
  ])("starts nothing if it repeats a delivery that %s identifies, and receives the first answer", async (from, own, first, other) => {
    const route = await aRoute({ own: { idempotency: { from }, ...own } });
    let runs = 0;
    world.answers.run = async () => success(++runs);
    const again = { ...first, headers: { ...first.headers, "x-attempt": "2" }, query: { attempt: ["2"] } };
    const answers = [await call(route, first), await call(route, again), await call(route, other), await call(route, again)];
    expect(answers.map((answer) => answer.outcome === "ended" && [answer.replayed, answer.result.resultJson])).toEqual([
      [false, "1"],
      [true, "1"],
      [false, "2"],
      [true, "1"],
    ]);
    expect(await jobsOf(route)).toHaveLength(2);
  });

  it("receives the id of its job at once from an asynchronous route, and its stream from one that streams", async () => {
    const route = await aRoute({ own: { request_type: "async" } });
    const run = await call(route);
    const [job] = await jobsOf(route);
    expect(run).toEqual({ outcome: "started", id: job?.id, replayed: false });
    const streaming = await aRoute({ own: { request_type: "sync_sse" } });
    expect(await call(streaming)).toMatchObject({ outcome: "streamed", id: (await jobsOf(streaming))[0]?.id });
  });

  it.each([
    ["the parts of the path that the script names", ["id", "a"], { a: 1, id: "7" }],
    ["all parts of the path, if the parameters of the script are not known", null, { a: 1, id: "7", rest: "x/y" }],
    ["no part of the path that the script does not name", ["a"], { a: 1 }],
  ])("passes %s, which its body cannot replace", async (_, params, expected) => {
    const route = await aRoute({ own: { request_type: "async" }, params: { id: "7", rest: "x/y" } }, { params });
    const sent = params === null || params.includes("id") ? { a: 1, id: "forged" } : { a: 1 };
    await call(route, { body: sent });
    expect(await argsOf((await jobsOf(route))[0])).toEqual(expected);
  });

  it("passes its whole body with wrap_body, its text with raw_string, and the headers that every run receives", async () => {
    const route = await aRoute({ own: { request_type: "async", wrap_body: true, raw_string: true } });
    await call(route, { text: '{"a": 1}', headers: { "x-kind": "k" } });
    expect(await argsOf((await jobsOf(route))[0])).toEqual({ body: { a: 1 }, raw_string: '{"a": 1}', x_kind: "k" });
  });

  it("cannot replace the arguments of its authentication", async () => {
    const route = await aRoute({ own: { request_type: "async" }, params: { jwt: "path" } });
    await call(route, { body: { jwt: { sub: "forged" } } }, { ...admitted, args: { jwt: { sub: "ann" } } });
    expect(await argsOf((await jobsOf(route))[0])).toEqual({ jwt: { sub: "ann" } });
  });

  it("cannot read variables with the rights of the route's user, nor call another function of the script", async () => {
    const route = await aRoute({ own: { request_type: "async", raw_string: true }, params: { id: "$var:f/t/key" } });
    await call(route, { body: { a: "$var:f/t/key", b: [{ c: "$res:f/t/db" }], _ENTRYPOINT_OVERRIDE: "other" } });
    expect(await argsOf((await jobsOf(route))[0])).toMatchObject({
      a: "\\$var:f/t/key",
      b: [{ c: "\\$res:f/t/db" }],
      id: "\\$var:f/t/key",
    });
    expect(await argsOf((await jobsOf(route))[0])).not.toHaveProperty("_ENTRYPOINT_OVERRIDE");
    await call(await aRoute({ own: { request_type: "async", raw_string: true } }), { text: "$var:f/t/key" });
  });

  it.each<[string, Partial<Runnable>]>([
    ["script without", {}],
    ["script with", { preprocessor: { params: null } }],
  ])(
    "cannot do so, skip the preprocessor or change arguments of its path with a file of its form: a %s a preprocessor",
    async (_, script) => {
      const route = await aRoute({ own: { request_type: "async" }, params: { id: "7" } }, script);
      const headers = { "content-type": "multipart/form-data; boundary=b" };
      const file = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"; filename="$var:key"\r\n\r\nx\r\n`;
      const names = ["_ENTRYPOINT_OVERRIDE", "id", "jwt", "a"];
      await call(route, { text: `${names.map(file).join("")}--b--\r\n`, headers }, { ...admitted, args: { jwt: { sub: "ann" } } });
      const [job] = await jobsOf(route);
      const args = await argsOf(job);
      expect(job?.preprocess).toBe(script.preprocessor && "wanted");
      expect(args).toMatchObject({ id: "7", jwt: { sub: "ann" }, a: [{ filename: "\\$var:key" }] });
      expect(args).not.toHaveProperty("_ENTRYPOINT_OVERRIDE");
      expect(hasReferences({ ...args, event: null })).toBe(false);
    },
  );

  it("is found by the error handler of its route, and runs again as the route says", async () => {
    const retry = { constant: { attempts: 2, seconds: 1 } };
    const route = await aRoute({ own: { request_type: "async" }, trigger: { retry, errorHandlerPath: "script/f/t/handler" } });
    await call(route, { body: { a: 1 } });
    const [job] = await jobsOf(route);
    expect(job).toMatchObject({ kind: "singlestepflow", trigger: "http", triggerPath: "f/t/route" });
    expect(JSON.parse(await loadValue(world.deps, job as Job, (job as Job).code as never))).toMatchObject({
      flow: { modules: [{ retry }] },
    });
  });

  it("is refused if the script or its user is gone, or the user may no longer run it; the route shows the reason", async () => {
    for (const [change, shown] of [
      [{ head: undefined }, "there is no such script"],
      [{ actor: undefined }, "may not run"],
      [{ actor: aReader(world.workspace, []) }, "no such script"],
    ] as const) {
      const route = { ...(await aRoute()), ...change };
      await expect(call(route)).rejects.toEqual(refusal("httpRoute.notRunnable"));
      const fault = await world.deps.objects.get(triggerFaultObject.key(world.workspace, route.trigger.id));
      expect(JSON.stringify(fault?.value)).toContain(shown);
      expect(await jobsOf(route)).toEqual([]);
    }
  });
});

describe("the event of a preprocessor", () => {
  const preprocessor = { preprocessor: { params: ["event"] } };

  it("has the fields of the request, without its credentials and the header of an API key", async () => {
    const route = await aRoute({ own: { request_type: "async" }, params: { id: "7" } }, preprocessor);
    const headers = { authorization: "Bearer secret-secret-secret", cookie: "a=b", "x-api-key": "k", "x-shop": "s" };
    await call(
      route,
      { body: { kind: "forged" }, headers, query: { page: ["2"], token: ["t"] } },
      { ...admitted, secretHeaders: ["x-api-key"] },
    );
    expect(await argsOf((await jobsOf(route))[0])).toEqual({
      event: {
        kind: "http",
        trigger_path: "f/t/route",
        route: "/shop/orders/:id",
        path: "/shop/orders/7",
        method: "POST",
        params: { id: "7" },
        query: { page: "2" },
        headers: { "content-type": "application/json", "x-shop": "s" },
        // The runner derives the body from it.
        raw_string: '{"kind":"forged"}',
      },
    });
    expect((await jobsOf(route))[0]?.preprocess).toBe("wanted");
  });

  it("names the workspace in the route of a workspace's own address", async () => {
    const route = await aRoute({ own: { request_type: "async", workspaced_route: true } }, preprocessor);
    await call(route);
    expect((await eventOf(route))["route"]).toBe(`/${world.workspace}/shop/orders/:id`);
  });

  it("contains no reference except in the text whose signature a script checks", async () => {
    const route = await aRoute({ own: { request_type: "async" }, params: { id: "$var:f/t/key" } }, preprocessor);
    await call(route, { body: { a: "$var:f/t/key" }, query: { q: ["$res:f/t/db"] } });
    expect(await eventOf(route)).toMatchObject({
      body: { a: "\\$var:f/t/key" },
      params: { id: "\\$var:f/t/key" },
      query: { q: "\\$res:f/t/db" },
      raw_string: '{"a":"$var:f/t/key"}',
    });
  });

  it("contains the text with custom_script, and a preprocessor that fails refuses the request", async () => {
    world.answers.run = async () => failure("The signature is wrong.");
    const route = await aRoute({ own: { authentication_method: "custom_script" } }, { preprocessor: { params: ["event", "raw_string"] } });
    await expect(call(route, { text: "a" })).rejects.toEqual(refusal("httpRoute.refused"));
    expect(await argsOf((await jobsOf(route))[0])).toMatchObject({ raw_string: "a" });
    // Without that method, the failure is the result of the run.
    const open = await aRoute({}, preprocessor);
    expect(await call(open)).toMatchObject({ outcome: "ended", result: { state: "failed" } });
  });
});

describe("a request that arrives twice", () => {
  it("with an Idempotency-Key starts one job, and another request with this key is refused", async () => {
    world.answers.run = async () => success(1);
    const route = await aRoute({ own: { authentication_method: "api_key" } });
    const headers = { "idempotency-key": randomUUID() };
    const first = await call(route, { headers, body: { a: 1 } });
    expect(await call(route, { headers, body: { a: 1 } })).toEqual({ ...first, replayed: true });
    await expect(call(route, { headers, body: { a: 2 } })).rejects.toEqual(refusal("idempotency.reused"));
    await expect(call({ ...route, params: { id: "8" } }, { headers, body: { a: 1 } })).rejects.toEqual(refusal("idempotency.reused"));
    expect(await jobsOf(route)).toHaveLength(1);
  });

  const ofStrangers: [string, object, Partial<Runnable>, SentToHttpRoute[]][] = [
    ["another body", {}, {}, [{ body: { id: "1", n: 2 } }]],
    [
      "another body, header or query that its preprocessor may check",
      {},
      { preprocessor: { params: ["event"] } },
      [{ body: { id: "1", n: 2 } }, { headers: { "x-key": "guess" } }, { query: { key: ["guess"] } }],
    ],
    [
      "another header that its custom script may check",
      { authentication_method: "custom_script" },
      { preprocessor: { params: ["event"] } },
      [{ headers: { "x-key": "guess" } }, { headers: { authorization: "Bearer guess" } }],
    ],
  ];
  const keysOfStrangers: [string, object, Partial<Runnable>, Record<string, string>][] = [
    ["an Idempotency-Key", {}, {}, { "idempotency-key": "order-1" }],
    ["a delivery", { idempotency: { from: "body:id" } }, {}, {}],
    ["a webhook-id", {}, { onceByWebhookId: true }, { "webhook-id": "msg-1" }],
  ];
  it.each(
    ofStrangers.flatMap(([what, own, version, others]) => keysOfStrangers.map((key) => [key[0], what, own, version, others, key] as const)),
  )(
    "with %s of a stranger and %s starts another job, so that no stranger takes the key or reads the answer of another",
    async (_, __, own, version, others, [, keyOwn, keyVersion, headers]) => {
      const route = await aRoute({ own: { request_type: "async", ...own, ...keyOwn } }, { ...version, ...keyVersion });
      const first = { body: { id: "1" }, headers: { ...headers, "x-key": "right" }, query: {} };
      const id = await call(route, first);
      expect(id).toMatchObject({ outcome: "started", replayed: false });
      // The network adds other headers to each of two equal requests.
      const again = { ...first, headers: { ...first.headers, "x-forwarded-for": "203.0.113.9", "x-amzn-trace-id": "Root=1-2" } };
      expect(await call(route, again)).toEqual({ ...id, replayed: true });
      for (const other of others) {
        const sent = { ...first, ...other, headers: { ...first.headers, ...other.headers } };
        expect(await call(route, sent)).toMatchObject({ outcome: "started", replayed: false });
      }
      expect(await jobsOf(route)).toHaveLength(1 + others.length);
    },
  );

  it("from callers with different tokens starts a job for each caller, although the claims differ in each token", async () => {
    const route = await aRoute({ own: { request_type: "async", authentication_method: "jwt" } });
    const sent = { headers: { "idempotency-key": randomUUID() } };
    const as = (sub: string, iat: number) => ({ ...admitted, args: { jwt: { iss: "i", sub, iat } } });
    const first = await call(route, sent, as("ann", 1));
    expect(await call(route, sent, as("ann", 2))).toEqual({ ...first, replayed: true });
    expect(await call(route, sent, as("ben", 1))).toMatchObject({ replayed: false });
  });

  it("with one signature starts one job, whatever key and query its sender adds", async () => {
    const route = await aRoute({ own: { request_type: "async", authentication_method: "signature" } });
    const signed = { ...admitted, replay: { id: "signature-1", forS: 600 } };
    const first = await call(route, { headers: { "idempotency-key": "a" } }, signed);
    const query = { payload: [Buffer.from('{"a":2}').toString("base64")] };
    expect(await call(route, { headers: { "idempotency-key": "b" }, query }, signed)).toEqual({ ...first, replayed: true });
    // The sender repeats its request with a new signature.
    const again = { ...admitted, replay: { id: "signature-2", forS: 600 } };
    expect(await call(route, { headers: { "idempotency-key": "a" } }, again)).toEqual({ ...first, replayed: true });
    const all = await Promise.all([1, 2, 3].map(() => call(route, {}, { ...admitted, replay: { id: "signature-3", forS: 600 } })));
    expect(new Set(all.map((run) => "id" in run && run.id)).size).toBe(1);
    expect(await jobsOf(route)).toHaveLength(2);
  });

  it("has no arguments in the query of a signed GET request", async () => {
    const route = await aRoute({ own: { request_type: "async", authentication_method: "signature" } });
    const query = { payload: [Buffer.from('{"a":2}').toString("base64")] };
    await call(route, { method: "GET", text: "", query });
    expect(await argsOf((await jobsOf(route))[0])).toEqual({});
    const open = await aRoute({ own: { request_type: "async" } });
    await call(open, { method: "GET", text: "", query });
    expect(await argsOf((await jobsOf(open))[0])).toEqual({ a: 2 });
  });

  it("starts one job if its process dies at any write", async () => {
    await expectToSurviveFaults(async () => {
      world.answers.run = async () => success(1);
      const route = await aRoute({ own: { request_type: "async", authentication_method: "signature" } });
      const replay = { id: randomUUID(), forS: 600 };
      const sent = { headers: { "idempotency-key": randomUUID() } };
      const act = () => call(route, sent, { ...admitted, replay });
      return {
        act,
        // The sender repeats its request.
        recover: act,
        check: async () => {
          expect(await jobsOf(route)).toHaveLength(1);
          await work(world);
          await passLease(world, 1);
          expect((await jobsOf(route)).map(({ state }) => state)).toEqual(["succeeded"]);
        },
      };
    });
  });
});

describe("a suspended route", () => {
  it("lets jobs wait, one for each request", async () => {
    const route = await aRoute({ trigger: { mode: "suspended" } });
    const sent = { headers: { "idempotency-key": randomUUID() } };
    const first = await call(route, sent);
    expect(first).toMatchObject({ outcome: "held", replayed: false });
    expect(await call(route, sent)).toEqual({ ...first, replayed: true });
    await work(world);
    const [job, ...more] = await jobsOf(route);
    expect(more).toEqual([]);
    expect(job?.state).toBe("queued");
    const held = await world.deps.objects.get(heldJobObject.key(world.workspace, route.trigger.id, job?.id ?? ""));
    expect(held?.value).toEqual({ job: job?.id });
  });

  it("that was enabled after it was read records no job", async () => {
    const route = await aRoute({ trigger: { mode: "suspended" } });
    await world.deps.objects.put({ ...route.stored, version: randomUUID() });
    await expect(call(route)).rejects.toBeInstanceOf(TriggerChanged);
    expect(await jobsOf(route)).toEqual([]);
  });
});
