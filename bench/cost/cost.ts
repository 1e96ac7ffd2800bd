import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { AwsCounts } from "../../aws/sdk/request-counts.ts";
import { assumedMs, prices } from "../../core/cost/prices.ts";
import { estimateRun, type RunMeasures } from "../../core/cost/run-cost.ts";
import type { HttpClient } from "../http-client.ts";
import { endOf } from "../jobs/latency.ts";
import { echo } from "../jobs/scripts.ts";
import type { Row } from "../table.ts";
import { type FunctionLogs, functionLogs, type Logged } from "./counted.ts";

/** The functions that run jobs, without `api`, which the benchmark polls. */
const EXECUTORS = /RunFn|WorkerFn|BeatFn|Runners/;

interface Kind {
  name: string;
  run: (at: number) => Promise<void>;
  /** Units of large items that a job reads, less those that the engine counts. */
  readsBeyond: number;
  /** One request of the REST API makes one job. */
  viaApi: boolean;
  /** Invocations of the service's functions and their billed GB-seconds, for each job. */
  lambda: (logs: FunctionLogs) => { requests: number; gbSeconds: number };
  /** The run as `jobs_u/get_cost` measures it. */
  measures: Pick<RunMeasures, "kind"> & Partial<RunMeasures>;
  /** Budget of design §11. */
  target?: { withRestApi: number; without: number };
}

interface Costed {
  endpoint: string;
  client: HttpClient;
  workspace: string;
  quick: boolean;
}

const textOf = (bytes: number) => "x".repeat(bytes - '{"text":""}'.length);

/**
 * The engine reports no units for a BatchGetItem and one unit for every GetItem. By DynamoDB's rules, a unit is 4 KB. Accepting a call
 * reads token, user, member, access and script head.
 */
const UNITS_OF_ACCEPT = 5;
const unitsOfStrongRead = (bytes: number) => Math.ceil(bytes / 4096);

function kinds({ client, workspace }: Costed): Kind[] {
  const async = (args: unknown) => async () => {
    const { text: id } = await client.ask.jobs.run.scripts({ workspace, path: echo.path, body: args });
    await endOf(client, workspace, id);
  };
  const small = { text: textOf(500) };
  const large = { text: textOf(8000) };
  const queued = (logs: FunctionLogs) => ({
    requests: 3,
    gbSeconds:
      gbSeconds(logs, /RunFn/, assumedMs.accept) +
      gbSeconds(logs, /WorkerFn/, assumedMs.execute + assumedMs.runner + assumedMs.script) +
      gbSeconds(logs, /Runnersbun/, assumedMs.runner + assumedMs.script),
  });
  const inPlace = (logs: FunctionLogs) => ({
    requests: 2,
    gbSeconds:
      gbSeconds(logs, /RunFn/, assumedMs.accept + assumedMs.runner + assumedMs.script) +
      gbSeconds(logs, /Runnersbun/, assumedMs.runner + assumedMs.script),
  });
  return [
    {
      name: "async script 0.5 KB",
      run: async(small),
      readsBeyond: 0,
      viaApi: true,
      lambda: queued,
      target: { withRestApi: 10, without: 5 },
      measures: { kind: "queued", resultBytes: 500 },
    },
    {
      name: "sync script 0.5 KB",
      run: async () => void (await client.ask.jobs.runWait.scripts({ workspace, path: echo.path, body: small })),
      readsBeyond: 0,
      viaApi: true,
      lambda: inPlace,
      measures: { kind: "direct", resultBytes: 500 },
    },
    {
      name: "async script 8 KB",
      run: async(large),
      readsBeyond: unitsOfStrongRead(8200) - 1,
      viaApi: true,
      lambda: queued,
      measures: { kind: "queued", argsBytes: 8000, resultBytes: 8000 },
    },
    {
      name: "async preview 0.5 KB",
      run: async () => {
        const { text: id } = await client.ask.jobs.run.preview({
          workspace,
          body: { language: "bun", content: echo.content, args: small },
        });
        await endOf(client, workspace, id);
      },
      readsBeyond: 0,
      viaApi: true,
      lambda: queued,
      measures: { kind: "preview", resultBytes: 500 },
    },
    {
      name: "dependencies, bun without packages",
      run: async (at) => {
        const path = `f/bench/built_${at}_${randomUUID().slice(0, 8)}`;
        const content = `export const main = () => ${JSON.stringify(path)};\n`;
        await client.ask.scripts.create({ workspace, body: { path, summary: "", description: "", language: "bun", content } });
        await untilBuilt(client, workspace, path);
      },
      readsBeyond: 0,
      viaApi: false,
      lambda: (logs) => ({ requests: 2, gbSeconds: gbSeconds(logs, /WorkerFn/, 1000) + gbSeconds(logs, /BuilderFn/, 1000) }),
      measures: { kind: "build", ranMs: 1000 },
    },
  ];
}

async function untilBuilt(client: HttpClient, workspace: string, path: string): Promise<void> {
  for (;;) {
    await sleep(200);
    const { lock } = JSON.parse((await client.ask.scripts.getByPath({ workspace, path })).text) as { lock?: string | null };
    if (typeof lock === "string") return;
  }
}

