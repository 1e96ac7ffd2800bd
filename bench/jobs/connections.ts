import { setTimeout as sleep } from "node:timers/promises";
import { type FunctionLogs, functionLogs } from "../cost/counted.ts";
import type { HttpClient } from "../http-client.ts";
import { median, oneClient, p95 } from "../measure.ts";
import type { Row } from "../table.ts";
import { echo } from "./scripts.ts";

interface Connected {
  client: HttpClient;
  endpoint: string;
  workspace: string;
  quick: boolean;
}

const at = (index: number) => `f/bench/connection${index}`;

/** Half of the references are secrets, each behind a resource: two levels. */
async function save(client: HttpClient, workspace: string, count: number): Promise<Record<string, string>> {
  const args: Record<string, string> = { text: "x" };
  for (let index = 0; index < count; index++) {
    const exists = await client.ask.resources.exists({ workspace, path: at(index) });
    if (exists.text !== "true") {
      const secret = { path: at(index), value: `secret of connection ${index}`, is_secret: true };
      await client.ask.variables.create({ workspace, body: secret });
      const value = { host: "db.example.com", password: index % 2 ? `$var:${at(index)}` : "none" };
      await client.ask.resources.create({ workspace, body: { path: at(index), value, resource_type: "any" } });
    }
    args[`connection${index}`] = `$res:${at(index)}`;
  }
  return args;
}

/** Measures the time, reads and KMS requests that references and rights add to a call, from the functions' log lines. */
export async function connectionRows({ client, endpoint, workspace, quick }: Connected): Promise<Row[]> {
  const resources = quick ? 2 : 20;
  const args = await save(client, workspace, resources);
  const logs = await functionLogs(endpoint);
  const [calls, warmUp] = quick ? [1, 0] : [60, 10];
  // It has the same length and location as the other one.
  const texts = Object.fromEntries(Object.entries(args).map(([name, text]) => [name, text.replace("$res:", "text:")]));
  const plain = () => client.ask.jobs.runWait.scripts({ workspace, path: echo.path, body: texts });
  const named = () => client.ask.jobs.runWait.scripts({ workspace, path: echo.path, body: args });
  const plainMs = await oneClient(plain, { calls, warmUp });
  const namedMs = await oneClient(named, { calls, warmUp });
  const jobs = quick ? 1 : 20;
  const withAll = await counted(logs, /WorkerFn/, named, jobs);
  const token = await counted(logs, /PeopleApiFn/, () => client.ask.users.email(), jobs);
  const accept = await counted(logs, /RunFn/, plain, jobs);
  for (let index = 0; index < (quick ? 2 : 50); index++) {
    await client.ask.acls.add({ workspace, kind: "folder", path: "bench", body: { owner: `u/reader${index}`, write: index % 2 === 0 } });
  }
  const ruled = await counted(logs, /RunFn/, plain, jobs);
  const reads = (line: string, value: number, atMost: number, note = ""): Row => ({
    line,
    value,
    unit: "requests",
    note,
    target: { atMost },
  });
  return [
    {
      line: `sync call with ${resources} resources in its arguments`,
      value: median(namedMs),
      unit: "ms",
      note: `p95 ${p95(namedMs).toFixed(1)}`,
      floor: { name: "the same without", value: median(plainMs) },
    },
    // The rights of the job's user are read again, because they may have changed.
    reads(`reads that resolve ${resources} resources`, withAll.batched - 1, 3, "and one of rights"),
    reads("requests to KMS of a job that is given secrets", withAll.kms, 1 / jobs),
    reads("reads that authenticate a token", token.reads, 1),
    reads("reads that accept a run", accept.reads, 1),
    reads("reads that accept a run, with 50 more rules", ruled.reads, accept.reads),
  ];
}

/** The time within which the last line of a function appears after its reply. */
const LOGGED_MS = 20_000;

/** Returns the average of one invocation in the log lines of matching functions. Each call must invoke one of them. */
async function counted(
  logs: FunctionLogs,
  names: RegExp,
  call: () => Promise<unknown>,
  calls: number,
): Promise<{ reads: number; batched: number; kms: number }> {
  await sleep(300);
  const fromMs = Date.now();
  for (let at = 0; at < calls; at++) await call();
  const untilMs = Date.now() + LOGGED_MS;
  let logged = await logs.since(fromMs, names);
  // The last line appears after the response.
  while (logged.lines < calls) {
    if (Date.now() > untilMs) throw new Error(`${calls} calls of ${names} have ${logged.lines} lines in the logs.`);
    await sleep(100);
    logged = await logs.since(fromMs, names);
  }
  const { counts, lines } = logged;
  const sum = (pattern: RegExp) =>
    Object.entries(counts.requests).reduce((all, [name, count]) => all + (pattern.test(name) ? count : 0), 0) / lines;
  const batched = sum(/^dynamodb\.BatchGetItem$/);
  return { reads: batched + sum(/^dynamodb\.(GetItem|Query|Scan)$/), batched, kms: sum(/^kms\./) };
}
