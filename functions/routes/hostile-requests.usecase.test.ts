import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { beforeAll, describe, expect, it } from "vitest";
import { defined } from "../../contract/defined.ts";
import { newResourceSchema } from "../../contract/routes/stored/resources.ts";
import type { Actor } from "../../core/people/actor.ts";
import { createKeySetReader } from "../../services/identity/tokens/issuer-keys.ts";
import { createResource } from "../../services/resources/save.ts";
import { toGatewayEvent } from "../../test/support/fuzz/gateway-event.ts";
import {
  costlyBodies,
  type Hostile,
  hostileBodies,
  hostileCredentials,
  hostileHeaders,
  hostileParts,
  hostileQueryValues,
  SECRET,
} from "../../test/support/fuzz/hostile-values.ts";
import { success } from "../../test/support/use-cases/world.ts";
import { listJobs } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { newTriggerWorld, type TriggerWorld } from "../../test/support/use-cases/world-triggers.ts";
import { createHttpRouteHandler } from "./answer-request.ts";

let world: TriggerWorld;
let script: string;
let call: (
  method: string,
  path: string,
  hostile?: Omit<Hostile, "what">,
) => Promise<{ status: number; headers: Record<string, string>; body: string }>;

/** The routes of the test by the text with which their addresses begin. */
const credentials = {
  api_key: ["api_key_auth", { key: "a key that nobody knows" }],
  basic_http: ["basic_http_auth", { username: "shop", password: "a password that nobody knows" }],
  signature: ["signature_auth", { preset: "standard_webhooks", secret: `whsec_${Buffer.from(randomUUID()).toString("base64")}` }],
  jwt: ["jwt_auth", { jwks_url: "https://issuer.example/keys" }],
  svc: undefined,
} as const;
const closed = Object.keys(credentials) as (keyof typeof credentials)[];

beforeAll(async () => {
  world = await newTriggerWorld();
  script = await world.addRunnable("u/ann/handle");
  world.answers.run = async () => success(1);
  const caller = { actor: anAdmin as Actor, workspace: world.workspace };
  const add = (name: string, own: object) =>
    world.create("http", {
      ...{ path: `u/ann/${name}`, script_path: script, is_flow: false, http_method: "post", workspaced_route: true },
      ...{ route_path: `${name}/:id/*rest`, ...own },
    });
  await add("open", {});
  await add("files", { http_method: "get", static_asset_config: { s3: "u/ann/site" }, is_static_website: true, route_path: "files" });
  for (const method of closed) {
    const [type, value] = credentials[method] ?? [];
    const path = `u/ann/c_${method}`;
    if (type) await createResource(world.deps, caller, newResourceSchema.parse({ path, value, resource_type: type }));
    await add(method, { authentication_method: method, ...(type ? { authentication_resource_path: path } : {}) });
  }
  const { deps } = world;
  const fetchKeySet = async () => ({ keys: [] });
  const handler = createHttpRouteHandler({
    ...deps,
    publicKey: async () => undefined,
    readKeySet: createKeySetReader({ keySets: { fetchKeySet }, nowMs: deps.nowMs }),
    findLastStep: async () => undefined,
    syncLimitMs: async () => 5000,
    includedHeaders: ["x-included"],
    routesKey: undefined,
  });
  call = async (method, path, { headers = [], query = [], body, isBase64 } = {}) => {
    const sent = {
      method,
      path: `/api/r/${world.workspace}/${path}`,
      headers: headers.map(([name, value]) => [name.toLowerCase(), value] as const),
      query,
    };
    const event = toGatewayEvent({ ...sent, ...defined({ body, isBase64 }) });
    const reply = await handler(event as APIGatewayProxyEvent, { awsRequestId: "r" } as Context);
    // The reader has disconnected before the stream begins.
    for await (const _ of reply.chunks?.(AbortSignal.abort()) ?? []);
    const named = Object.entries(reply.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]);
    return { status: reply.statusCode, headers: Object.fromEntries(named), body: String(reply.body ?? "") };
  };
});

const SANDBOX = "sandbox allow-scripts allow-forms allow-popups allow-downloads";

