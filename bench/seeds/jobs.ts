import { randomUUID } from "node:crypto";
import { buildListKey, computeShard } from "../../core/jobs/record/job.ts";
import type { HttpClient } from "../http-client.ts";
import { echo } from "../jobs/scripts.ts";
import type { Item, Tables } from "./tables.ts";

/** Runs a job and returns its record, and the name of the table that contains it. */
export async function loadEndedJob(client: HttpClient, tables: Tables, workspace: string): Promise<{ item: Item; name: string }> {
  await client.ask.jobs.runWait.scripts({ workspace, path: echo.path, body: { text: "x" } });
  const [job] = JSON.parse(
    (await client.ask.jobs.listCompleted({ workspace, query: { script_path_exact: echo.path, per_page: 1 } })).text,
  ) as {
    id: string;
  }[];
  if (!job) throw new Error("The job that was run is in no list.");
  return tables.find(job.id, "job");
}

/** Copies an ended job to one of fifty paths. `at`: its age in seconds. */
export function copyJob(item: Item, workspace: string, at: number): Item {
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
  };
}
