import http from "node:http";
import type { AddressInfo } from "node:net";
import { performance } from "node:perf_hooks";
import type { Duplex } from "node:stream";
import { edgeErrorTtlS } from "../../contract/deployment/edge-errors.ts";
import { RESTORES_HEADER } from "../../contract/deployment/gateway-headers.ts";
import { describeError, SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { buildPathPattern, type Route } from "../../contract/route.ts";
import { routes } from "../../contract/routes/routes.ts";
import { portTaken } from "../engine/ports.ts";
import { Complaint } from "../launch/complaint.mjs";
import { ENGINE_KEY_HEADER, isAdmitted, isRoutePath } from "./admission.ts";
import { ErrorCache } from "./error-cache.ts";
import { headersForCaller, headersForFunction, restoreAtEdge } from "./gateway-headers.ts";
import { endToEnd, findLongHead, READ_HEAD_BYTES } from "./request-head.ts";
import { SIGN_IN_PREFIX, type SignInLink } from "./sign-in-link.ts";
import type { StreamingFunction } from "./streams.ts";
import { isUploadPath, passUpload } from "./uploads.ts";

/** One completed request, for the live log. Without query string and headers, because these may contain tokens. */
export interface FrontEvent {
  method: string;
  /** The path as sent, with percent-encoding and without the query, with tokens removed. */
  path: string;
  status: number;
  ms: number;
}

export interface Front {
  port: number;
  url: string;
  close(): Promise<void>;
}

export interface FrontOptions {
  /** 0: any free port. */
  port: number;
  /** The target of requests: `http://127.0.0.1:<port>` with the stage's path, or `undefined` before the start. */
  target: () => URL | undefined;
  /** Proves to the engine that a request comes from this server, which has checked its origin. */
  engineKey?: string;
  onRequest?: (event: FrontEvent) => void;
  /** The targets of the functions whose replies are streamed, which the engine's API Gateway does not support. */
  streamTargets?: Record<StreamingFunction, () => Promise<URL>>;
  /** The link of `npm run up` that opens the console signed in. */
  signInLink?: SignInLink;
  /** Seconds for which the server stores errors as CloudFront does, by status. */
  errorTtlS?: Readonly<Record<number, number>>;
}

/** API Gateway's limit for a payload; the engine has none. */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024;
/** Below the 75 s after which the engine closes an idle connection, so that none is reused while it closes. */
const IDLE_SOCKET_MS = 60_000;

/**
 * The number of external requests that the engine processes at the same time. Further requests wait here. The engine starts a process for
 * each request without an idle one, so 200 requests would start 200 processes.
 */
const CALLERS_AT_ONCE = 32;

/**
 * Serves the local API at an origin without a prefix, as CloudFront does on AWS, because clients append `/api/…` and drop any prefix. It also stores errors
 * and restores headers as CloudFront does, and drops and renames headers as API Gateway does. Bodies are streamed in both directions, and the path is forwarded unchanged.
 */
export async function startFront({
  port,
  target,
  engineKey,
  onRequest,
  streamTargets,
  signInLink,
  errorTtlS = edgeErrorTtlS,
}: FrontOptions): Promise<Front> {
  const agents = {
    callers: new http.Agent({ keepAlive: true, timeout: IDLE_SOCKET_MS, maxSockets: CALLERS_AT_ONCE }),
    // The requests of a running job never wait, because the caller that waits for the job may occupy the last slot.
    jobs: new http.Agent({ keepAlive: true, timeout: IDLE_SOCKET_MS, maxFreeSockets: 64 }),
  };
  const errors = new ErrorCache(errorTtlS);
  const server = http.createServer({ maxHeaderSize: READ_HEAD_BYTES }, (request, response) => {
    const tooLong = findLongHead(request);
    if (tooLong) return refuseUnread(request, response, tooLong.code, describeError(tooLong));
    const startedMs = performance.now();
    const { path, query } = splitTarget(request.url ?? "/");
    const method = request.method ?? "GET";
    if (onRequest) {
      response.once("close", () => {
        onRequest({
          method,
          path: withoutSecret(path),
          status: response.headersSent ? response.statusCode : 499,
          ms: performance.now() - startedMs,
        });
      });
    }
    if (!isAdmitted(request, path)) {
      return refuse(
        response,
        403,
        "request.otherSite",
        "The local service answers programs and its own pages only, not pages of other sites.",
      );
    }
    if (method === "GET" && signInLink?.answer(path, response)) return;
    const to = target();
    if (!to) return refuse(response, 503, "engine.unreachable", "The service is still starting. Try again in a moment.");
    if (isUploadPath(path)) return passUpload(request, response, { agent: agents.jobs, to, path, query, engineKey });
    if (errors.answer(request, response, path)) return;
    const cache = { errors, errorKey: path };
    const streaming = findStreamingFunction(path);
    if (streamTargets && streaming) {
      // A stream is long, so it does not count.
      void streamTargets[streaming]().then(
        (streams) => passOn(request, response, { ...cache, agent: agents.jobs, to: streams, path: `${path}${query}`, engineKey }),
        () => refuse(response, 503, "engine.unreachable", "Streams are not available. See the terminal of npm run up."),
      );
      return;
    }
    const agent = comesFromJob(request, query) ? agents.jobs : agents.callers;
    passOn(request, response, { ...cache, agent, to, path: `${to.pathname.replace(/\/$/, "")}${path}${query}`, engineKey });
  });
  // Node drops headers beyond a maximum, which would not be counted.
  server.maxHeadersCount = 0;
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => refuseUnparsed(error, socket));
  server.keepAliveTimeout = 65_000;
  // A synchronous run has no time limit here; the API ends it.
  server.requestTimeout = 0;
  await listen(server, port);
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    url: `http://127.0.0.1:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        agents.callers.destroy();
        agents.jobs.destroy();
      }),
  };
}

const streamPaths = Object.values<Route>(routes)
  .filter(({ fn }) => fn === "stream")
  .map(buildPathPattern);

function findStreamingFunction(path: string): StreamingFunction | undefined {
  if (isRoutePath(path)) return "routes";
  return streamPaths.some((pattern) => pattern.test(path)) ? "stream" : undefined;
}

/** Job tokens are JSON Web Tokens, which begin like this. The tokens of people and programs are random. */
export function comesFromJob({ headers }: Pick<http.IncomingMessage, "headers">, query: string): boolean {
  return (
    /^Bearer\s+eyJ/i.test(headers.authorization ?? "") || /(^|;\s*)token=eyJ/.test(headers.cookie ?? "") || /[?&]token=eyJ/.test(query)
  );
}

function listen(server: http.Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(error.code === "EADDRINUSE" ? new Complaint(portTaken(port)) : error);
    });
    server.listen(port, "127.0.0.1", resolve);
  });
}

/** The segments of addresses before the parts that their routes hide in logs. */
const beforeHiddenParts = Object.values<Route>(routes).flatMap(({ path, hiddenInLogs = [] }) =>
  hiddenInLogs.map((part) => path.slice(0, path.indexOf(`/{${part}}`)).split("/")),
);

/** Removes what routes hide, with all that follows it, and the signature of a link at any other address. */
function withoutSecret(path: string): string {
  const segments = path.split("/");
  if (path.startsWith(SIGN_IN_PREFIX)) return `${SIGN_IN_PREFIX}…`;
  const before = beforeHiddenParts.find(
    (named) => named.length < segments.length && named.every((segment, at) => segment.startsWith("{") || segment === segments[at]),
  );
  if (before) return [...segments.slice(0, before.length), "…"].join("/");
  return path.replace(/\/[0-9a-f]{64}(?=\/|$)/gi, "/…");
}

/** Splits a URL without decoding it. The origin of a proxy's absolute form (`GET http://host/path`) is removed. */
export function splitTarget(url: string): { path: string; query: string } {
  const relative = url.replace(/^https?:\/\/[^/?]*/i, "");
  const at = relative.indexOf("?");
  const path = at < 0 ? relative : relative.slice(0, at);
  return { path: path.startsWith("/") ? path : `/${path}`, query: at < 0 ? "" : relative.slice(at) };
}

interface ProxyTarget {
  agent: http.Agent;
  to: URL;
  path: string;
  engineKey: string | undefined;
  errors: ErrorCache;
  /** The path as the caller sent it, by which CloudFront stores an error. */
  errorKey: string;
}

function passOn(request: http.IncomingMessage, response: http.ServerResponse, target: ProxyTarget): void {
  const { agent, to, path, engineKey, errors, errorKey } = target;
  if (Number(request.headers["content-length"] ?? 0) > BODY_LIMIT_BYTES) {
    refuseUnread(request, response, "body.tooLarge", TOO_LARGE);
    return;
  }
  const requestHeaders = endToEnd(request.rawHeaders, [
    ...(request.headers["content-type"] ? [] : ["content-type"]),
    "host",
    "x-forwarded-for",
    "x-forwarded-proto",
    ENGINE_KEY_HEADER,
    RESTORES_HEADER,
  ]);
  const headers = headersForFunction(requestHeaders);
  const restores = isRoutePath(errorKey);
  if (restores) headers.push(RESTORES_HEADER, "1");
  if (engineKey !== undefined) headers.push(ENGINE_KEY_HEADER, engineKey);
  const from = [request.headers["x-forwarded-for"], request.socket.remoteAddress].flat().filter(Boolean).join(", ");
  // Without this setting, the gateway sends bytes as base64.
  if (request.headers.accept === undefined) headers.push("Accept", "*/*");
  // Without this setting, the gateway decodes bodies as UTF-8 and corrupts binary ones.
  const hasBody = request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0;
  if (hasBody && !request.headers["content-type"]) headers.push("Content-Type", "application/octet-stream");
  headers.push("Host", to.host, "X-Forwarded-For", from, "X-Forwarded-Proto", "http");
  const upstream = http.request({ agent, host: to.hostname, port: to.port, method: request.method, path, headers });

  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= BODY_LIMIT_BYTES) return;
    request.unpipe(upstream);
    upstream.destroy();
    refuseUnread(request, response, "body.tooLarge", TOO_LARGE);
  });
  upstream.on("response", (answer) => {
    if (response.headersSent) return void answer.resume();
    const answered = headersForCaller(endToEnd(answer.rawHeaders));
    errors.store(request, answer, { path: errorKey, headers: answered });
    const status = answer.statusCode ?? 502;
    const last = restores ? restoreAtEdge(status, answered) : { status, headers: answered };
    response.writeHead(last.status, last.headers);
    answer.pipe(response);
    answer.on("error", () => response.destroy());
  });
  upstream.on("error", () => {
    if (response.writableEnded || response.destroyed) return;
    if (response.headersSent) return void response.destroy();
    refuse(response, 503, "engine.unreachable", "The local engine does not respond. See the terminal of npm run up.");
  });
  // If the caller disconnects, the request is aborted, because the response has no reader.
  response.once("close", () => {
    if (!response.writableFinished) upstream.destroy();
  });
  request.pipe(upstream);
}

