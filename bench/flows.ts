import type { Measured } from "./latency.ts";
import { median, oneClient, p95 } from "./measure.ts";
import { fibo } from "./scripts.ts";
import type { Row } from "./table.ts";

const STEPS = 5;
const at = (steps: number) => `f/bench/flow_of_${steps}`;

/** Plain steps, each a script by its path. */
async function save({ client, workspace }: Measured, steps: number): Promise<void> {
  if ((await client.get(`w/${workspace}/flows/exists/${at(steps)}`)).text === "true") return;
  const modules = Array.from({ length: steps }, (_, index) => ({
    id: `s${index}`,
    value: { type: "script", path: fibo.bun.path, input_transforms: { n: { type: "javascript", expr: "flow_input.n" } } },
  }));
  await client.post(`w/${workspace}/flows/create`, { path: at(steps), summary: "", value: { modules } });
}

/** What a light flow takes, and what each further step adds. */
export async function flowRows(measured: Measured): Promise<Row[]> {
  const { client, workspace, quick, floor } = measured;
  const [calls, warmUp] = quick ? [2, 1] : [40, 5];
  const timed = async (steps: number) => {
    await save(measured, steps);
    return oneClient(() => client.post(`w/${workspace}/jobs/run_wait_result/f/${at(steps)}`, { n: 10 }), { calls, warmUp });
  };
  const [one, more] = [await timed(1), await timed(1 + STEPS)];
  const row = (line: string, sample: Awaited<ReturnType<typeof timed>>): Row => ({
    line,
    value: median(sample),
    unit: "ms",
    note: `p95 ${p95(sample).toFixed(1)}`,
    floor: floor.oneClient,
  });
  return [
    row("sync flow of one step in bun", one),
    row(`sync flow of ${1 + STEPS} steps in bun`, more),
    {
      line: "one more step",
      value: (median(more) - median(one)) / STEPS,
      unit: "ms",
      floor: floor.oneClient,
      target: { atMost: 40 },
    },
  ];
}
