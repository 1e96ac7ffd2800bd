import axe from "axe-core";
import type { Page } from "playwright-core";

/** Returns the accessibility faults that axe finds, one line for each. */
export async function barriers(page: Page): Promise<string[]> {
  // The script is injected by the debugger, because the page's policy allows no external script.
  const session = await page.context().newCDPSession(page);
  const evaluate = async (expression: string) =>
    (await session.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })).result;
  await evaluate(axe.source);
  const { value } = await evaluate("axe.run().then(({violations}) => JSON.stringify(violations))");
  await session.detach();
  const found = JSON.parse(value) as { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}
