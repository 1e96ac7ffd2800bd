import { setTimeout as sleep } from "node:timers/promises";
import type { FlowModule, Flows } from "../flows/flow-runs.ts";

/** A step that requests approval and runs no script. */
export const asking: FlowModule = { id: "ask", value: { type: "identity" }, suspend: { required_events: 1, timeout: 24 * 3600 } };

interface ShownRun {
  suspend?: number;
  started_at: string;
  duration_ms?: number;
  success?: boolean;
  execution?: { arn: string; earlier: string[] };
}

async function showRun({ client, workspace }: Flows, id: string): Promise<ShownRun> {
  return JSON.parse((await client.ask.jobs.get({ workspace, id, query: { no_logs: true, no_code: true } })).text) as ShownRun;
}

/** Reads a run until a condition is true. */
export async function until(flows: Flows, id: string, condition: (job: ShownRun) => boolean, everyMs = 50): Promise<ShownRun> {
  for (;;) {
    const job = await showRun(flows, id);
    if (condition(job)) return job;
    if (job.success === false) throw new Error(`The flow ${id} failed.`);
    await sleep(everyMs);
  }
}
export const waits = (job: ShownRun) => job.suspend === 1;
export const isOver = (job: ShownRun) => job.duration_ms !== undefined;

/** Creates the link with which a program decides. */
export async function linkOf({ client, workspace }: Flows, id: string): Promise<string> {
  const { resume } = JSON.parse((await client.ask.approvals.mint({ workspace, id, resume_id: 1 })).text) as { resume: string };
  return resume;
}
export async function visit(url: string): Promise<void> {
  const { status } = await fetch(url, { method: "POST", body: "{}" });
  if (status !== 201) throw new Error(`A link answered ${status}.`);
}