const TOO_LARGE = { status: 413, sentence: "The body is larger than the limit of 10 MB." };

/** Refuses a request and drops its body. A client that is still sending it might not receive a response from a closed connection. */
function refuseUnread(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  code: string,
  { status, sentence }: { status: number; sentence: string },
): void {
  request.resume();
  response.shouldKeepAlive = false;
  refuse(response, status, code, sentence);
}

/** Input that Node cannot parse never becomes a request. The response is written to the connection itself. */
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const { status, code, sentence } =
    error.code === "HPE_HEADER_OVERFLOW"
      ? { ...describeError(new SvcError("request.tooLong", { limitBytes: limits.requestHeadBytes })), code: "request.tooLong" }
      : { status: 400, code: "gateway.badRequest", sentence: "The request is malformed and did not reach the service." };
  const headers = ["content-type: text/plain; charset=utf-8", `x-svc-error: ${code}`, `content-length: ${Buffer.byteLength(sentence)}`];
  socket.end([`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`, ...headers, "connection: close", "", sentence].join("\r\n"));
}

function refuse(response: http.ServerResponse, status: number, code: string, sentence: string): void {
  if (response.headersSent) return;
  const length = Buffer.byteLength(sentence);
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "x-svc-error": code, "content-length": length });
  response.end(sentence);
}
