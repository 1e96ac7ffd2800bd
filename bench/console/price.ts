import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { prices } from "../../core/cost/prices.ts";
import { hidePage } from "../../test/support/browser/browser.ts";
import { price, totalOf } from "../cost/cost.ts";
import { functionLogs } from "../cost/counted.ts";
import type { Row } from "../table.ts";
import { type Measured, openNew, type Requests, watchRequests } from "./visits.ts";

const HOUR_MS = 3_600_000;
/** The shortest time between two reads of the page: its requests are answered before time continues. */
const STEP_MS = 4_000;
const HIDDEN_STEP_MS = 60_000;
/** The assumed duration of a request on AWS: the check of the token, and reads of the partitions of a list at the same time. */
const REQUEST_S = 0.05;
const API = /JobsApiFn|PeopleApiFn|ApproveFn|ConsoleApiFn|ObjectsApiFn/;
/** The engine reports no units for these requests. A page of 50 runs is read from four partitions, each 20 to 40 KB at most, with eventual consistency. */
const UNREPORTED = ["dynamodb.Query", "dynamodb.BatchGetItem"];
const UNITS_OF_UNREPORTED = 5;
const LOGGED_AFTER_MS = 300;

/** Lets time pass in a page, in steps that are long enough for one request each. */
async function pass(page: Page, requests: Requests, { durationMs, stepMs }: { durationMs: number; stepMs: number }): Promise<void> {
  for (let atMs = 0; atMs < durationMs; atMs += stepMs) {
    await page.clock.runFor(stepMs);
    await requests.settled();
  }
}

/** Counts what a page of runs costs that stays open for an hour, visible or hidden. The clock of the page is set forward. */
export async function priceRows(measured: Measured): Promise<Row[]> {
  const { target, quick } = measured;
  const durationMs = quick ? HOUR_MS / 60 : HOUR_MS;
  const logs = await functionLogs(target.endpoint);
  const page = await openNew(measured);
  await page.clock.install();
  await page.goto(`${target.url}/w/${target.workspace}/runs`);
  await page.locator("table.runs tbody a").first().waitFor();
  await page.waitForLoadState("networkidle");
  await sleep(LOGGED_AFTER_MS);

  const [fromMs, requests] = [Date.now(), watchRequests(page)];
  await pass(page, requests, { durationMs, stepMs: STEP_MS });
  await sleep(LOGGED_AFTER_MS);
  const { counts } = await logs.since(fromMs, API);
  const visible = requests.count();
  const gbSeconds = visible * REQUEST_S * (logs.memoryMb(API) / 1024);
  const unreported = UNREPORTED.reduce((sum, name) => sum + (counts.requests[name] ?? 0), 0);
  const readUnits = counts.readUnits + unreported * UNITS_OF_UNREPORTED;
  const dollars = price(counts, readUnits, { requests: visible, gbSeconds }) + visible * prices.restApiRequest;

  await hidePage(page);
  await pass(page, requests, { durationMs, stepMs: HIDDEN_STEP_MS });
  return [
    {
      line: "a page of runs, open for an hour: list price",
      value: dollars,
      unit: "$",
      note: `${visible} requests, ${totalOf(counts.requests)} of AWS`,
      target: { atMost: 0.005 },
    },
    { line: "a page of runs, hidden for an hour: requests", value: requests.count() - visible, unit: "requests", target: { atMost: 0 } },
  ];
}
