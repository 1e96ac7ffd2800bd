import http from "node:http";
import { nest } from "../contract/client/client.ts";
import type { CallArguments, Nested, OperationName } from "../contract/client/operation.ts";
import { operations } from "../contract/client/operations/all.ts";
import { toRequest } from "../contract/client/request.ts";

export interface Answer {
  status: number;
  text: string;
}

/** A function for each operation of the API, which returns the text of the answer: the benchmark parses only those that it reads. */
type Operations = Nested<{ [N in OperationName]: (...input: CallArguments<N>) => Promise<Answer> }>;

/**
 * A cheap HTTP client, because callers share the machine with the service. It reuses connections, as real clients do. Throws unless the status is
 * a success, and also if a synchronous run failed, because a failing script is fast.
 */
export function httpClient({ url, token }: { url: string; token: string }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const { hostname, port } = new URL(url);
  const call = (method: string, address: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const allHeaders = {
        authorization: `Bearer ${token}`,
        ...(payload === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
        ...headers,
      };
      const request = http.request({ agent, hostname, port, method, path: address, headers: allHeaders }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => {
          const text = Buffer.concat(parts).toString();
          const status = response.statusCode ?? 0;
          const state = response.headers["x-svc-job-state"] ?? "succeeded";
          if (status >= 200 && status < 300 && state === "succeeded") resolve({ status, text });
          else reject(new Error(`${method} ${address} answered ${status}, ${state}: ${text.slice(0, 300)}`));
        });
        response.on("error", reject);
      });
      // The server may close an idle connection at the moment of its next use. The request has then not arrived.
      request.on("error", (error: NodeJS.ErrnoException) => {
        if (request.reusedSocket && error.code === "ECONNRESET") call(method, address, body, headers).then(resolve, reject);
        else reject(error);
      });
      request.end(payload);
    });
  return {
    ask: nest<Operations, OperationName>(operations, (name, input) => {
      const { method, address, body, headers } = toRequest(operations, name, input);
      return call(method, address, body, headers);
    }),
    /** Sends a request to the HTTP route of a user. `address`: the path. */
    get: (address: string) => call("GET", address),
    /** `headers`: further headers. The body is sent as `JSON.stringify` writes it. */
    post: (address: string, body: unknown = {}, headers: Record<string, string> = {}) => call("POST", address, body, headers),
    close: () => agent.destroy(),
  };
}
export type HttpClient = ReturnType<typeof httpClient>;
