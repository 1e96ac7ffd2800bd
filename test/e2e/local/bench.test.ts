import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { bench } from "../../../bench/bench.ts";
import { render } from "../../../bench/table.ts";
import { shared } from "../../support/api/api.ts";
import { newWorkspace } from "../../support/api/workspace.ts";

/** Rows that may say that nothing was requested, and why. */
const NONE = new Map([
  ["requests to KMS of a job that is given secrets", "a warm worker has the workspace's key"],
  ["calls of functions while a flow sleeps", "a flow that sleeps calls nothing"],
  ["AWS requests while a flow sleeps", "a flow that sleeps requests nothing"],
  ["archive: requests to KMS", "a warm function has the workspace's key"],
  ["2 flows that wait: calls of functions", "a flow that waits for approval calls nothing"],
  ["a page of runs, hidden for an hour: requests", "a hidden page reads nothing"],
]);
/** A browser reports tasks of more than 50 ms only, and often none. */
const isTask = (line: string) => line.includes("longest task");
/** Rows that are the difference of two runs, which other tests disturb, and of what. */
const DIFFERENCES = new Map([
  ["one more step", "flows of different length"],
  ["40 steps in a segment, one more step", "segments of different length"],
  ["400 steps in a segment, one more step", "segments of different length"],
  ["one more step: AWS requests", "flows of different length"],
  ["2 flows that wait: memory", "the engine before and while flows wait"],
  ["finding one of many routes, above one of few", "calls before and after the routes are created"],
  ["list price of a tick above an async job, without REST API", "runs of a schedule and asynchronous jobs"],
  ["an approval by a link: AWS requests", "flows with and without a gate"],
  ["an approval by a link: list price", "flows with and without a gate"],
]);

/** Whether the benchmark still measures all that it should; its figures mean nothing here. */
it("npm run bench prints every line of its table", { timeout: 300_000 }, async () => {
  const { url, endpoint, token, dir } = shared();
  const { id: workspace } = await newWorkspace();
  const { pid } = JSON.parse(readFileSync(path.join(dir, "engine", "engine.pid"), "utf8")) as { pid: number };

  const sections = await bench({ url, endpoint, token, workspace, dir, processes: [pid] }, { quick: true });
  const rows = sections.flatMap((section) => section.rows);
  const lines = rows.map(({ line }) => line);

  expect(
    rows.filter(({ value, line }) => !(value > 0 || isTask(line) || NONE.has(line) || DIFFERENCES.has(line))).map(({ line }) => line),
  ).toEqual([]);
  expect(rows.filter(({ value, line }) => NONE.has(line) && !(value >= 0)).map(({ line }) => line)).toEqual([]);
  // No exemption outlives its row. Memory is measured on Linux alone.
  const measured = [...NONE.keys(), ...DIFFERENCES.keys()].filter((line) => process.platform === "linux" || !line.endsWith("memory"));
  expect(lines).toEqual(expect.arrayContaining(measured));
  expect(lines).toEqual(expect.arrayContaining(["bare invoke, 1 client", "bare spawn of node", "async accept", "enqueue to done"]));
  for (const kind of ["bun", "python3", "go", "dedicated bun"]) {
    expect(lines).toEqual(expect.arrayContaining([`sync fibo(10) in ${kind}, 1 client`, `sync fibo(10) in ${kind}, 16 clients`]));
  }
  for (const language of ["bun", "python3", "nodejs", "deno", "go", "bash"]) expect(lines).toContain(`${language}: fresh`);
  for (const language of ["bun", "python3", "nodejs", "deno"]) expect(lines).toContain(`${language}: dedicated`);
  for (const kind of ["async script 0.5 KB", "sync script 0.5 KB", "async script 8 KB", "async preview 0.5 KB"]) {
    const what = ["AWS requests", "DynamoDB units", "list price with REST API", "list price without REST API"];
    expect(lines).toEqual(expect.arrayContaining(what.map((figure) => `${kind}: ${figure}`)));
  }
  expect(lines).toEqual(
    expect.arrayContaining([
      "10 KB of JSON",
      "svc --version beside a bare node",
      "archive: AWS requests for 25 items",
      "pull into an empty folder: HTTP requests",
      "push with no change: HTTP requests",
      "from a stream's first line to its event",
      "from a later line to its event",
      "sync call with 2 resources in its arguments",
      "reads that resolve 2 resources",
      "reads that authenticate a token",
      "50 jobs: by parent",
      "50 jobs: count",
      "reads that accept a run, with 50 more rules",
      "one more step",
      "a step of 400 beside one of 40",
      "events in the largest history",
      "calls of functions while a flow sleeps",
      "five plain steps: list price",
      "from the request that decides to the end of the flow",
      "the approval page with a form, gzipped",
      "the approval page: first paint",
      "2 flows that wait: calls of functions",
      "2 flows that wait: all approved and finished",
      "an approval by a link: list price",
      "one more step: AWS requests",
      "a flow of 200 modules, the first time",
      "a change without an endpoint: list price of its events",
      "from a message of a queue to the begin of its job, p95",
      "a route's sync call beside run_wait_result",
      "with a signature, beside run_wait_result",
      "with a JSON Web Token, beside run_wait_result",
      "finding one of many routes, above one of few",
      "a static file of 100 KB",
      "an OpenAPI document of 500 routes and 500 webhooks",
    ]),
  );
  for (const name of ["run", "objects", "jobs", "people", "api", "beat", "worker"]) {
    expect(lines).toEqual(expect.arrayContaining([`functions/${name}: size`, `functions/${name}: load`]));
  }
  if (process.platform === "linux") expect(lines).toEqual(expect.arrayContaining(["just after the fill", "at rest"]));
  expect(render(sections).split("\n").length).toBeGreaterThan(rows.length);
});
