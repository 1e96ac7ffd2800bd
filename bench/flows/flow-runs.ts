import { setTimeout as sleep } from "node:timers/promises";
import type { Body } from "../../contract/client/operation.ts";
import type { HttpClient } from "../http-client.ts";
import { fibo } from "../jobs/scripts.ts";

export interface Flows {
  client: HttpClient;
  workspace: string;
  quick: boolean;
}

export interface FlowModule {
  id: string;
  value: object;
  [field: string]: unknown;
}

const expr = (text: string) => ({ type: "javascript", expr: text });

/** A minimal step: a bun script by its path. */
export const light = (id: string, n = "flow_input.n", more: object = {}): FlowModule => ({
  id,
  value: { type: "script", path: fibo.bun.path, input_transforms: { n: expr(n) } },
  ...more,
});
export const lights = (count: number) => Array.from({ length: count }, (_, index) => light(`s${index}`));

/** A loop over this number of items, each of them the input of a step. */
export const each = (id: string, items: number, more: object = {}): FlowModule => ({
  id,
  value: {
    type: "forloopflow",
    iterator: expr(`Array.from({ length: ${items} }, () => 10)`),
    skip_failures: false,
    modules: [light(`${id}_step`, "flow_input.iter.value")],
    ...more,
  },
});

/** Saves a flow in the benchmark's folder and waits until it is built: its path. */
export async function saveFlow({ client, workspace }: Flows, name: string, modules: FlowModule[], more: object = {}): Promise<string> {
  const path = `f/bench/flow_${name}`;
  const exists = (await client.ask.flows.exists({ workspace, path })).text === "true";
  const body = { path, summary: "", value: { ...more, modules } as Body<"flows.create">["value"] };
  await (exists ? client.ask.flows.update({ workspace, path, body }) : client.ask.flows.create({ workspace, body }));
  const { job_id: job } = JSON.parse((await client.ask.flows.deploymentStatus({ workspace, path })).text) as { job_id: string };
  await ended({ client, workspace }, job, 200);
  return path;
}

interface EndedFlow {
  id: string;
  started_at: string;
  duration_ms: number;
  success: boolean;
  result: unknown;
  execution?: { arn: string; earlier: string[] };
}

/** Runs a flow through the queue, without a waiting caller whose polling would slow it down. */
export async function runFlow(flows: Flows, path: string, everyMs = 500): Promise<EndedFlow> {
  return ended(flows, await startFlow(flows, path), everyMs);
}

export async function startFlow({ client, workspace }: Flows, path: string): Promise<string> {
  return (await client.ask.jobs.run.flows({ workspace, path, body: { n: 10 } })).text;
}

async function ended({ client, workspace }: Pick<Flows, "client" | "workspace">, id: string, everyMs: number): Promise<EndedFlow> {
  for (;;) {
    await sleep(everyMs);
    const job = JSON.parse((await client.ask.jobs.get({ workspace, id, query: { no_logs: true, no_code: true } })).text) as
      | EndedFlow
      | { type: "QueuedJob" };
    if (!("duration_ms" in job)) continue;
    if (!job.success) throw new Error(`The job ${id} failed: ${JSON.stringify(job.result).slice(0, 300)}`);
    return job;
  }
}
