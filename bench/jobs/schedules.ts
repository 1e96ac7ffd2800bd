import { setTimeout as sleep } from "node:timers/promises";
import { assumedMs, prices } from "../../core/cost/prices.ts";
import { gbSeconds, perJob, price } from "../cost/cost.ts";
import { type FunctionLogs, functionLogs, type Logged } from "../cost/counted.ts";
import type { HttpClient } from "../http-client.ts";
import { median, p95, sorted } from "../measure.ts";
import type { Row } from "../table.ts";
import { endOf } from "./latency.ts";
import { echo } from "./scripts.ts";

interface Measured {
  endpoint: string;
  client: HttpClient;
  workspace: string;
  quick: boolean;
}

/** The functions that run jobs, without those that answer the benchmark. */
const EXECUTORS = /RunFn|WorkerFn|BeatFn|Runners/;
const EVERY_S = 2;
/** Items that one BatchGetItem reads, at a unit each: the token, the user's rights and the script; a tick has no token. */
const BATCH_UNITS = { accept: 5, tick: 4 };
/** A check by housekeeping: three reads, a transactional write, and the move in the index. A schedule of each minute is checked at every 15th tick. */
const CHECK = { reads: 3, writes: 4, everyTicks: 15 };

/** Measures when the runs of a schedule begin, and the cost of a tick. */
export async function scheduleRows({ endpoint, client, workspace, quick }: Measured): Promise<Row[]> {
  const logs = await functionLogs(endpoint);
  const args = { text: "x".repeat(489) };
  const path = "f/bench/every_other_second";
  const ticks = quick ? 1 : 30;
  const body = { path, schedule: `*/${EVERY_S} * * * * *`, timezone: "UTC", script_path: echo.path, is_flow: false, args };
  await client.ask.schedules.create({ workspace, body });
  const runs = async () => {
    const { text } = await client.ask.jobs.listCompleted({ workspace, query: { schedule_path: path, per_page: 100 } });
    return JSON.parse(text) as { started_at: string }[];
  };
  const untilRuns = async (count: number) => {
    while ((await runs()).length < count) await sleep(1000);
  };
  // The first runs start the functions.
  const warmUp = quick ? 0 : 3;
  await untilRuns(warmUp);
  const fromMs = Date.now();
  const before = (await runs()).length;
  await untilRuns(before + ticks);
  const counted = (await runs()).length - before;
  const tick = perJob(await logs.since(fromMs, EXECUTORS), counted);
  await client.ask.schedules.setEnabled({ workspace, path, body: { enabled: false } });
  const late = sorted((await runs()).slice(0, counted).map(({ started_at: at }) => Date.parse(at) % (EVERY_S * 1000)));

  const jobs = quick ? 1 : 20;
  const startedMs = Date.now();
  for (let at = 0; at < jobs; at++) {
    const { text: id } = await client.ask.jobs.run.scripts({ workspace, path: echo.path, body: args });
    await endOf(client, workspace, id);
  }
  await sleep(300);
  const job = perJob(await logs.since(startedMs, EXECUTORS), jobs);
  const check = (CHECK.reads * prices.readUnit + CHECK.writes * prices.writeUnit) / CHECK.everyTicks;
  const above = priceOf(tick, BATCH_UNITS.tick, tickLambda(logs)) + check - priceOf(job, BATCH_UNITS.accept, jobLambda(logs));
  const year = CHECK.reads * prices.readUnit + CHECK.writes * prices.writeUnit;
  return [
    {
      line: "from the second of the schedule to the begin of its job, p95",
      value: p95(late),
      unit: "ms",
      note: `median ${median(late).toFixed(0)}, of ${counted} runs`,
      target: { atMost: 1500 },
    },
    {
      line: "a tick: DynamoDB units",
      value: tick.counts.readUnits + batches(tick) * BATCH_UNITS.tick + tick.counts.writeUnits + tick.counts.indexWriteUnits,
      unit: "units",
      note: `${tick.counts.writeUnits.toFixed(1)} write, ${tick.counts.indexWriteUnits.toFixed(1)} write of indexes; an async job ${job.counts.writeUnits.toFixed(1)} and ${job.counts.indexWriteUnits.toFixed(1)}`,
    },
    {
      line: "list price of a tick above an async job, without REST API",
      value: above * 1e6,
      unit: "$/M",
      note: "with the checks by housekeeping",
      target: { atMost: 3 },
    },
    {
      line: "list price of a schedule that waits a year",
      value: year,
      unit: "$/M",
      note: "dollars, for one check by housekeeping",
      target: { atMost: 0.01 },
    },
  ];
}

const batches = ({ counts }: Logged) => counts.requests["dynamodb.BatchGetItem"] ?? 0;
const priceOf = (logged: Logged, batchUnits: number, lambda: { requests: number; gbSeconds: number }) =>
  price(logged.counts, logged.counts.readUnits + batches(logged) * batchUnits, lambda);

const runGbSeconds = (logs: FunctionLogs, workerMs: number) =>
  gbSeconds(logs, /WorkerFn/, workerMs + assumedMs.runner + assumedMs.script) +
  gbSeconds(logs, /Runnersbun/, assumedMs.runner + assumedMs.script);
const jobLambda = (logs: FunctionLogs) => ({
  requests: 3,
  gbSeconds: gbSeconds(logs, /RunFn/, assumedMs.accept) + runGbSeconds(logs, assumedMs.execute),
});
/** A tick reads three times one after the other, writes a transaction instead of the claim, and sends a message, at 5 ms each. */
const tickLambda = (logs: FunctionLogs) => ({ requests: 2, gbSeconds: runGbSeconds(logs, assumedMs.execute + 20) });
