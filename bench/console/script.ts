import type { Row } from "../table.ts";
import { type Measured, medianOf, openCold, takeLongestTask } from "./visits.ts";

const BYTES = 1_000_000;
const QUICK_BYTES = 20_000;
const PATH = "f/bench/long_script";

/** A function of some hundred bytes. */
const functionAt = (at: number) => `/** Adds the number ${at} to a list and returns its length. */
function add${at}(list: number[]): number {
  const length = list.push(${at});
  return length;
}
`;

/** Measures the editor of a long script: its first display, and the longest task while a person types. */
export async function scriptRows(measured: Measured): Promise<Row[]> {
  const { client, target, quick } = measured;
  const { workspace } = target;
  const main = "export async function main(name: string) {\n  return name;\n}\n";
  const functions = Array.from({ length: Math.ceil((quick ? QUICK_BYTES : BYTES) / functionAt(1000).length) }, (_, at) => functionAt(at));
  const content = [main, ...functions].join("");
  await client.ask.scripts.create({ workspace, body: { path: PATH, summary: "A long script", content, language: "bun" } });
  const { opened, page } = await openCold(measured, `/w/${workspace}/scripts/${PATH}/edit`, ".cm-line");
  const openingTaskMs = await takeLongestTask(page);
  const code = page.getByRole("textbox", { name: "Code" });
  await code.click();
  await code.press("ControlOrMeta+Home");
  await page.keyboard.type("// What a person types into a long script.\n", { delay: 30 });
  // The editor has stored the draft, asked for problems and read the parameters.
  await page.getByText(/^(Draft saved|The service does not store this draft)/).waitFor();
  await page.waitForLoadState("networkidle");
  const script = `a script of ${quick ? "20 KB" : "1 MB"}`;
  const atMost = (most: number) => ({ target: { atMost: most } });
  return [
    { line: `${script}: open`, value: medianOf(opened, "visibleMs"), unit: "ms" },
    { line: `${script}: longest task while opening`, value: openingTaskMs, unit: "ms", ...atMost(100) },
    { line: `${script}: longest task while typing`, value: await takeLongestTask(page), unit: "ms", ...atMost(100) },
  ];
}
