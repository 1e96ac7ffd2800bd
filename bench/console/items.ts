import { median, oneClient } from "../measure.ts";
import { createScripts, seededPath } from "../seeds/scripts.ts";
import { Tables } from "../seeds/tables.ts";
import type { Row } from "../table.ts";
import { type Measured, openNew, takeLongestTask, timeOf } from "./visits.ts";

const ITEMS = 10_000;
const QUICK_ITEMS = 100;

/** Measures the search and the command palette in a workspace with many scripts. */
export async function itemRows(measured: Measured): Promise<Row[]> {
  const { client, target, quick } = measured;
  const { workspace } = target;
  const count = quick ? QUICK_ITEMS : ITEMS;
  await createScripts(client, new Tables(target.endpoint), workspace, count);
  // The palette loads the first 10,000 paths, and the examples of the set-up are among them.
  const path = seededPath(Math.floor(count / 2));
  const search = () => client.ask.search.list({ workspace, query: { q: path } });
  const took = await oneClient(search, quick ? { calls: 1, warmUp: 0 } : { calls: 20, warmUp: 3 });

  const page = await openNew(measured);
  await page.goto(`${target.url}/w/${workspace}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  await takeLongestTask(page);
  const option = page.getByRole("option", { name: path });
  const input = page.getByRole("dialog").getByRole("combobox");
  const firstMs = await timeOf(async () => {
    await page.keyboard.press("Control+k");
    await input.waitFor();
    await input.fill(path);
    await option.waitFor();
  });
  await input.fill("none of them");
  await option.waitFor({ state: "detached" });
  const againMs = await timeOf(async () => {
    await input.fill(path);
    await option.waitFor();
  });
  const items = `${count.toLocaleString("en")} scripts`;
  return [
    { line: `${items}: search`, value: median(took), unit: "ms", target: { atMost: 200 } },
    { line: `${items}: from Ctrl-K to the result of a typed path`, value: firstMs, unit: "ms", note: "loads their names once" },
    { line: `${items}: from a typed path to its result in the palette`, value: againMs, unit: "ms", target: { atMost: 200 } },
    { line: `${items}: longest task of the palette`, value: await takeLongestTask(page), unit: "ms", target: { atMost: 100 } },
  ];
}
