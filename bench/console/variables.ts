import { median, oneClient } from "../measure.ts";
import { copyItem, Tables } from "../seeds/tables.ts";
import type { Row } from "../table.ts";
import { type Measured, openNew, takeLongestTask, timeOf } from "./visits.ts";

const VARIABLES = 10_000;
const QUICK_VARIABLES = 20;
const PATH = "f/bench/listed_seed";

const copiedPath = (at: number): string => `f/bench/listed_${at}_end`;

/** Measures the list of variables in a workspace that has many. */
export async function variableRows(measured: Measured): Promise<Row[]> {
  const { client, target, quick } = measured;
  const { workspace } = target;
  const count = quick ? QUICK_VARIABLES : VARIABLES;
  await client.ask.variables.create({ workspace, body: { path: PATH, value: "v", is_secret: false, description: "" } });
  const tables = new Tables(target.endpoint);
  const { item, name } = await tables.find(`VAR#${workspace}`, PATH);
  await tables.writeAll(
    name,
    Array.from({ length: count }, (_, at) => copyItem(item, { [PATH]: copiedPath(at) })),
  );
  const calls = quick ? { calls: 1, warmUp: 0 } : { calls: 10, warmUp: 2 };
  const first = await oneClient(() => client.ask.variables.list({ workspace, query: { per_page: 100 } }), calls);
  const sought = copiedPath(Math.floor(count / 2));
  const search = await oneClient(() => client.ask.variables.list({ workspace, query: { broad_filter: sought } }), calls);

  const page = await openNew(measured);
  const openMs = await timeOf(async () => {
    await page.goto(`${target.url}/w/${workspace}/variables`);
    await page.getByRole("row").nth(1).waitFor();
  });
  const variables = `${count.toLocaleString("en")} variables`;
  return [
    { line: `${variables}: the first 100`, value: median(first), unit: "ms", target: { atMost: 200 } },
    { line: `${variables}: search`, value: median(search), unit: "ms", note: "reads the whole list" },
    { line: `${variables}: rows of their page are visible`, value: openMs, unit: "ms", target: { atMost: 1500 } },
    { line: `${variables}: longest task`, value: await takeLongestTask(page), unit: "ms", target: { atMost: 100 } },
  ];
}
