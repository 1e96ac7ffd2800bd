import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { endBrowser, openPage } from "../test/support/browser/browser.ts";
import type { Target } from "./bench.ts";
import type { HttpClient } from "./http-client.ts";
import { median, sorted } from "./measure.ts";
import type { Row } from "./table.ts";

interface Measured {
  client: HttpClient;
  target: Target;
  quick: boolean;
}

interface Opened {
  paintMs: number;
  rowsMs: number;
  requests: number;
  /** Compressed bytes of scripts and styles. */
  bytes: number;
}

const FLOW = "f/bench/console_loop";
const ITERATIONS = 300;
const POLLED_MS = 200;

/** Runs in the page, after its document was created and before its scripts. Keeps the tasks of more than 50 ms. */
const WATCH_TASKS = `
  window.longestTaskMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longestTaskMs = Math.max(window.longestTaskMs, duration);
  }).observe({ type: "longtask", buffered: true });
`;
const FIRST_PAINT = `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN`;
const SCRIPT_BYTES = `performance.getEntriesByType("resource").filter(({ name }) => name.includes("/assets/")).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;

/** Opens an address with an empty cache, until an element is visible. */
async function open(page: Page, { url }: Target, address: string, visible: string): Promise<Opened> {
  const requested: string[] = [];
  const note = (request: { url(): string }) => {
    if (new URL(request.url()).pathname.startsWith("/api/")) requested.push(request.url());
  };
  page.on("request", note);
  const startedMs = performance.now();
  await page.goto(`${url}${address}`);
  await page.locator(visible).first().waitFor();
  const rowsMs = performance.now() - startedMs;
  await page.waitForLoadState("networkidle");
  page.off("request", note);
  const [paintMs, bytes] = [await page.evaluate<number>(FIRST_PAINT), await page.evaluate<number>(SCRIPT_BYTES)];
  return { paintMs, rowsMs, requests: requested.length, bytes };
}

/** Opens an address in a new browser, so that nothing is cached. */
async function openCold({ target, quick }: Measured, address: string, visible: string): Promise<{ opened: Opened[]; page: Page }> {
  const opened: Opened[] = [];
  for (let at = 0; ; at++) {
    const { page } = await openPage({ viewport: { width: 1280, height: 800 } });
    await page.context().addCookies([{ name: "token", value: target.token, url: target.url }]);
    await page.addInitScript(WATCH_TASKS);
    opened.push(await open(page, target, address, visible));
    if (at === (quick ? 0 : 4)) return { opened, page };
    await endBrowser();
  }
}

const medianOf = (opened: readonly Opened[], of: (one: Opened) => number) => median(sorted(opened.map(of)));
const longestTask = (page: Page) => page.evaluate<number>("window.longestTaskMs");

/** Runs a flow with a loop whose iterations fail now and then, and returns its id. */
async function runLoop({ client, target: { workspace } }: Measured, iterations: number): Promise<string> {
  const content = "export async function main(n: number) { if (n % 100 === 99) throw new Error('no ' + n); return n; }";
  const input_transforms = { n: { type: "javascript" as const, expr: "flow_input.iter.value" } };
  const step = { id: "step", value: { type: "rawscript" as const, language: "bun" as const, content, input_transforms } };
  const iterator = { type: "javascript" as const, expr: `Array.from({ length: ${iterations} }, (_, n) => n)` };
  const loop = { id: "loop", value: { type: "forloopflow" as const, iterator, skip_failures: true, parallel: false, modules: [step] } };
  await client.ask.flows.create({ workspace, body: { path: FLOW, summary: "", value: { modules: [loop] } } });
  const id = (await client.ask.jobs.run.flows({ workspace, path: FLOW, body: {} })).text;
  for (;;) {
    const { completed } = JSON.parse((await client.ask.jobs.getResultMaybe({ workspace, id })).text) as { completed: boolean };
    if (completed) return id;
    await sleep(POLLED_MS);
  }
}

/** Measures the console in a browser: what it loads, how long it takes, and the longest task while a person uses it. */
export async function consoleRows(measured: Measured): Promise<Row[]> {
  const { target, quick } = measured;
  const { workspace } = target;
  try {
    const runs = await openCold(measured, `/w/${workspace}/runs`, "table.runs tbody a");
    await runs.page.mouse.wheel(0, 20_000);
    await runs.page.getByRole("textbox", { name: "Search" }).pressSequentially("bench", { delay: 20 });
    await runs.page.waitForLoadState("networkidle");
    const runsTaskMs = await longestTask(runs.page);
    await endBrowser();

    const iterations = quick ? 5 : ITERATIONS;
    const id = await runLoop(measured, iterations);
    const run = await openCold(measured, `/w/${workspace}/runs/${id}`, ".step-row");
    const startedMs = performance.now();
    await run.page.getByRole("button", { name: "Inside of loop" }).click();
    await run.page.locator(".step-inside .step-row").first().waitFor();
    const insideMs = performance.now() - startedMs;
    return [
      { line: "Runs: scripts and styles", value: medianOf(runs.opened, ({ bytes }) => bytes) / 1000, unit: "KB", target: { atMost: 260 } },
      {
        line: "a run: more scripts and styles",
        value: Math.max(0, medianOf(run.opened, ({ bytes }) => bytes) - medianOf(runs.opened, ({ bytes }) => bytes)) / 1000,
        unit: "KB",
        target: { atMost: 90 },
      },
      {
        line: "Runs, cold cache: first paint",
        value: medianOf(runs.opened, ({ paintMs }) => paintMs),
        unit: "ms",
        target: { atMost: 1000 },
      },
      {
        line: "Runs, cold cache: rows visible",
        value: medianOf(runs.opened, ({ rowsMs }) => rowsMs),
        unit: "ms",
        target: { atMost: 1500 },
      },
      { line: "requests to open Runs", value: medianOf(runs.opened, ({ requests }) => requests), unit: "requests", target: { atMost: 5 } },
      { line: "requests to open a run", value: medianOf(run.opened, ({ requests }) => requests), unit: "requests", target: { atMost: 6 } },
      {
        line: `a run with ${iterations} iterations: open`,
        value: medianOf(run.opened, ({ rowsMs }) => rowsMs),
        unit: "ms",
        target: { atMost: 1000 },
      },
      { line: `a run with ${iterations} iterations: open the loop`, value: insideMs, unit: "ms", target: { atMost: 1000 } },
      { line: "Runs: longest task while loading, scrolling and typing", value: runsTaskMs, unit: "ms", target: { atMost: 100 } },
      { line: "a run: longest task", value: await longestTask(run.page), unit: "ms", target: { atMost: 100 } },
    ];
  } finally {
    await endBrowser();
  }
}
