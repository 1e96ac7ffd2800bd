import { endBrowser } from "../../test/support/browser/browser.ts";
import type { Row } from "../table.ts";
import { flowRows } from "./flow.ts";
import { itemRows } from "./items.ts";
import { logRows } from "./log.ts";
import { priceRows } from "./price.ts";
import { runRows } from "./run.ts";
import { runsRows } from "./runs.ts";
import { scriptRows } from "./script.ts";
import { variableRows } from "./variables.ts";
import type { Measured } from "./visits.ts";

/** Measures the console in a browser: what it loads, how long it takes, the longest task while a person uses it, and what an open page costs. */
export async function consoleRows(measured: Measured): Promise<Row[]> {
  try {
    const runs = await runsRows(measured);
    const prices = await priceRows(measured);
    const run = await runRows(measured, runs.bytes);
    const log = await logRows(measured);
    const items = await itemRows(measured);
    const variables = await variableRows(measured);
    const flow = await flowRows(measured, runs.bytes);
    const script = await scriptRows(measured);
    return [...runs.rows, ...prices, ...run, ...log, ...items, ...variables, ...flow, ...script];
  } finally {
    await endBrowser();
  }
}
