import { createLargeRun } from "../seeds/large-run.ts";
import { Tables } from "../seeds/tables.ts";
import type { Row } from "../table.ts";
import { type Measured, medianOf, openCold, takeLongestTask, timeOf } from "./visits.ts";

const ITERATIONS = 10_000;
const QUICK_ITERATIONS = 200;

/** Measures the page of a run with a long loop of two steps. `runsBytes`: the size of the scripts and styles that the list of runs has loaded. */
export async function runRows(measured: Measured, runsBytes: number): Promise<Row[]> {
  const { client, target, quick } = measured;
  const iterations = quick ? QUICK_ITERATIONS : ITERATIONS;
  const { id, firstFailed } = await createLargeRun(client, new Tables(target.endpoint), target.workspace, iterations);
  const { opened, page } = await openCold(measured, `/w/${target.workspace}/runs/${id}`, ".step-row");
  const openingTaskMs = await takeLongestTask(page);
  const iteration = (number: number) => page.locator(".step-inside .step-name").getByText(`Iteration ${number}`, { exact: true });
  const insideMs = await timeOf(async () => {
    await page.getByRole("button", { name: "Inside of loop" }).click();
    await iteration(1).waitFor();
  });
  const jumpMs = await timeOf(async () => {
    await page.getByLabel("Iteration", { exact: true }).fill(String(iterations));
    await page.getByLabel("Iteration", { exact: true }).press("Enter");
    await iteration(iterations).waitFor();
  });
  const failedMs = await timeOf(async () => {
    await page.getByLabel("Failed only").check();
    await iteration(1).waitFor({ state: "detached" });
    await iteration(firstFailed).waitFor();
  });
  const steps = `a run of ${(iterations * 2).toLocaleString("en")} steps in ${iterations.toLocaleString("en")} iterations`;
  return [
    {
      line: "a run: more scripts and styles",
      value: Math.max(0, medianOf(opened, "bytes") - runsBytes) / 1000,
      unit: "KB",
      target: { atMost: 90 },
    },
    { line: "requests to open a run", value: medianOf(opened, "requests"), unit: "requests", target: { atMost: 6 } },
    { line: `${steps}: open`, value: medianOf(opened, "visibleMs"), unit: "ms", target: { atMost: 1000 } },
    { line: `${steps}: open the loop`, value: insideMs, unit: "ms", target: { atMost: 1000 } },
    { line: `${steps}: show the last iteration`, value: jumpMs, unit: "ms", target: { atMost: 1000 } },
    { line: `${steps}: find the failed ones`, value: failedMs, unit: "ms", target: { atMost: 500 } },
    { line: `${steps}: longest task while opening`, value: openingTaskMs, unit: "ms", target: { atMost: 100 } },
    { line: `${steps}: longest task afterwards`, value: await takeLongestTask(page), unit: "ms", target: { atMost: 100 } },
  ];
}
