import { setTimeout as sleep } from "node:timers/promises";
import type { InvokeFloor } from "../floors.ts";
import type { HttpClient } from "../http-client.ts";
import { manyClients, median, oneClient, p95, sorted } from "../measure.ts";
import type { Row } from "../table.ts";
import { fibo } from "./scripts.ts";

export interface Measured {
  client: HttpClient;
  workspace: string;
  floor: InvokeFloor;
  quick: boolean;
}

const ARGS = { n: 10 };

/** Sixteen processes of two functions start first. */
const LOAD = { clients: 16, warmUpMs: 12_000, forMs: 8000 };
const QUICK_LOAD = { clients: 2, warmUpMs: 0, forMs: 1500, enough: 2 };

/** The targets on a machine with two cores: a median with one client, and calls per second with sixteen. */
const targets: Record<keyof typeof fibo, { medianMs?: number; perSecond?: number }> = {
  bun: { medianMs: 30, perSecond: 60 },
  python3: { medianMs: 35 },
  go: {},
  dedicated: { medianMs: 25, perSecond: 100 },
};
const names = { bun: "bun", python3: "python3", go: "go", dedicated: "dedicated bun" };

export async function asyncRows({ client, workspace, floor, quick }: Measured): Promise<Row[]> {
  const accepted: number[] = [];
  const done: number[] = [];
  const [runs, warmUp] = quick ? [1, 0] : [60, 10];
  for (let at = -warmUp; at < runs; at++) {
    const startedMs = performance.now();
    const startedAtMs = Date.now();
    const { text: id } = await client.ask.jobs.run.scripts({ workspace, path: fibo.bun.path, body: ARGS });
    const acceptMs = performance.now() - startedMs;
    // One job at a time, without early polling, which would slow it down.
    const doneMs = (await endOf(client, workspace, id)) - startedAtMs;
    if (at < 0) continue;
    accepted.push(acceptMs);
    done.push(doneMs);
  }
  const row = (line: string, values: number[], atMost: number): Row => {
    const sample = sorted(values);
    return { line, value: median(sample), unit: "ms", note: `p95 ${p95(sample).toFixed(1)}`, floor: floor.oneClient, target: { atMost } };
  };
  return [row("async accept", accepted, 20), row("enqueue to done", done, 60)];
}

/** Returns the end time in a job's record. Throws unless the job succeeded. */
export async function endOf(client: HttpClient, workspace: string, id: string): Promise<number> {
  for (;;) {
    await sleep(250);
    const found = await client.ask.jobs.get({ workspace, id });
    const { completed_at: at, success, result } = JSON.parse(found.text) as { completed_at?: string; success?: boolean; result?: unknown };
    if (!at) continue;
    if (!success) throw new Error(`The job ${id} failed: ${JSON.stringify(result)}`);
    return Date.parse(at);
  }
}

export async function syncRows({ client, workspace, floor, quick }: Measured): Promise<Row[]> {
  const rows: Row[] = [];
  for (const kind of ["bun", "python3", "go", "dedicated"] as const) {
    const call = () => client.ask.jobs.runWait.scripts({ workspace, path: fibo[kind].path, body: ARGS });
    const { medianMs, perSecond } = targets[kind];
    const alone = await oneClient(call, { calls: quick ? 1 : 150, warmUp: quick ? 0 : 20 });
    rows.push({
      line: `sync fibo(10) in ${names[kind]}, 1 client`,
      value: median(alone),
      unit: "ms",
      note: `p95 ${p95(alone).toFixed(1)}`,
      floor: floor.oneClient,
      ...(medianMs ? { target: { atMost: medianMs } } : {}),
    });
    const together = await manyClients(call, quick ? QUICK_LOAD : LOAD);
    rows.push({
      line: `sync fibo(10) in ${names[kind]}, 16 clients`,
      value: together.perSecond,
      unit: "/s",
      note: `median ${median(together.sample).toFixed(0)}, p95 ${p95(together.sample).toFixed(0)} ms`,
      floor: floor.sixteenClients,
      ...(perSecond ? { target: { atLeast: perSecond } } : {}),
    });
  }
  return rows;
}
