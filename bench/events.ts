import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { assumedMs, prices } from "../core/cost/prices.ts";
import { gbSeconds, listed, perJob, price } from "./cost/cost.ts";
import { functionLogs } from "./cost/counted.ts";
import type { HttpClient } from "./http-client.ts";
import { median, p95, type Sample, sorted } from "./measure.ts";
import type { Row } from "./table.ts";

interface Measured {
  client: HttpClient;
  endpoint: string;
  workspace: string;
  quick: boolean;
}

/** A receiver that answers at once at `/`, and never at `/hang`. */
async function startReceiver() {
  const waiting = new Map<string, (atMs: number) => void>();
  let hanging = 0;
  const server = createServer((request, response) => {
    const atMs = performance.now();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.url === "/hang") {
        hanging += 1;
        response.on("close", () => {
          hanging -= 1;
        });
        return;
      }
      response.writeHead(204).end();
      const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { path: string } };
      waiting.get(data.path)?.(atMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hanging: () => hanging,
    next: (path: string) => new Promise<number>((resolve) => waiting.set(path, resolve)),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const DEAD_DELIVERIES = 1000;

/**
 * Measures the time from a change to the request at the receiver, with and without another receiver that hangs, and the price of a delivered
 * event.
 */
export async function eventRows(measured: Measured): Promise<Row[]> {
  const { client, workspace, quick } = measured;
  const receiver = await startReceiver();
  const folder = `events_${randomUUID().slice(0, 8)}`;
  const ids = { live: `live-${folder}`, dead: `dead-${folder}` };
  const quiet = `f/${folder}/live`;
  const dead = `f/${folder}/dead`;
  const variable = (path: string) => ({ path, value: "0", is_secret: false, description: "" });
  const update = (path: string, value: string) => client.ask.variables.update({ workspace, path, body: { value } });
  try {
    await client.ask.folders.create({ workspace, body: { name: folder } });
    for (const path of [quiet, dead]) await client.ask.variables.create({ workspace, body: variable(path) });
    await client.ask.webhooks.create({ workspace, body: { id: ids.live, url: `${receiver.url}/`, paths: [quiet] } });
    const change = (n: number) => () => timeOf(receiver, quiet, () => update(quiet, String(n)));
    const count = quick ? 1 : 100;
    const warmUp = quick ? 0 : 5;
    const alone = await repeat(change, { warmUp, count });
    const cost = await priceRow(measured, () => change(0)(), quick ? 1 : 20);
    await client.ask.webhooks.create({ workspace, body: { id: ids.dead, url: `${receiver.url}/hang`, paths: [dead] } });
    for (let n = 0; n < (quick ? 1 : DEAD_DELIVERIES); n += 1) await update(dead, String(n));
    while (receiver.hanging() === 0) await sleep(50);
    const beside = await repeat(change, { warmUp, count });
    const stillHanging = receiver.hanging();
    return [
      { line: "change → request at the receiver, p50", value: median(alone), unit: "ms", target: { atMost: 300 } },
      { line: "change → request at the receiver, p95", value: p95(alone), unit: "ms", target: { atMost: 1000 } },
      {
        line: `the same while ${quick ? 1 : DEAD_DELIVERIES} deliveries wait for a receiver that hangs, p50`,
        value: median(beside) / median(alone),
        unit: "×",
        note: `p50 ${median(beside).toFixed(1)} ms, p95 ${p95(beside).toFixed(1)} ms, ${stillHanging} requests hang at the end`,
        target: { atMost: 1.1 },
      },
      cost,
    ];
  } finally {
    for (const id of Object.values(ids))
      await client.ask.webhooks.update({ workspace, id, body: { enabled: false } }).catch(() => undefined);
    receiver.close();
  }
}

/** Measures from the start of the request that makes the change. */
async function timeOf(receiver: Receiver, path: string, change: () => Promise<unknown>): Promise<number> {
  const arrived = receiver.next(path);
  const startedMs = performance.now();
  await change();
  return (await arrived) - startedMs;
}

async function repeat(change: (n: number) => () => Promise<number>, { warmUp, count }: { warmUp: number; count: number }): Promise<Sample> {
  const took: number[] = [];
  for (let n = -warmUp; n < count; n += 1) {
    const ms = await change(n)();
    if (n >= 0) took.push(ms);
    await sleep(20);
  }
  return sorted(took);
}

/** The engine reports no units for a BatchGetItem. This one reads three items, eventually consistently. */
const UNITS_OF_BATCH = 1.5;
/** Units of the change's own transaction: the item of the outbox counts twice, and the endpoints are read once. */
const OUTBOX = { write: 2, read: 1 };

async function priceRow({ endpoint }: Measured, deliver: () => Promise<unknown>, count: number): Promise<Row> {
  const logs = await functionLogs(endpoint);
  await sleep(500);
  const fromMs = Date.now();
  for (let n = 0; n < count; n += 1) await deliver();
  await sleep(1000);
  const { counts, bytes } = perJob(await logs.since(fromMs, /DeliverFn/), count);
  const batches = counts.requests["dynamodb.BatchGetItem"] ?? 0;
  const messages = counts.requests["sqs.SendMessageBatch"] ?? 0;
  // One invocation dispatches, and one waits for the receiver, for the assumed duration of a script.
  const ms = assumedMs.accept + assumedMs.execute + assumedMs.script;
  const lambda = { requests: 2, gbSeconds: gbSeconds(logs, /DeliverFn/, ms) };
  const ownPrice = price(
    { ...counts, writeUnits: counts.writeUnits + OUTBOX.write },
    counts.readUnits + batches * UNITS_OF_BATCH + OUTBOX.read,
    lambda,
  );
  return {
    line: "a delivered event: list price",
    // Each message is sent, received and deleted. Here, each call has one message.
    value: (ownPrice + 3 * messages * prices.sqsRequest) * 1e6,
    unit: "$/M",
    note: `${listed(counts.requests)}, and $${((bytes / 1e9) * prices.logGb * 1e6).toFixed(2)} for ${Math.round(bytes)} B of log lines`,
    target: { atMost: 6 },
  };
}
