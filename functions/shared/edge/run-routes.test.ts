import zlib from "node:zlib";
import type { Context } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import type { Route } from "../../../contract/route.ts";
import { routes } from "../../../contract/routes/routes.ts";
import { flowHeadObject } from "../../../core/flows/version.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import type { Uses } from "../../../services/uses.ts";
import { toGatewayEvent } from "../../../test/support/fuzz/gateway-event.ts";
import { fillPath } from "../../../test/support/fuzz/operations.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { logger } from "../observe.ts";
import { json } from "../reply/reply.ts";
import { apiHandler } from "./edge.ts";
import { type VersionRoute, versionRoutes } from "./run-routes.ts";

logger.setLogLevel("ERROR");

const isRunRoute = (route: Route): route is Route & VersionRoute =>
  route.payload === true && route.method === "POST" && /\/jobs\/run\w*\/(p|h|f|fv)\//.test(route.path);
const runRoutes = Object.values<Route>(routes).filter(isRunRoute);

const version = { workspace: "ws", path: "f/t/x", hash: "0123456789abcdef", tag: "bun", archived: false, deleted: false };
const script = { ...version, language: "bun", runner: "bun", params: null, timeoutS: 60, dedicated: false };
const builds = { script: { state: "ready", key: "a.zip", sha256: "0" }, flow: { state: "ready", job: "j", plan: "p" } };

/** Returns the head of a script or flow, whose preprocessor receives the whole event. */
function headOf({ path }: Route, hasPreprocessor: boolean) {
  const isFlow = /\/fv?\/\{/.test(path);
  const value = isFlow ? { ...version, version: 7, preprocessor: hasPreprocessor } : script;
  const preprocessor = hasPreprocessor ? { preprocessor: isFlow ? true : { params: null } } : {};
  const { key } = isFlow ? flowHeadObject : scriptHeadObject;
  return {
    ...key(version.workspace, version.path),
    version: "1",
    value: { ...value, ...preprocessor },
    build: builds[isFlow ? "flow" : "script"],
  };
}

/** Sends a body to a run route, and returns the arguments of its run, or the status and the code of a refusal. */
async function send(route: VersionRoute, headers: Record<string, string>, body: Buffer, hasPreprocessor: boolean): Promise<unknown> {
  const nothing = { get: async () => undefined };
  const deps = { objects: nothing, jobs: nothing } as unknown as Uses<"jobs" | "objects">;
  const received: unknown[] = [];
  const handled = versionRoutes([route], deps, async (request) => {
    received.push(request.version.arguments);
    return json(200, 1);
  });
  const head = headOf(route, hasPreprocessor) as never;
  const handler = apiHandler(handled, async () => ({ actor: anAdmin, head }));
  const path = fillPath(route, { workspace: "ws", path: version.path, hash: version.hash, version: "7" });
  const event = toGatewayEvent({ method: "POST", path, headers: Object.entries(headers), body });
  const { statusCode, headers: replied = {} } = await handler(event, { awsRequestId: "r" } as Context);
  return received[0] ?? [statusCode, replied["x-svc-error"]];
}

const encoders: readonly (readonly [string, (bytes: Uint8Array) => Buffer])[] = [
  ["gzip", zlib.gzipSync],
  ["deflate", zlib.deflateSync],
  ["br", zlib.brotliCompressSync],
];
const part = (head: string, text: string) => `--cut\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
const event = { specversion: "1.0", id: "1", source: "/a", type: "t", data: { a: 1 } };
const bodies: readonly (readonly [string, string])[] = [
  ["application/json", '{"a":[1,"é"]}'],
  ["application/json", "[1]"],
  ["application/x-www-form-urlencoded", "a=1&b=2&a=3"],
  ["multipart/form-data; boundary=cut", `${part('name="a"', "1")}${part('name="b"; filename="f.txt"', "two")}--cut--\r\n`],
  ["text/plain", "grüße"],
  ["application/octet-stream", "\u0000\u0001"],
  ["application/cloudevents+json", JSON.stringify(event)],
];

const tooLarge = Buffer.alloc(limits.requestBodyBytes + 1);
const refusals: readonly (readonly [string, Buffer, readonly [number, string]])[] = [
  ...encoders.map(([encoding, encode]) => [encoding, encode(tooLarge), [413, "body.tooLarge"]] as const),
  ...encoders.map(([encoding, encode]) => [encoding, encode(Buffer.from('{"a":"b"}')).subarray(0, -3), [400, "body.notDecoded"]] as const),
  ["zstd", Buffer.from("{}"), [415, "body.encoding"]],
];

/** The arguments without the header that a preprocessor receives with the others. */
const withoutEncoding = (args: unknown): unknown =>
  JSON.parse(JSON.stringify(args, (key, value) => (key === "content-encoding" ? undefined : value)));

describe.each(runRoutes.map((route) => [route.path, route] as const))("a compressed body of %s", (_path, route) => {
  it.each([false, true])("gives the same arguments as the body itself (with a preprocessor: %s)", async (hasPreprocessor) => {
    for (const [type, body] of bodies) {
      const plain = await send(route, { "content-type": type }, Buffer.from(body), hasPreprocessor);
      expect(plain).toMatchObject({ args: expect.anything(), ...(hasPreprocessor ? { event: expect.anything() } : {}) });
      for (const [encoding, encode] of encoders) {
        const headers = { "content-type": type, "content-encoding": encoding };
        const args = await send(route, headers, encode(Buffer.from(body)), hasPreprocessor);
        expect(withoutEncoding(args), `${type} in ${encoding}`).toEqual(withoutEncoding(plain));
      }
    }
  });

  it("is refused if it is broken, decodes to too much, or has an unknown encoding", async () => {
    for (const [encoding, bytes, refusal] of refusals)
      expect(await send(route, { "content-encoding": encoding }, bytes, false)).toEqual(refusal);
  });
});

it("these tests have all routes that run a script or a flow with any body", () => {
  const starts = ["run", "run_wait_result", "run_and_stream"];
  const versions = ["p/{path+}", "h/{hash}", "f/{path+}", "fv/{version}"];
  const expected = starts.flatMap((start) => versions.map((one) => `/api/w/{workspace}/jobs/${start}/${one}`));
  expect(runRoutes.map(({ path }) => path).toSorted()).toEqual(expected.toSorted());
});
