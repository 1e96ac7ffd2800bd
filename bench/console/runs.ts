import type { Page } from "playwright-core";
import { copyJob, loadEndedJob } from "../seeds/jobs.ts";
import { Tables } from "../seeds/tables.ts";
import type { Row } from "../table.ts";
import { type Measured, medianOf, openCold, takeLongestTask } from "./visits.ts";

const ROWS = 10_000;
const QUICK_ROWS = 150;
const PER_SCROLL_PX = 13_000;
const ROW_PX = 52;

/** Measures the list of runs: its first display, and the longest task with many loaded rows. */
export async function runsRows(measured: Measured): Promise<{ rows: Row[]; bytes: number }> {
  const { client, target, quick } = measured;
  const count = quick ? QUICK_ROWS : ROWS;
  const tables = new Tables(target.endpoint);
  const { item, name } = await loadEndedJob(client, tables, target.workspace);
  await tables.writeAll(
    name,
    Array.from({ length: count }, (_, at) => copyJob(item, target.workspace, at)),
  );
  const { opened, page } = await openCold(measured, `/w/${target.workspace}/runs`, "table.runs tbody a");
  await page.getByRole("textbox", { name: "Search" }).pressSequentially("bench", { delay: 20 });
  await page.waitForURL(/search=bench/);
  await page.waitForLoadState("networkidle");
  const firstTaskMs = await takeLongestTask(page);
  await loadRows(page, count);
  const loadingTaskMs = await takeLongestTask(page);
  await page.evaluate("scrollTo(0, 0)");
  for (let px = 0; px < count * ROW_PX; px += PER_SCROLL_PX) {
    await page.mouse.wheel(0, PER_SCROLL_PX);
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  }
  const scrollingTaskMs = await takeLongestTask(page);
  const bytes = medianOf(opened, "bytes");
  const loaded = `${count.toLocaleString("en")} rows`;
  return {
    bytes,
    rows: [
      { line: "Runs: scripts and styles", value: bytes / 1000, unit: "KB", target: { atMost: 260 } },
      { line: "Runs, cold cache: first paint", value: medianOf(opened, "paintMs"), unit: "ms", target: { atMost: 1000 } },
      { line: "Runs, cold cache: rows visible", value: medianOf(opened, "visibleMs"), unit: "ms", target: { atMost: 1500 } },
      { line: "requests to open Runs", value: medianOf(opened, "requests"), unit: "requests", target: { atMost: 5 } },
      { line: "Runs: longest task while opening and typing", value: firstTaskMs, unit: "ms", target: { atMost: 100 } },
      { line: `Runs: longest task while loading ${loaded}`, value: loadingTaskMs, unit: "ms", target: { atMost: 100 } },
      { line: `Runs: longest task while scrolling ${loaded}`, value: scrollingTaskMs, unit: "ms", target: { atMost: 100 } },
    ],
  };
}

/** Loads more rows until the table has this number. */
async function loadRows(page: Page, count: number): Promise<void> {
  const more = page.getByRole("button", { name: "Load more" });
  for (;;) {
    const rowcount = (await page.locator("table.runs").getAttribute("aria-rowcount")) ?? "";
    if (Number(rowcount) > count) return;
    await more.click();
    await page.locator(`table.runs:not([aria-rowcount="${rowcount}"])`).waitFor();
  }
}
