import type { Page } from "playwright-core";
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

/** Opens a page in a new browser, so that nothing is cached, as a user who is signed in. The caller ends the browser. */
export async function openNew({ target }: Measured): Promise<Page> {
  await endBrowser();
  const { page } = await openPage({ viewport: { width: 1280, height: 800 } });
  await page.context().addCookies([{ name: "token", value: target.token, url: target.url }]);
  await page.addInitScript(WATCH_TASKS);
  return page;
}

/** Counts the requests of a page to the API, from now on. */
export function countRequests(page: Page): () => number {
  let requests = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname.startsWith("/api/")) requests += 1;
  });
  return () => requests;
}

/** Opens an address several times with an empty cache, each time until an element is visible. Returns the last page. */
export async function openCold(measured: Measured, address: string, visible: string): Promise<{ opened: Opened[]; page: Page }> {
  const opened: Opened[] = [];
  for (;;) {
    const page = await openNew(measured);
    const requests = countRequests(page);
    const startedMs = performance.now();
    await page.goto(`${measured.target.url}${address}`);
    await page.locator(visible).first().waitFor();
    const visibleMs = performance.now() - startedMs;
    await page.waitForLoadState("networkidle");
    const [paintMs, bytes] = [await page.evaluate<number>(FIRST_PAINT), await page.evaluate<number>(SCRIPT_BYTES)];
    opened.push({ paintMs, visibleMs, requests: requests(), bytes });
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
