import { setTimeout as sleep } from "node:timers/promises";
import { GetExecutionHistoryCommand, SFNClient } from "@aws-sdk/client-sfn";
import { totalOf } from "../cost/cost.ts";
import { functionLogs } from "../cost/counted.ts";
import { engineClientConfig } from "../floors.ts";
import type { Row } from "../table.ts";
import { type Flows, light, saveFlow, startFlow } from "./flow-runs.ts";

/** All functions except housekeeping, which runs every minute in any case. */
const FUNCTIONS = /^(?!.*Housekeeping)/;
/** Log lines appear shortly after their events. */
const SETTLED_MS = 1000;

/** Measures the activity of the service for a flow that sleeps. */
export async function waitingRows(flows: Flows & { endpoint: string }): Promise<Row[]> {
  const { client, workspace, quick, endpoint } = flows;
  const forS = quick ? 2 : 60;
  const path = await saveFlow(flows, "waiting", [light("a", "10", { sleep: { type: "static", value: forS + 60 } }), light("b")]);
  const id = await startFlow(flows, path);
  await asleep(flows, id);
  await sleep(SETTLED_MS);
  const logs = await functionLogs(endpoint);
  const fromMs = Date.now();
  await sleep(forS * 1000);
  const { lines, counts } = await logs.since(fromMs, FUNCTIONS);
  await client.ask.jobs.cancel({ workspace, id, body: { reason: "the benchmark has seen enough" } });
  const note = `in ${forS} s`;
  return [
    { line: "calls of functions while a flow sleeps", value: lines, unit: "requests", target: { atMost: 0 }, note },
    { line: "AWS requests while a flow sleeps", value: totalOf(counts.requests), unit: "requests", target: { atMost: 0 }, note },
  ];
}

/** Polls the engine instead of the service, whose calls are counted. */
async function asleep({ client, workspace, endpoint }: Flows & { endpoint: string }, id: string): Promise<void> {
  const sfn = new SFNClient(engineClientConfig(endpoint));
  try {
    for (;;) {
      await sleep(500);
      const job = JSON.parse((await client.ask.jobs.get({ workspace, id, query: { no_logs: true } })).text) as {
        execution?: { arn: string };
      };
      if (!job.execution) continue;
      const { events = [] } = await sfn.send(new GetExecutionHistoryCommand({ executionArn: job.execution.arn }));
      if (events.some(({ type }) => type === "WaitStateEntered")) return;
    }
  } finally {
    sfn.destroy();
  }
}
