import axe from "axe-core";
import type { Page } from "playwright-core";

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/** Returns the accessibility faults that axe finds, one line for each. `rules`: the names of the rules to check. Default: all. */
export async function barriers(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The script is injected by the debugger, because the page's policy allows no external script.
  const session = await page.context().newCDPSession(page);
  const evaluate = async (expression: string) =>
    (await session.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })).result;
  const isPresent = await evaluate("typeof axe === 'object'");
  if (isPresent.value !== true) await evaluate(axe.source);
  const options = { resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) };
  const { value } = await evaluate(`axe.run(${JSON.stringify(options)}).then(({violations}) => JSON.stringify(violations))`);
  await session.detach();
  return (JSON.parse(value) as Violation[])
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}
