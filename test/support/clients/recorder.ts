import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface RecordedRequest {
  method: string;
  /** Below the origin, as it was sent, without the query. */
  path: string;
  query: Record<string, string>;
  authorization: string | undefined;
  type: string | undefined;
  body: string;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** Text is sent as `text/plain`, bytes as `application/octet-stream`, the rest as JSON. */
  body?: unknown;
}

export interface Recorder {
  url: string;
  requests: RecordedRequest[];
  /** The responses to the next requests, in order. A request without one receives 500. */
  replies: Reply[];
  close(): Promise<void>;
}

/** A server that records requests, for tests of the wire format. */
export async function startRecorder(): Promise<Recorder> {
  const requests: RecordedRequest[] = [];
  const replies: Reply[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [path = "", search = ""] = (request.url ?? "").split("?");
    requests.push({
      method: request.method ?? "",
      path,
      query: Object.fromEntries(new URLSearchParams(search)),
      authorization: request.headers.authorization,
      type: request.headers["content-type"],
      body: Buffer.concat(chunks).toString(),
    });
    const { status = 200, headers = {}, body } = replies.shift() ?? { status: 500, body: "No reply was prepared." };
    const bytes = body instanceof Uint8Array;
    const type = typeof body === "string" ? "text/plain" : bytes ? "application/octet-stream" : "application/json";
    response.writeHead(status, { "content-type": type, ...headers });
    response.end(typeof body === "string" || bytes ? body : JSON.stringify(body ?? null));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    replies,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
