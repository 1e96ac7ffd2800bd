import http from "node:http";
import { UPLOAD_PREFIX } from "../../contract/deployment/edge-function.ts";
import { ENGINE_KEY_HEADER } from "./admission.ts";
import { runEdgeFunction } from "./gateway-headers.ts";
import { endToEnd } from "./request-head.ts";

/** Returns whether a path is the address of an upload to the bucket. */
export const isUploadPath = (path: string): boolean => path.startsWith(`${UPLOAD_PREFIX}/`);

interface UploadTarget {
  agent: http.Agent;
  /** The engine, whose S3 is at the same address as its other services. */
  to: URL;
  path: string;
  query: string;
  engineKey: string | undefined;
}

type Headers = Record<string, { value: string }>;
/** The function returns the request that S3 receives, or a reply in place of it. */
type EdgeResult = { uri: string; headers: Headers } | { statusCode: number; headers: Headers; body: string };

/** Passes an upload on to the engine's S3 as CloudFront does, by the same function, without a limit of its size. */
export function passUpload(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { agent, to, path, query, engineKey }: UploadTarget,
): void {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, { value: String(value) }]));
  const result = runEdgeFunction<EdgeResult>({
    context: { eventType: "viewer-request" },
    request: { method: request.method, uri: path, headers, cookies: {} },
  });
  if ("statusCode" in result) {
    request.resume();
    response.shouldKeepAlive = false;
    const named = Object.entries(result.headers).map(([name, { value }]) => [name, value]);
    response.writeHead(result.statusCode, Object.fromEntries(named)).end(result.body);
    return;
  }
  // S3 refuses a request without a signature. The engine would answer it, as it does for programs of this machine.
  if (!/[?&]X-Amz-Signature=/.test(query)) {
    request.resume();
    response.shouldKeepAlive = false;
    response.writeHead(403, { "content-type": "text/plain; charset=utf-8" }).end("This address accepts presigned uploads only.");
    return;
  }
  const dropped = Object.keys(headers).filter((name) => !(name in result.headers));
  const passed = endToEnd(request.rawHeaders, [...dropped, "host", ENGINE_KEY_HEADER]);
  if (engineKey !== undefined) passed.push(ENGINE_KEY_HEADER, engineKey);
  passed.push("Host", to.host);
  const upstream = http.request({
    agent,
    host: to.hostname,
    port: to.port,
    method: request.method,
    path: `${result.uri}${query}`,
    headers: passed,
  });
  upstream.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders));
    answer.pipe(response);
    answer.on("error", () => response.destroy());
  });
  upstream.on("error", () => response.destroy());
  response.once("close", () => {
    if (!response.writableFinished) upstream.destroy();
  });
  request.pipe(upstream);
}
