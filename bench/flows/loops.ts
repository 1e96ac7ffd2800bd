import type { Row } from "../table.ts";
import { each, type Flows, runFlow, saveFlow } from "./flow-runs.ts";
import { historiesOf } from "./history.ts";

/** Measures the duration of a long loop, and its distance from the limits of Step Functions. */
export async function loopRows(flows: Flows & { endpoint: string }): Promise<Row[]> {
  const items = flows.quick ? 2 : 1000;
  const path = await saveFlow(flows, "loop", [each("loop", items, { parallel: true, parallelism: 10 })]);
  const { duration_ms: took, execution } = await runFlow(flows, path, 1000);
  const arns = execution ? [...execution.earlier, execution.arn] : [];
  const { executions, largestEvents, largestBytes } = await historiesOf(flows.endpoint, arns);
  return [
    {
      line: "1,000 items in bun, 10 side by side",
      value: took / 1000,
      unit: "s",
      target: { atMost: 40 },
      note: `${(took / items).toFixed(1)} ms an item`,
    },
    { line: "executions that they take", value: executions, unit: "executions" },
    {
      line: "events in the largest history",
      value: largestEvents,
      unit: "events",
      target: { atMost: 10_000 },
      note: "with what AWS records inside of a Map",
    },
    {
      line: "largest input or output of a state",
      value: largestBytes / 1024,
      unit: "KB",
      target: { atMost: 32 },
      note: `${largestBytes} B, as GetExecutionHistory has it`,
    },
  ];
}
