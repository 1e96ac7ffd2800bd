import type { Measured } from "../jobs/latency.ts";
import { median, oneClient, p95, sorted } from "../measure.ts";
import type { Row } from "../table.ts";
import { lights, runFlow, saveFlow } from "./flow-runs.ts";

const STEPS = 5;

/** Measures the duration of a light flow, the time of each further step, and whether it is constant in a long flow. */
export async function flowRows(measured: Measured): Promise<Row[]> {
  const { client, workspace, quick, floor } = measured;
  const [calls, warmUp] = quick ? [1, 0] : [40, 5];
  const timed = async (steps: number) => {
    const path = await saveFlow(measured, `of_${steps}`, lights(steps));
    return oneClient(() => client.ask.jobs.runWait.flows({ workspace, path, body: { n: 10 } }), { calls, warmUp });
  };
  const [one, more] = [await timed(1), await timed(1 + STEPS)];
  const row = (line: string, sample: Awaited<ReturnType<typeof timed>>): Row => ({
    line,
    value: median(sample),
    unit: "ms",
    note: `p95 ${p95(sample).toFixed(1)}`,
    floor: floor.oneClient,
  });
  const [few, many] = [await perStep(measured, quick ? 2 : 40, quick ? 1 : 5), await perStep(measured, quick ? 3 : 400, 1)];
  const [segment, longSegment] = [await inSegment(measured, quick ? 2 : 40), await inSegment(measured, quick ? 3 : 400)];
  return [
    row("sync flow of one step in bun", one),
    row(`sync flow of ${1 + STEPS} steps in bun`, more),
    { line: "one more step", value: (median(more) - median(one)) / STEPS, unit: "ms", floor: floor.oneClient, target: { atMost: 40 } },
    { line: "40 steps one after the other, a step", value: few, unit: "ms", floor: floor.oneClient, target: { atMost: 40 } },
    { line: "400 steps one after the other, a step", value: many, unit: "ms", floor: { name: "of 40", value: few } },
    { line: "a step of 400 beside one of 40", value: many / few, unit: "×", target: { atMost: 1.2 } },
    { line: "40 steps in a segment, one more step", value: segment, unit: "ms", floor: floor.oneClient, target: { atMost: 1 } },
    { line: "400 steps in a segment, one more step", value: longSegment, unit: "ms", floor: { name: "of 40", value: segment } },
  ];
}

/** Returns the average time of a step between the start and the end of a flow. */
async function perStep(measured: Measured, steps: number, runs: number): Promise<number> {
  const path = await saveFlow(measured, `of_${steps}`, lights(steps));
  const took: number[] = [];
  for (let at = 0; at < runs; at++) took.push((await runFlow(measured, path)).duration_ms / steps);
  return median(sorted(took));
}

/** Measures the time that each further step of a segment adds, after the duration of steps is known. */
async function inSegment(measured: Measured, steps: number): Promise<number> {
  const runs = measured.quick ? 2 : 8;
  const took = async (count: number) => {
    const path = await saveFlow(measured, `segment_of_${count}`, lights(count), { same_worker: true });
    const found: number[] = [];
    for (let at = 0; at < runs; at++) found.push((await runFlow(measured, path)).duration_ms);
    return median(sorted(found.slice(runs / 2)));
  };
  const one = await took(1);
  return ((await took(steps)) - one) / (steps - 1);
}