export const gbSeconds = (logs: FunctionLogs, name: RegExp, ms: number) => (logs.memoryMb(name) / 1024) * (ms / 1000);

export async function costRows(costed: Costed): Promise<Row[]> {
  const logs = await functionLogs(costed.endpoint);
  const jobs = costed.quick ? 1 : 20;
  const rows: Row[] = [];
  for (const kind of kinds(costed)) {
    // Warms up: functions start, keys are read and artefacts fetched once for each process, not for each job.
    for (let at = 0; at < (costed.quick ? 0 : 3); at++) await kind.run(-1 - at);
    await sleep(300);
    const fromMs = Date.now();
    for (let at = 0; at < jobs; at++) await kind.run(at);
    await sleep(300);
    rows.push(...rowsOf(kind, perJob(await logs.since(fromMs, EXECUTORS), jobs), kind.lambda(logs), logs.memoryMb(/Runnersbun/)));
  }
  return rows;
}

export function perJob({ counts, lines, bytes }: Logged, jobs: number): Logged {
  const requests = Object.fromEntries(Object.entries(counts.requests).map(([name, count]) => [name, count / jobs]));
  const { readUnits, writeUnits, indexWriteUnits } = counts;
  return {
    counts: { requests, readUnits: readUnits / jobs, writeUnits: writeUnits / jobs, indexWriteUnits: indexWriteUnits / jobs },
    lines: lines / jobs,
    bytes: bytes / jobs,
  };
}

function rowsOf(
  { name, readsBeyond, viaApi, target, measures }: Kind,
  { counts, bytes }: Logged,
  lambda: { requests: number; gbSeconds: number },
  runnerMemoryMb: number,
): Row[] {
  const { requests, writeUnits, indexWriteUnits } = counts;
  const batches = requests["dynamodb.BatchGetItem"] ?? 0;
  const readUnits = counts.readUnits + readsBeyond + batches * UNITS_OF_ACCEPT;
  const without = price(counts, readUnits, lambda);
  const priced = (value: number, atMost: number | undefined) => ({
    value,
    unit: "$/M" as const,
    ...(atMost ? { target: { atMost } } : {}),
  });
  return [
    { line: `${name}: AWS requests`, value: totalOf(requests), unit: "requests", note: listed(requests) },
    {
      line: `${name}: DynamoDB units`,
      value: readUnits + writeUnits + indexWriteUnits,
      unit: "units",
      note: `${short(readUnits)} read, ${short(writeUnits)} write, ${short(indexWriteUnits)} write of indexes`,
    },
    ...(viaApi
      ? [{ line: `${name}: list price with REST API`, ...priced((without + prices.restApiRequest) * 1e6, target?.withRestApi) }]
      : []),
    {
      line: `${name}: list price without REST API`,
      ...priced(without * 1e6, target?.without),
      note: `and $${((bytes / 1e9) * prices.logGb * 1e6).toFixed(2)} for ${Math.round(bytes)} B of log lines`,
    },
    estimateRow(name, estimateRun({ ...MEASURED, ...measures, runnerMemoryMb }).total, without),
  ];
}

/** A run without values outside of its record, whose script takes the assumed time. */
const MEASURED = {
  ...{ viaApi: false, attempts: 1, cached: false, s3Values: 0, transitions: 0, calls: 0, argsBytes: 0, resultBytes: 0, logBytes: 0 },
  ranMs: assumedMs.runner + assumedMs.script,
};

/** Compares the estimate that the service gives its users with the counted price: the larger one divided by the other. */
const estimateRow = (name: string, estimate: number, counted: number): Row => ({
  line: `${name}: estimate for users beside the list price`,
  value: Math.max(estimate / counted, counted / estimate),
  unit: "×",
  note: `$${(estimate * 1e6).toFixed(2)} per million`,
  target: { atMost: 1.1 },
});

/** The cost of one job in dollars. */
export function price(counts: AwsCounts, readUnits: number, lambda: { requests: number; gbSeconds: number }): number {
  const requests = (pattern: RegExp) =>
    Object.entries(counts.requests).reduce((sum, [name, count]) => sum + (pattern.test(name) ? count : 0), 0);
  const sends = requests(/^sqs\.SendMessage$/);
  return (
    (counts.writeUnits + counts.indexWriteUnits) * prices.writeUnit +
    readUnits * prices.readUnit +
    // Each message is sent, received and deleted; Lambda does the last two, for up to ten messages at a time and here for one.
    3 * sends * prices.sqsRequest +
    requests(/^s3\.(Put|List)/) * prices.s3Put +
    requests(/^s3\.Get/) * prices.s3Get +
    lambda.requests * prices.lambdaRequest +
    lambda.gbSeconds * prices.lambdaGbSecond
  );
}

export const totalOf = (requests: Record<string, number>) => Object.values(requests).reduce((sum, count) => sum + count, 0);

export function listed(requests: Record<string, number>): string {
  return Object.entries(requests)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, count]) => `${short(count)} ${name.replace(/^dynamodb\./, "")}`)
    .join(", ");
}

const short = (value: number) => String(Math.round(value * 10) / 10);
