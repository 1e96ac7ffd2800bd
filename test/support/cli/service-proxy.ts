import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { api } from "../api/api.ts";

/**
 * The treatment of a request. `pass`: forwarded. `cut`: the connection breaks before the service receives it. `lose`: the service handles it, and the
 * reply is replaced by 502. A status: the answer of the proxy itself.
 */
export type Treatment = "pass" | "cut" | "lose" | { status: number; headers?: Record<string, string> };

/** A proxy before the shared service, with which a test breaks a client's requests. */
export interface ServiceProxy {
  url: string;
  /** Method and path of each request. */
  requests: string[];
  /** Decides about each request from now on. A decision that is pending holds the request. */
  treat(decide: (request: string) => Treatment | Promise<Treatment>): void;
  close(): void;
}

/** Starts a proxy that passes all requests. */
export async function startServiceProxy(): Promise<ServiceProxy> {
  const { hostname, port } = new URL(api().url);
  const requests: string[] = [];
  let decide: (request: string) => Treatment | Promise<Treatment> = () => "pass";

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse, isLost: boolean) => {
    const { method, url: path, headers } = incoming;
    const request = http.request({ hostname, port, method, path, headers }, (response) => {
      if (isLost) response.resume().once("end", () => outgoing.writeHead(502).end());
      else response.pipe(outgoing.writeHead(response.statusCode ?? 502, response.headers));
    });
    request.once("error", () => outgoing.destroy());
    incoming.pipe(request);
  };

  const server = http.createServer(async (incoming, outgoing) => {
    const request = `${incoming.method} ${incoming.url?.split("?", 1)[0]}`;
    requests.push(request);
    const treatment = await decide(request);
    if (treatment === "cut") incoming.destroy();
    else if (typeof treatment === "object") outgoing.writeHead(treatment.status, treatment.headers).end();
    else forward(incoming, outgoing, treatment === "lose");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    treat(next) {
      decide = next;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
