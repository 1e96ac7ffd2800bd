import { randomUUID } from "node:crypto";
import { type AttributeValue, BatchWriteItemCommand, DynamoDBClient, GetItemCommand, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { buildListKey, computeShard } from "../../core/jobs/record/job.ts";
import { engineCredentials } from "../../engine/engine/child-env.ts";
import type { Answer, HttpClient } from "../http-client.ts";
import { median, oneClient } from "../measure.ts";
import type { Row } from "../table.ts";
import { echo } from "./scripts.ts";

interface Listed {
  client: HttpClient;
  endpoint: string;
  workspace: string;
  quick: boolean;
}

type Item = Record<string, AttributeValue>;
const AT_ONCE = 4;
const PER_REQUEST = 25;

/** Measures lists and counts of a workspace with many ended jobs. They are written directly, as copies of one that ran. */
export async function listRows({ client, endpoint, workspace, quick }: Listed): Promise<Row[]> {
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = engineCredentials;
  const table = new DynamoDBClient({ endpoint, region, credentials: { accessKeyId, secretAccessKey } });
  const { item, name } = await loadEndedJob(client, table, workspace);
  const [parent, rare] = [randomUUID(), "bench-creator"];
  const { list, listCompleted, countCompleted } = client.ask.jobs;
  const reads: Record<string, () => Promise<Answer>> = {
    "by parent": () => list({ workspace, query: { parent_job: parent } }),
    "by creator": () => list({ workspace, query: { created_by: rare } }),
    unsuccessful: () => listCompleted({ workspace, query: { success: false } }),
    "by a filter without an index": () => list({ workspace, query: { worker: "none" } }),
    "by arguments": () => list({ workspace, query: { args: '{"none":1}' } }),
    count: () => countCompleted({ workspace }),
  };
  const rows: Row[] = [];
  let written = 0;
  for (const size of quick ? [25, 50] : [1000, 50_000]) {
    const copies = Array.from({ length: size - written }, (_, at) => copyJob(item, workspace, { at: written + at, parent, rare }));
    await writeAll(table, name, copies);
    written = size;
    for (const [line, read] of Object.entries(reads)) {
      const measured = await oneClient(read, quick ? { calls: 1, warmUp: 0 } : { calls: 20, warmUp: 3 });
      rows.push({ line: `${size.toLocaleString("en")} jobs: ${line}`, value: median(measured), unit: "ms", target: { atMost: 500 } });
    }
  }
  return rows;
}

/** Runs a job and returns its record, and the name of the table that contains it. */
async function loadEndedJob(client: HttpClient, table: DynamoDBClient, workspace: string): Promise<{ item: Item; name: string }> {
  await client.ask.jobs.runWait.scripts({ workspace, path: echo.path, body: { text: "x" } });
  const [job] = JSON.parse(
    (await client.ask.jobs.listCompleted({ workspace, query: { script_path_exact: echo.path, per_page: 1 } })).text,
  ) as {
    id: string;
  }[];
  if (!job) throw new Error("The job that was run is in no list.");
  const { TableNames = [] } = await table.send(new ListTablesCommand());
  for (const name of TableNames) {
    const Key = { pk: { S: job.id }, sk: { S: "job" } };
    const found = await table.send(new GetItemCommand({ TableName: name, Key })).catch(() => undefined);
    if (found?.Item) return { item: found.Item, name };
  }
  throw new Error("The record of the job is in no table.");
}

function copyJob(item: Item, workspace: string, { at, parent, rare }: { at: number; parent: string; rare: string }): Item {
  const id = randomUUID();
  const createdAtMs = Date.now() - at * 1000;
  const [shard, path] = [computeShard(id), `f/bench/listed${at % 50}`];
  return {
    ...item,
    pk: { S: id },
    path: { S: path },
    created: { N: String(createdAtMs) },
    lp: { S: `${workspace}#${shard}` },
    ls: { S: buildListKey(createdAtMs, id) },
    pp: { S: `${workspace}#${shard}#${path}` },
    ...(at % 100 === 0 ? { parent: { S: parent } } : {}),
    ...(at % 100 === 7 ? { by: { S: rare } } : {}),
  };
}

async function writeAll(table: DynamoDBClient, name: string, items: Item[]): Promise<void> {
  const requests = Array.from({ length: Math.ceil(items.length / PER_REQUEST) }, (_, at) =>
    items.slice(at * PER_REQUEST, (at + 1) * PER_REQUEST),
  );
  for (let at = 0; at < requests.length; at += AT_ONCE) {
    await Promise.all(
      requests.slice(at, at + AT_ONCE).map((part) => {
        const puts = part.map((Item) => ({ PutRequest: { Item } }));
        return table.send(new BatchWriteItemCommand({ RequestItems: { [name]: puts } }));
      }),
    );
  }
}
