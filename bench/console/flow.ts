import type { Page } from "playwright-core";
import type { Row } from "../table.ts";
import { type Measured, medianOf, openCold, takeLongestTask, timeOf } from "./visits.ts";

const STEPS = 300;
const QUICK_STEPS = 30;
const PATH = "f/bench/many_steps";

/** A step of code whose input is the result of the one before it. */
const stepAt = (at: number) => ({
  id: `s${at}`,
  summary: `Step ${at}`,
  value: {
    type: "rawscript" as const,
    language: "bun" as const,
    content: "export async function main(before: number) {\n  return before + 1;\n}\n",
    input_transforms: { before: { type: "javascript" as const, expr: at === 0 ? "flow_input.start" : `results.s${at - 1}` } },
  },
});

/** Measures the editor of a flow with many steps: its first display, and the longest task while a person uses it. `runsBytes`: what the list of runs has loaded. */
export async function flowRows(measured: Measured, runsBytes: number): Promise<Row[]> {
  const { client, target, quick } = measured;
  const { workspace } = target;
  const count = quick ? QUICK_STEPS : STEPS;
  const value = { modules: Array.from({ length: count }, (_, at) => stepAt(at)) };
  await client.ask.flows.create({ workspace, body: { path: PATH, summary: "Many steps", value } });
  const { opened, page } = await openCold(measured, `/w/${workspace}/flows/${PATH}/edit`, "[data-step-id]");
  const openingTaskMs = await takeLongestTask(page);
  await page.locator(".react-flow__pane").hover();
  // Down and back, so that the first steps are in view afterwards.
  for (let at = 0; at < 40; at++) {
    await page.mouse.wheel(0, at < 20 ? 900 : -900);
    await displayed(page);
  }
  const panningTaskMs = await takeLongestTask(page);
  const panelMs = await timeOf(async () => {
    await page.locator("[data-step-id]").first().click();
    await page.getByRole("group", { name: "before" }).waitFor();
  });
  await page.waitForLoadState("networkidle");
  const panelTaskMs = await takeLongestTask(page);
  await page
    .getByRole("group", { name: /^Step s/ })
    .getByLabel("Summary")
    .pressSequentially(" that adds one to the number", { delay: 30 });
  await displayed(page);
  const typingTaskMs = await takeLongestTask(page);
  await page.locator("[data-step-id]").first().focus();
  for (let at = 0; at < 20; at++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Control+d");
  await page.getByText("Draft saved").waitFor();
  const flow = `a flow of ${count} steps`;
  const atMost = (most: number) => ({ target: { atMost: most } });
  return [
    {
      line: "the flow editor: more scripts and styles",
      value: Math.max(0, medianOf(opened, "bytes") - runsBytes) / 1000,
      unit: "KB",
      ...atMost(300),
    },
    { line: `${flow}: open`, value: medianOf(opened, "visibleMs"), unit: "ms", ...atMost(1500) },
    { line: `${flow}: longest task while opening`, value: openingTaskMs, unit: "ms", ...atMost(100) },
    { line: `${flow}: longest task while panning`, value: panningTaskMs, unit: "ms", ...atMost(100) },
    { line: `${flow}: open the panel of a step`, value: panelMs, unit: "ms" },
    { line: `${flow}: longest task while the panel opens`, value: panelTaskMs, unit: "ms", ...atMost(100) },
    { line: `${flow}: longest task while typing`, value: typingTaskMs, unit: "ms", ...atMost(100) },
    {
      line: `${flow}: longest task while moving by keys, duplicating a step and storing the draft`,
      value: await takeLongestTask(page),
      unit: "ms",
      ...atMost(100),
    },
  ];
}

const displayed = (page: Page) => page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
