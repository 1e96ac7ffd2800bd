import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { createGuardedAgents, guardUrl } from "./egress.ts";

const agents = createGuardedAgents({ keepAlive: false });

interface GuardedRequest {
  method: string;
  headers: Record<string, string>;
  body: string;
  /** The time for the whole exchange. */
  timeoutMs: number;
  /** The largest body of a response. */
  maxBytes: number;
}

/**
 * Sends a request to a URL that a person configured, and returns the response. Addresses inside the network are blocked, and redirects are not
 * followed. Throws `ForbiddenAddressError`, and any other error if there is no whole response in time.
 */
export async function fetchGuarded(address: string, { method, headers, body, timeoutMs, maxBytes }: GuardedRequest): Promise<Response> {
  const url = new URL(address);
  guardUrl(url);
  const secure = url.protocol === "https:";
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = (secure ? httpsRequest : httpRequest)(url, {
    method,
    agent: secure ? agents.httpsAgent : agents.httpAgent,
    headers: { ...headers, "content-length": Buffer.byteLength(body), "user-agent": "svc" },
    // A socket that receives a byte now and then is never idle, so the whole exchange has one time.
    signal: AbortSignal.timeout(timeoutMs),
  });
  request.once("error", reject);
  request.once("response", async (response) => {
    try {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of response as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw new Error(`The response is larger than ${maxBytes} bytes.`);
        chunks.push(chunk);
      }
      const status = response.statusCode ?? 502;
      const hasBody = ![204, 205, 304].includes(status);
      const type = response.headers["content-type"] ?? "";
      resolve(new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers: { "content-type": type } }));
    } catch (error) {
      reject(error as Error);
    } finally {
      response.destroy();
    }
  });
  request.end(body);
  return promise;
}