/** The statuses of all answers, so that the test shows that requests arrive. */
const seen = new Set<number>();

/** Returns the fault of the reply to a hostile request. */
async function check(what: string, expected: readonly number[], request: Parameters<typeof call>): Promise<string[]> {
  const answer = await call(...request).catch((error: unknown) => ({
    status: 599,
    headers: {} as Record<string, string>,
    body: String(error),
  }));
  seen.add(answer.status);
  const faults = [
    ...(expected.includes(answer.status) ? [] : [`status ${answer.status}`]),
    ...(answer.headers["content-security-policy"] === SANDBOX ? [] : ["no sandbox"]),
    ...(answer.headers["set-cookie"] === undefined ? [] : ["a cookie"]),
    ...(answer.body.includes(SECRET) && answer.status >= 400 ? ["repeats a secret"] : []),
    ...(answer.status < 400 || answer.body === "" || /^[A-Z].*\.$/s.test(answer.body) ? [] : ["no sentence"]),
  ];
  return faults.map((fault) => `${request[0]} ${request[1].slice(0, 60)}, ${what}: ${fault}: ${answer.body.slice(0, 200)}`);
}

describe("a hostile request to a route", () => {
  it("without the right credential is 401, and starts no job", async () => {
    const cases = [...hostileCredentials, ...hostileHeaders, ...hostileBodies.slice(0, 12)];
    const faults: string[] = [];
    for (const method of closed) {
      for (const { what, ...hostile } of cases) faults.push(...(await check(what, [401], ["POST", `${method}/1/a`, hostile])));
    }
    expect(faults).toEqual([]);
    expect(await listJobs(world, script)).toEqual([]);
  });

  it("without the right credential is 401 whatever its body is, and the body is not read", async () => {
    const faults: string[] = [];
    const wrong: Record<(typeof closed)[number], [string, string][]> = {
      api_key: [["x-api-key", "wrong"]],
      basic_http: [["authorization", `Basic ${Buffer.from("shop:wrong").toString("base64")}`]],
      signature: [
        ["webhook-id", "msg_1"],
        ["webhook-timestamp", String(Math.floor(world.deps.nowMs() / 1000))],
        ["webhook-signature", `v1,${Buffer.alloc(32).toString("base64")}`],
      ],
      jwt: [["authorization", "Bearer e30.e30.e30"]],
      svc: [["authorization", "Bearer wrong"]],
    };
    for (const method of closed) {
      for (const { what, headers, body } of [...costlyBodies, { what: "an empty body", headers: [], body: Buffer.alloc(0) }])
        faults.push(...(await check(what, [401], ["POST", `${method}/1/a`, { headers: [...wrong[method], ...headers], body }])));
    }
    expect(faults).toEqual([]);
  });

  it("has one documented status and one sentence for any header, query and body", async () => {
    const faults: string[] = [];
    const allowed = [200, 400, 401, 404, 409, 413, 415, 422];
    for (const { what, ...hostile } of [...hostileHeaders, ...hostileBodies])
      faults.push(...(await check(what, allowed, ["POST", "open/1/a", hostile])));
    for (const value of hostileQueryValues) {
      for (const name of ["payload", "token", "raw_string", value])
        faults.push(...(await check(`${name}=${value.slice(0, 20)}`, allowed, ["POST", "open/1/a", { query: [[name, value]] }])));
    }
    expect(faults).toEqual([]);
  });

  it("finds nothing but its route by any part of the path, with any method", async () => {
    const faults: string[] = [];
    for (const part of hostileParts) {
      for (const path of [`open/${part}/a`, `open/1/${part}`, part, `files/${part}`, `${part}/files`]) {
        for (const method of ["POST", "GET", "HEAD", "OPTIONS", "TRACE", "__proto__"])
          faults.push(...(await check("", [200, 204, 400, 404, 405, 422], [method, path, {}])));
      }
    }
    expect(faults).toEqual([]);
    expect([...seen]).toEqual(expect.arrayContaining([200, 204, 401, 404, 405, 413, 422]));
  });
});
