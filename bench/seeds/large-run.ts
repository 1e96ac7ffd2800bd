import { setTimeout as sleep } from "node:timers/promises";
import { iterationPath, progressFormat, progressRef } from "../../core/flows/journal.ts";
import { bodyScope, ROOT } from "../../core/flows/scopes.ts";
import { computeStepJobId } from "../../services/flows/runtime/step-job-id.ts";
import type { HttpClient } from "../http-client.ts";
import { copyItem, type Item, type Tables } from "./tables.ts";

const FLOW = "f/bench/console_loop";
const LOOP = "loop";
const STEPS = ["first", "second"] as const;
/** The iterations that run. The last one fails. The others are copies. */
const RUN = 4;
const POLLED_MS = 200;

/** A run of a flow with a loop of two steps, of which one iteration in a hundred has failed. */
export interface LargeRun {
  id: string;
  /** The number of the first failed iteration, as people count. */
  firstFailed: number;
}

/** Runs a flow with a short loop, and copies its iterations until it has this number. */
export async function createLargeRun(client: HttpClient, tables: Tables, workspace: string, iterations: number): Promise<LargeRun> {
  const id = await runLoop(client, workspace);
  const { name } = await tables.find(id, "job");
  const journal = await tables.readPartition(name, id);
  const succeeded = await loadIteration(tables, name, { id, journal, index: 0 });
  const failed = await loadIteration(tables, name, { id, journal, index: RUN - 1 });
  const copies: Item[] = [];
  for (let index = RUN; index < iterations; index++) copies.push(...copyIteration(index % 100 === 99 ? failed : succeeded, id, index));
  const progress = journal.find(({ sk }) => sk?.S === progressRef(LOOP, ROOT, ""));
  await tables.writeAll(name, [...copies, ...(progress ? [lengthen(progress, id, iterations)] : [])]);
  return { id, firstFailed: RUN };
}

/** Runs the flow and returns the id of its run. */
async function runLoop(client: HttpClient, workspace: string): Promise<string> {
  const expr = (text: string) => ({ type: "javascript" as const, expr: text });
  const step = (id: string, content: string) => ({
    id,
    value: { type: "rawscript" as const, language: "bun" as const, content, input_transforms: { n: expr("flow_input.iter.value") } },
  });
  const modules = [
    step(STEPS[0], "export const main = (n: number) => n;"),
    step(STEPS[1], `export function main(n: number) { if (n === ${RUN - 1}) throw new Error("no " + n); return n; }`),
  ];
  const iterator = expr(`Array.from({ length: ${RUN} }, (_, n) => n)`);
  const loop = { id: LOOP, value: { type: "forloopflow" as const, iterator, skip_failures: true, parallel: false, modules } };
  await client.ask.flows.create({ workspace, body: { path: FLOW, summary: "", value: { modules: [loop] } } });
  const id = (await client.ask.jobs.run.flows({ workspace, path: FLOW, body: {} })).text;
  for (;;) {
    const { completed } = JSON.parse((await client.ask.jobs.getResultMaybe({ workspace, id })).text) as { completed: boolean };
    if (completed) return id;
    await sleep(POLLED_MS);
  }
}

interface Iteration {
  index: number;
  items: Item[];
  jobs: string[];
}

const jobsOf = (id: string, index: number) => STEPS.map((step) => computeStepJobId(id, step, bodyScope(LOOP), iterationPath("", index), 0));

/** The items of an iteration: those of the journal, and the records of its jobs. */
async function loadIteration(
  tables: Tables,
  name: string,
  { id, journal, index }: { id: string; journal: readonly Item[]; index: number },
): Promise<Iteration> {
  const jobs = jobsOf(id, index);
  const heads = await Promise.all(jobs.map(async (job) => (await tables.find(job, "job", name)).item));
  return { index, jobs, items: [...journal.filter(({ sk }) => sk?.S?.endsWith(`@${iterationPath("", index)}`)), ...heads] };
}

function copyIteration({ index, items, jobs }: Iteration, id: string, copy: number): Item[] {
  const [from, to] = [iterationPath("", index), iterationPath("", copy)];
  const copied = jobsOf(id, copy);
  const ids = Object.fromEntries(jobs.map((job, at) => [job, copied[at] ?? ""]));
  return items.map((item) => copyItem(item, { ...ids, [`@${from}`]: `@${to}`, [`"path":{"S":"${from}"}`]: `"path":{"S":"${to}"}` }));
}

/** The progress of a loop after the last of many iterations. */
function lengthen(item: Item, parent: string, count: number): Item {
  const progress = progressFormat.parse({ parent, ref: item["sk"]?.S ?? "", json: item["j"]?.S ?? "" });
  return { ...item, j: { S: progressFormat.toJson({ ...progress, count, index: count - 1 }) } };
}
