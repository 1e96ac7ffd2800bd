import http from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "../until.ts";

/** A report of a script. */
export interface Told {
  what: string;
  query: Record<string, string>;
}

/** A server to which scripts report, so that a test counts actual executions. It responds with the number of equal reports. */
export interface Witness {
  url: string;
  told: Told[];
  /** The number of equal reports. */
  count(what: string): number;
  /** Waits for the n-th equal report. */
  heard(what: string, times?: number): Promise<Told>;
  close(): Promise<void>;
}

export async function startWitness(): Promise<Witness> {
  const told: Told[] = [];
  const of = (what: string) => told.filter((one) => one.what === what);
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://witness");
    told.push({ what: url.pathname.slice(1), query: Object.fromEntries(url.searchParams) });
    request.resume();
    response.end(String(of(url.pathname.slice(1)).length));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    told,
    count: (what) => of(what).length,
    heard: (what, times = 1) => until(() => of(what)[times - 1], { timeoutMs: 60_000, what: `'${what}' told ${times} times` }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
