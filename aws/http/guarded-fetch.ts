import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { defined } from "../../contract/defined.ts";
import { createGuardedAgents, guardUrl } from "./egress.ts";

const singleUse = createGuardedAgents({ keepAlive: false });
const reused = createGuardedAgents({ keepAlive: true });

interface GuardedRequest {
  method: string;
  headers: Record<string, string>;
  body: string;
  /** The time for the whole exchange, including the DNS lookup. */
  timeoutMs: number;
  /** The largest body of a response. */
  maxBytes: number;
}
interface SendOptions extends GuardedRequest {
  /** Keeps connections for later requests. Default: each request has its own. */
  keepAlive?: boolean;
  /** Receives the parts of the response's body. Default: they are discarded. */
  onChunk?: (chunk: Buffer) => unknown;
}

interface GuardedResponse {
  status: number;
  headers: IncomingHttpHeaders;
}

/** The response is incomplete: it is late, or too large. */
export class ResponseError extends Error {
  override readonly name = "ResponseError";
  readonly fault: "late" | "tooLarge";

  constructor(fault: ResponseError["fault"], message: string) {
    super(message);
    this.fault = fault;
  }
}

/** The other side closed an idle connection at the moment of its next use, so it has not read the request. */
class StaleConnectionError extends Error {
  override readonly name = "StaleConnectionError";
}

/**
 * Sends a request to a URL that a person configured, and reads the response to its end. Addresses inside the network are blocked, and redirects are
 * not followed. A request that meets a stale connection is sent again on a new one. Throws `ForbiddenAddressError`, `ResponseError`, and any other
 * error if there is no response.
 */
export async function sendGuarded(url: URL, options: SendOptions): Promise<GuardedResponse> {
  guardUrl(url);
  // A socket that receives a byte now and then is never idle, so one timeout covers the whole exchange.
  const signal = AbortSignal.timeout(options.timeoutMs);
  try {
    return await exchange(url, options, signal).catch((error: unknown) => {
      if (!(error instanceof StaleConnectionError)) throw error;
      return exchange(url, options, signal);
    });
  } catch (error) {
    throw signal.aborted ? new ResponseError("late", `There was no whole response within ${options.timeoutMs} ms.`) : error;
  }
}

/** Sends a request as `sendGuarded` does, and returns the response with its body, its content type and the pause that it requests. */
export async function fetchGuarded(address: string, request: Omit<SendOptions, "onChunk">): Promise<Response> {
  const chunks: Buffer[] = [];
  const { status, headers } = await sendGuarded(new URL(address), { ...request, onChunk: (chunk) => chunks.push(chunk) });
  const hasBody = ![204, 205, 304].includes(status);
  const { "retry-after": retryAfter } = headers;
  return new Response(hasBody ? Buffer.concat(chunks) : null, {
    status,
    headers: { "content-type": headers["content-type"] ?? "", ...defined({ "retry-after": retryAfter }) },
  });
}

function exchange(url: URL, options: SendOptions, signal: AbortSignal): Promise<GuardedResponse> {
  const { method, headers, body, keepAlive = false } = options;
  const { httpAgent, httpsAgent } = keepAlive ? reused : singleUse;
  const secure = url.protocol === "https:";
  const { promise, resolve, reject } = Promise.withResolvers<GuardedResponse>();
  const request = (secure ? httpsRequest : httpRequest)(url, {
    method,
    agent: secure ? httpsAgent : httpAgent,
    headers: { "user-agent": "svc", ...headers, "content-length": Buffer.byteLength(body) },
    signal,
  });
  request.once("response", (response) => {
    readBody(response, options).then(() => resolve({ status: response.statusCode ?? 502, headers: response.headers }), reject);
  });
  request.on("error", (error: NodeJS.ErrnoException) => {
    reject(request.reusedSocket && error.code === "ECONNRESET" ? new StaleConnectionError() : error);
  });
  request.end(body);
  return promise;
}

/** Reads a response to its end, so that its connection can be used again. Throws `ResponseError` for one that is too large. */
async function readBody(response: IncomingMessage, { maxBytes, onChunk }: SendOptions): Promise<void> {
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new ResponseError("tooLarge", `The response is larger than ${maxBytes} bytes.`);
    onChunk?.(chunk);
  }
}
