import { createHmac, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { httpFieldsSchema } from "../contract/routes/triggers/http-fields.ts";
import { prices } from "../core/cost/prices.ts";
import { buildDocument } from "../core/openapi/document.ts";
import { formatYaml } from "../core/openapi/yaml.ts";
import type { HttpClient } from "./http-client.ts";
import { fibo } from "./jobs/scripts.ts";
import { median, oneClient, p95, type Sample, sorted } from "./measure.ts";
import type { Row } from "./table.ts";

interface Measured {
  client: HttpClient;
  workspace: string;
  quick: boolean;
}

const SECRET = "a secret of the benchmark";
const ARGS = { n: 10 };
/** Measures alternating calls of HTTP routes and of the same script's webhook. */
export async function routeRows(measured: Measured): Promise<Row[]> {
  const { client, workspace, quick } = measured;
  const name = `r${randomUUID().slice(0, 8)}`;
  const issuer = await startIssuer();
  const address = (route: string) => `/api/r/${workspace}/${name}/${route}`;
  const create = (route: string, fields: object = {}) =>
    client.ask.http_triggers.create({
      workspace,
      body: {
        ...{ path: `f/bench/${name}_${route.replace(/\W/g, "_")}`, script_path: fibo.bun.path, is_flow: false, workspaced_route: true },
        ...{ route_path: `${name}/${route}`, http_method: "post", ...fields },
      },
    });
  const credential = async (type: string, value: object) => {
    const path = `f/bench/${name}_${type}`;
    await client.ask.resources.create({ workspace, body: { path, resource_type: type, value } });
    return path;
  };
  try {
    await create("open");
    const signature = await credential("signature_auth", { preset: "github", secret: SECRET });
    await create("signed", { authentication_method: "signature", authentication_resource_path: signature });
    const jwt = await credential("jwt_auth", { jwks_url: `${issuer.url}/keys` });
    await create("token", { authentication_method: "jwt", authentication_resource_path: jwt });
    const token = await issuer.sign();
    const webhook = () => client.ask.jobs.runWait.scripts({ workspace, path: fibo.bun.path, body: ARGS });
    const open = () => client.post(address("open"), ARGS);
    // A repeated signed request starts nothing, so each body is different.
    const signed = () => {
      const body = { ...ARGS, id: randomUUID() };
      const hash = createHmac("sha256", SECRET).update(JSON.stringify(body)).digest("hex");
      return client.post(address("signed"), body, { "x-hub-signature-256": `sha256=${hash}` });
    };
    const byToken = () => client.post(address("token"), ARGS, { authorization: `Bearer ${token}` });
    const ratio = async (line: string, call: () => Promise<unknown>, atMost: number): Promise<Row> => {
      const [routeSample, other] = await inTurns(call, webhook, quick);
      return { line, value: median(routeSample) / median(other), unit: "×", note: noteOf(routeSample, other), target: { atMost } };
    };
    const rows = [
      await ratio("a route's sync call beside run_wait_result", open, 1.1),
      await ratio("with a signature, beside run_wait_result", signed, 1.15),
      await ratio("with a JSON Web Token, beside run_wait_result", byToken, 1.15),
      priceRow(),
    ];
    const few = await inTurns(open, webhook, quick);
    const count = quick ? 2 : 1000;
    await createMany(count, (at) => create(`n${at}/:id`));
    const many = await inTurns(open, webhook, quick);
    const aboveMs = ([routeSample, other]: [Sample, Sample]) => median(routeSample) - median(other);
    return [
      ...rows,
      {
        line: "finding one of many routes, above one of few",
        value: aboveMs(many) - aboveMs(few),
        unit: "ms",
        note: `${count} routes`,
        target: { atMost: 1 },
      },
      await staticRow(measured, { name, create, address }),
      documentRow(quick),
    ];
  } finally {
    issuer.close();
  }
}

const noteOf = (routeSample: Sample, other: Sample) => `median ${median(routeSample).toFixed(1)} ms and ${median(other).toFixed(1)} ms`;

/** Calls alternate, so that load on the machine affects both equally. */
async function inTurns(call: () => Promise<unknown>, other: () => Promise<unknown>, quick: boolean): Promise<[Sample, Sample]> {
  const took: [number[], number[]] = [[], []];
  for (let at = quick ? 0 : -20; at < (quick ? 1 : 200); at += 1) {
    for (const [index, one] of [call, other].entries()) {
      const startedMs = performance.now();
      await one();
      if (at >= 0) took[index]?.push(performance.now() - startedMs);
    }
  }
  return [sorted(took[0]), sorted(took[1])];
}

async function createMany(count: number, create: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count) {
      const at = next;
      next += 1;
      await create(at);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

async function startIssuer() {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const body = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256" }] });
  const server = createServer((_, response) => response.end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sign: () =>
      new SignJWT({}).setProtectedHeader({ alg: "ES256", kid: "k1" }).setSubject("bench").setExpirationTime("1h").sign(privateKey),
    close: () => server.close(),
  };
}

/**
 * Units of the reads of a call. A webhook reads its token, user, member, access and script consistently. A route reads the entries of four
 * prefixes, at half a unit each, and its trigger, script, credential, user, member and access.
 * services/http-routes/find-http-route.usecase.test.ts counts them. Everything else is the same.
 */
const UNITS = { webhook: 5, route: 4 * 0.5 + 6 };

const priceRow = (): Row => ({
  line: "a route's sync call: list price above a webhook's",
  value: (UNITS.route - UNITS.webhook) * prices.readUnit * 1e6,
  unit: "$/M",
  target: { atMost: 0.5 },
});

async function staticRow(
  { client, workspace, quick }: Measured,
  {
    name,
    create,
    address,
  }: { name: string; create: (route: string, fields: object) => Promise<unknown>; address: (route: string) => string },
): Promise<Row> {
  const key = `f/bench/${name}.txt`;
  await client.ask.files.upload({ workspace, query: { file_key: key }, body: "x".repeat(100 * 1024 - 2) });
  await create("file", { http_method: "get", static_asset_config: { s3: key } });
  const sample = await oneClient(() => client.get(address("file")), { calls: quick ? 1 : 100, warmUp: quick ? 0 : 10 });
  return {
    line: "a static file of 100 KB",
    value: median(sample),
    unit: "ms",
    note: `p95 ${p95(sample).toFixed(1)}`,
    target: { atMost: 30 },
  };
}

/** A document of 500 routes and 500 webhooks from prepared replies of the table, whose reads are not measured. */
function documentRow(quick: boolean): Row {
  const numbers = Array.from({ length: quick ? 5 : 500 }, (_, at) => at);
  const schema = { type: "object", properties: { id: { type: "string" }, amount: { type: "integer" } }, required: ["id"] };
  const webhooks = numbers.map((at) => ({
    ...{ kind: "script" as const, path: `f/shop/s${at}`, summary: "Order", description: "Takes an order.", schema, hasPreprocessor: false },
  }));
  const httpRoutes = webhooks.map((runnable, at) => {
    const fields = httpFieldsSchema.parse({ route_path: `r${at}/:id`, http_method: "post" });
    return { path: `f/shop/r${at}`, address: fields.route_path, fields, runnable };
  });
  const took = Array.from({ length: quick ? 1 : 5 }, () => {
    const startedMs = performance.now();
    formatYaml(buildDocument({}, { workspace: "demo", baseUrl: "https://svc.example", routes: httpRoutes, webhooks }));
    return performance.now() - startedMs;
  });
  return {
    line: "an OpenAPI document of 500 routes and 500 webhooks",
    value: median(sorted(took)) / 1000,
    unit: "s",
    target: { atMost: 1 },
  };
}
