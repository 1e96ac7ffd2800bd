import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe finds that keeps people from using the page, one line for each; empty where nothing does. */
export async function barriers(page: Page): Promise<string[]> {
  // Through the debugger: the page's policy takes no script from outside.
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
