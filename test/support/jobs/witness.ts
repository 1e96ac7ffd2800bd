import http from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "../until.ts";

/** A report of a script. */
export interface Report {
  what: string;
  query: Record<string, string>;
}

/** A server to which scripts report, so that a test counts actual executions. It responds with the number of reports of the same name, or of the name in `of`. */
export interface Witness {
  url: string;
  reports: Report[];
  /** The number of equal reports. */
  count(what: string): number;
  /** Waits for the n-th equal report. */
  waitForReport(what: string, times?: number): Promise<Report>;
  close(): Promise<void>;
}

export async function startWitness(): Promise<Witness> {
  const reports: Report[] = [];
  const of = (what: string) => reports.filter((one) => one.what === what);
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://witness");
    reports.push({ what: url.pathname.slice(1), query: Object.fromEntries(url.searchParams) });
    request.resume();
    response.end(String(of(url.searchParams.get("of") ?? url.pathname.slice(1)).length));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reports,
    count: (what) => of(what).length,
    waitForReport: (what, times = 1) => until(() => of(what)[times - 1], { timeoutMs: 60_000, what: `'${what}' reported ${times} times` }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
