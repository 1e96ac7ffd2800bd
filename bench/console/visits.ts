import { setTimeout as sleep } from "node:timers/promises";
import type { Page, Request } from "playwright-core";
import { endBrowser, openPage } from "../../test/support/browser/browser.ts";
import type { Target } from "../bench.ts";
import type { HttpClient } from "../http-client.ts";
import { median, sorted } from "../measure.ts";

export interface Measured {
  client: HttpClient;
  target: Target;
  quick: boolean;
}

interface Opened {
  paintMs: number;
  visibleMs: number;
  requests: number;
  /** Compressed bytes of scripts and styles. */
  bytes: number;
}

/** Runs in the page, after its document was created and before its scripts. Keeps the longest of the tasks of more than 50 ms. */
const WATCH_TASKS = `
  window.longestTaskMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longestTaskMs = Math.max(window.longestTaskMs, duration);
  }).observe({ type: "longtask", buffered: true });
`;
const FIRST_PAINT = `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN`;
const SCRIPT_BYTES = `performance.getEntriesByType("resource").filter(({ name }) => name.includes("/assets/")).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;
const REPEATED = 5;
const SETTLED_CHECK_MS = 5;

/** Opens a page in a new browser, so that nothing is cached, as a user who is signed in. The caller ends the browser. */
export async function openNew({ target }: Measured): Promise<Page> {
  await endBrowser();
  const { page } = await openPage({ viewport: { width: 1280, height: 800 } });
  await page.context().addCookies([{ name: "token", value: target.token, url: target.url }]);
  await page.addInitScript(WATCH_TASKS);
  return page;
}

/** The requests of a page to the API, from now on. */
export interface Requests {
  count(): number;
  /** Waits until all requests have their answers. */
  settled(): Promise<void>;
}

export function watchRequests(page: Page): Requests {
  let count = 0;
  const open = new Set<Request>();
  page.on("request", (request) => {
    if (!new URL(request.url()).pathname.startsWith("/api/")) return;
    count += 1;
    open.add(request);
  });
  for (const end of ["requestfinished", "requestfailed"] as const)
    page.on(end as "requestfinished", (request) => void open.delete(request));
  return {
    count: () => count,
    settled: async () => {
      while (open.size > 0) await sleep(SETTLED_CHECK_MS);
    },
  };
}

/** Opens an address several times with an empty cache, each time until an element is visible. Returns the last page. */
export async function openCold(measured: Measured, address: string, visible: string): Promise<{ opened: Opened[]; page: Page }> {
  const opened: Opened[] = [];
  for (;;) {
    const page = await openNew(measured);
    const requests = watchRequests(page);
    const startedMs = performance.now();
    await page.goto(`${measured.target.url}${address}`);
    await page.locator(visible).first().waitFor();
    const visibleMs = performance.now() - startedMs;
    await page.waitForLoadState("networkidle");
    const [paintMs, bytes] = [await page.evaluate<number>(FIRST_PAINT), await page.evaluate<number>(SCRIPT_BYTES)];
    opened.push({ paintMs, visibleMs, requests: requests.count(), bytes });
    if (opened.length === (measured.quick ? 1 : REPEATED)) return { opened, page };
  }
}

export const medianOf = (opened: readonly Opened[], figure: keyof Opened) => median(sorted(opened.map((one) => one[figure])));

/** The longest task since the page was opened or the last call, in ms. Tasks of less than 50 ms count as none. */
export const takeLongestTask = (page: Page) =>
  page.evaluate<number>("(() => { const longest = window.longestTaskMs; window.longestTaskMs = 0; return longest; })()");

/** Measures the time until an action has its effect. */
export async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await act();
  return performance.now() - startedMs;
}
