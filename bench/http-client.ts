import http from "node:http";

export interface Answer {
  status: number;
  text: string;
}

/**
 * A cheap HTTP client, because callers share the machine with the service. It reuses connections, as real clients do. Throws unless the status is
 * a success, and also if a synchronous run failed, because a failing script is fast.
 */
export function httpClient({ url, token }: { url: string; token: string }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const { hostname, port } = new URL(url);
  const call = (method: string, route: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const allHeaders = {
        authorization: `Bearer ${token}`,
        ...(payload === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
        ...headers,
      };
      const request = http.request({ agent, hostname, port, method, path: `/api/${route}`, headers: allHeaders }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => {
          const text = Buffer.concat(parts).toString();
          const status = response.statusCode ?? 0;
          const state = response.headers["x-svc-job-state"] ?? "succeeded";
          if (status >= 200 && status < 300 && state === "succeeded") resolve({ status, text });
          else reject(new Error(`${method} ${route} answered ${status}, ${state}: ${text.slice(0, 300)}`));
        });
        response.on("error", reject);
      });
      // The server may close an idle connection at the moment of its next use. The request has then not arrived.
      request.on("error", (error: NodeJS.ErrnoException) => {
        if (request.reusedSocket && error.code === "ECONNRESET") call(method, route, body, headers).then(resolve, reject);
        else reject(error);
      });
      request.end(payload);
    });
  return {
    get: (route: string) => call("GET", route),
    /** `headers`: further headers. The body is sent as `JSON.stringify` writes it. */
    post: (route: string, body: unknown = {}, headers: Record<string, string> = {}) => call("POST", route, body, headers),
    close: () => agent.destroy(),
  };
}
export type HttpClient = ReturnType<typeof httpClient>;
