import http from "node:http";
import { api } from "./api.ts";

interface RawAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

/** Sends a request whose path is transmitted exactly as given, because `fetch` would normalise it. */
export function rawRequest(method: string, path: string, { url, token } = api()): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, method, path, headers: { authorization: `Bearer ${token}` } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() });
      });
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end();
  });
}
