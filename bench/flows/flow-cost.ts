import { setTimeout as sleep } from "node:timers/promises";
import type { AwsCounts } from "../../aws/sdk/request-counts.ts";
import { assumedMs, prices } from "../../core/cost/prices.ts";
import { gbSeconds, listed, perJob, price, totalOf } from "../cost/cost.ts";
import { type FunctionLogs, functionLogs, type Logged } from "../cost/counted.ts";
import type { Row } from "../table.ts";
import { each, type FlowModule, type Flows, light, lights, runFlow, saveFlow } from "./flow-runs.ts";
import { historiesOf } from "./history.ts";

const STEPS = /StepFn/;
/** The functions of a run, without `api`, which the benchmark polls. */
const RUNNING = /RunFn|WorkerFn|StepFn|BeatFn|SettleFn/;

type Costed = Flows & { endpoint: string };

const FIVE = "five plain steps";
const typical = (items: number): Record<string, FlowModule[]> => ({
  [FIVE]: lights(5),
  "a step, one of two branches, a step": [
    light("a"),
    { id: "b", value: { type: "branchone", branches: [{ expr: "results.a > 1", modules: [light("x")] }], default: [light("y")] } },
    light("c"),
  ],
  "three steps with a retry and a pause": [
    light("a", "flow_input.n", { retry: { constant: { attempts: 2, seconds: 1 } } }),
    light("b", "flow_input.n", { sleep: { type: "static", value: 1 } }),
    light("c"),
  ],
  "a loop of ten, one after the other": [each("l", items)],
  "a loop of ten, side by side": [each("l", items, { parallel: true })],
});

/** Measures the state transitions, requests and cost of a run, and the requests that one more step adds. */
export async function flowCostRows(costed: Costed): Promise<Row[]> {
  const logs = await functionLogs(costed.endpoint);
  const rows: Row[] = [];
  for (const [name, modules] of Object.entries(typical(costed.quick ? 2 : 10))) {
    const { transitions, ...used } = await usedBy(costed, logs, name.replaceAll(/\W+/g, "_"), modules);
    const dollars = transitions * prices.stateTransition + without(used, logs);
    rows.push(
      {
        line: `${name}: state transitions`,
        value: transitions,
        unit: "transitions",
        note: `$${(transitions * prices.stateTransition * 1e6).toFixed(0)} of the price`,
      },
      { line: `${name}: list price`, value: dollars * 1e6, unit: "$/M", ...(name === FIVE ? { target: { atMost: 200 } } : {}) },
    );
  }
  const [one, six] = [await usedBy(costed, logs, "of_1", lights(1)), await usedBy(costed, logs, "of_6", lights(6))];
  const more = Object.fromEntries(
    Object.entries(six.all.counts.requests)
      .map(([request, count]) => [request, (count - (one.all.counts.requests[request] ?? 0)) / 5] as const)
      .filter(([, count]) => Math.abs(count) > 0.05),
  );
  const units = (of: (counts: AwsCounts) => number) => ((of(six.all.counts) - of(one.all.counts)) / 5).toFixed(1);
  rows.push({
    line: "one more step: AWS requests",
    value: totalOf(more),
    unit: "requests",
    note: `${listed(more)}; units: ${units(({ writeUnits }) => writeUnits)} write, ${units(({ indexWriteUnits }) => indexWriteUnits)} write of indexes`,
  });
  return rows;
}

interface Used {
  /** The counts of one run, in all functions and in `step` alone. */
  all: Logged;
  steps: Logged;
}

async function usedBy(costed: Costed, logs: FunctionLogs, name: string, modules: FlowModule[]): Promise<Used & { transitions: number }> {
  const runs = costed.quick ? 1 : 5;
  const path = await saveFlow(costed, name, modules);
  // The first run starts the functions.
  if (!costed.quick) await runFlow(costed, path);
  await sleep(500);
  const fromMs = Date.now();
  const arns: string[] = [];
  for (let at = 0; at < runs; at++) {
    const { execution } = await runFlow(costed, path);
    if (execution) arns.push(...execution.earlier, execution.arn);
  }
  await sleep(500);
  const { transitions } = await historiesOf(costed.endpoint, arns);
  return {
    transitions: transitions / runs,
    all: perJob(await logs.since(fromMs, RUNNING), runs),
    steps: perJob(await logs.since(fromMs, STEPS), runs),
  };
}

/**
 * The items that a step reads at its start, for which the engine reports no units: the flow's record, the step's outcome and its progress.
 */
const UNITS_OF_STEP = 3;
const UNITS_OF_ACCEPT = 5;

/** The cost without transitions. A call of `step` without a script takes as long as an executor without its runner's call. */
function without({ all, steps }: Used, logs: FunctionLogs): number {
  const scripts = steps.counts.requests["lambda.Invoke"] ?? 0;
  const inRunner = assumedMs.runner + assumedMs.script;
  const batches = all.counts.requests["dynamodb.BatchGetItem"] ?? 0;
  const readUnits = all.counts.readUnits + UNITS_OF_ACCEPT + (batches - 1) * UNITS_OF_STEP;
  return price(all.counts, readUnits, {
    requests: all.lines + scripts,
    gbSeconds:
      gbSeconds(logs, /RunFn/, assumedMs.accept) +
      gbSeconds(logs, /WorkerFn/, assumedMs.execute) +
      gbSeconds(logs, STEPS, steps.lines * assumedMs.execute + scripts * inRunner) +
      gbSeconds(logs, /Runnersbun/, scripts * inRunner),
  });
}
