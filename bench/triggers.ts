import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { CreateQueueCommand, DeleteQueueCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { engineClientConfig } from "./floors.ts";
import type { HttpClient } from "./http-client.ts";
import { fibo } from "./jobs/scripts.ts";
import { median, p95, sorted } from "./measure.ts";
import type { Row } from "./table.ts";

interface Triggering {
  client: HttpClient;
  endpoint: string;
  workspace: string;
  quick: boolean;
}

/** Measures the time from a message of a queue to the begin of its job, one message at a time. */
export async function triggerRows({ client, endpoint, workspace, quick }: Triggering): Promise<Row[]> {
  const [runs, warmUp] = quick ? [1, 0] : [40, 5];
  const sqs = new SQSClient(engineClientConfig(endpoint));
  const name = `bench-${randomUUID().slice(0, 8)}`;
  const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: name, tags: { "svc:workspace": workspace } }));
  const path = `f/bench/${name}`;
  await client.ask.sqs_triggers.create({ workspace, body: { path, script_path: fibo.bun.path, is_flow: false, queue_url: QueueUrl } });
  const took: number[] = [];
  for (let at = -warmUp; at < runs; at += 1) {
    const sentMs = Date.now();
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: String(at) }));
    const startedMs = await startOfJob({ client, workspace }, path, at + warmUp + 1);
    if (at >= 0) took.push(startedMs - sentMs);
  }
  // The mapping is deleted with the trigger.
  await client.ask.sqs_triggers.setMode({ workspace, path, body: { mode: "disabled" } });
  await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  sqs.destroy();
  const sample = sorted(took);
  const note = `median ${median(sample).toFixed(0)}`;
  return [
    { line: "from a message of a queue to the begin of its job, p95", value: p95(sample), unit: "ms", note, target: { atMost: 500 } },
  ];
}

/** Returns the start in the record of the newest job of a trigger, when it has started `count` jobs. */
async function startOfJob({ client, workspace }: Pick<Triggering, "client" | "workspace">, path: string, count: number): Promise<number> {
  for (;;) {
    // Polled rarely, because polling uses a part of the machine.
    await sleep(150);
    const { text } = await client.ask.jobs.listCompleted({ workspace, query: { trigger_path: path, per_page: 100 } });
    const jobs = JSON.parse(text) as { started_at: string }[];
    if (jobs.length >= count) return Math.max(...jobs.map(({ started_at: at }) => Date.parse(at)));
  }
}
