import { setTimeout as sleep } from "node:timers/promises";
import { assumedMs, prices } from "../core/cost/prices.ts";
import { endBrowser, openPage } from "../test/support/browser/browser.ts";
import type { Target } from "./bench.ts";
import { gbSeconds, listed, price, totalOf } from "./cost/cost.ts";
import { functionLogs, type Logged } from "./cost/counted.ts";
import { type FlowModule, type Flows, light, saveFlow, startFlow } from "./flows/flow-runs.ts";
import { historiesOf } from "./flows/history.ts";
import type { Measured } from "./jobs/latency.ts";
import { median, p95, REST_MS, sorted } from "./measure.ts";
import { memoryOf } from "./memory.ts";
import type { Row } from "./table.ts";

type Approving = Measured & { endpoint: string; target: Target };

const suspend = { suspend: { required_events: 1, timeout: 24 * 3600 } };
/** A step that requests approval and runs no script. */
const asking: FlowModule = { id: "ask", value: { type: "identity" }, ...suspend };

/**
 * Measures the time from the approval to the end of a flow whose last step is light, many simultaneous requests, and the cost of an
 * approval.
 */
export async function approvalRows(approving: Approving): Promise<Row[]> {
  return [
    ...(await decisionRows(approving)),
    ...(await pageRows(approving)),
    ...(await priceRows(approving)),
    ...(await manyRows(approving)),
  ];
}

interface Shown {
  suspend?: number;
  started_at: string;
  duration_ms?: number;
  success?: boolean;
  execution?: { arn: string; earlier: string[] };
}

async function shown({ client, workspace }: Flows, id: string): Promise<Shown> {
  return JSON.parse((await client.ask.jobs.get({ workspace, id, query: { no_logs: true, no_code: true } })).text) as Shown;
}

async function until(flows: Flows, id: string, condition: (job: Shown) => boolean, everyMs = 50): Promise<Shown> {
  for (;;) {
    const job = await shown(flows, id);
    if (condition(job)) return job;
    if (job.success === false) throw new Error(`The flow ${id} failed.`);
    await sleep(everyMs);
  }
}
const waits = (job: Shown) => job.suspend === 1;
const isOver = (job: Shown) => job.duration_ms !== undefined;

/** By a link, like the program of an approver. */
async function linkOf({ client, workspace }: Flows, id: string): Promise<string> {
  const { resume } = JSON.parse((await client.ask.approvals.mint({ workspace, id, resume_id: 1 })).text) as { resume: string };
  return resume;
}
async function visit(url: string): Promise<void> {
  const { status } = await fetch(url, { method: "POST", body: "{}" });
  if (status !== 201) throw new Error(`A link answered ${status}.`);
}

async function decisionRows(approving: Approving): Promise<Row[]> {
  const [runs, warmUp] = approving.quick ? [1, 0] : [40, 5];
  const path = await saveFlow(approving, "approved", [asking, light("after", "10")]);
  const [wholes, replies]: [number[], number[]] = [[], []];
  for (let at = -warmUp; at < runs; at += 1) {
    const id = await startFlow(approving, path);
    await until(approving, id, waits);
    const link = await linkOf(approving, id);
    // The task has registered its token, and processes are idle.
    await sleep(100);
    const fromMs = Date.now();
    await visit(link);
    const repliedMs = Date.now();
    // Polled rarely, because polling uses a part of the machine.
    await sleep(60);
    const { started_at, duration_ms = 0 } = await until(approving, id, isOver);
    if (at < 0) continue;
    wholes.push(Date.parse(started_at) + duration_ms - fromMs);
    replies.push(repliedMs - fromMs);
  }
  const [whole, reply] = [sorted(wholes), sorted(replies)];
  const { oneClient: floor } = approving.floor;
  return [
    {
      line: "from the request that decides to the end of the flow",
      value: median(whole),
      unit: "ms",
      note: `p95 ${p95(whole).toFixed(1)}`,
      floor,
      target: { atMost: 60 },
    },
    { line: "the request that decides", value: median(reply), unit: "ms", note: `p95 ${p95(reply).toFixed(1)}`, floor },
  ];
}

/** Measures what a browser without a cache loads for a step with a form, and when it first shows content. */
async function pageRows(approving: Approving): Promise<Row[]> {
  const form = { schema: { type: "object", properties: { amount: { type: "number" } }, order: ["amount"] } };
  const module = { ...asking, suspend: { ...suspend.suspend, resume_form: form } };
  const id = await startFlow(approving, await saveFlow(approving, "page", [module]));
  await until(approving, id, waits);
  const { client, workspace } = approving;
  const { approvalPage } = JSON.parse((await client.ask.approvals.mint({ workspace, id, resume_id: 1 })).text) as {
    approvalPage: string;
  };
  const paints: number[] = [];
  let bytes = 0;
  for (let at = 0; at < (approving.quick ? 1 : 10); at += 1) {
    const { page, requested } = await openPage();
    await page.goto(approvalPage);
    await page.getByRole("button", { name: "Approve" }).waitFor();
    paints.push(await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime"));
    const files = requested.filter((address) => !address.includes("/api/"));
    const sizes = await Promise.all(files.map(async (file) => Number((await fetch(file)).headers.get("content-length"))));
    bytes = sizes.reduce((sum, size) => sum + size, 0);
    // The context is closed with its cache, so that the next page load starts without one.
    await endBrowser();
  }
  const sample = sorted(paints);
  return [
    { line: "the approval page with a form, gzipped", value: bytes / 1000, unit: "KB", target: { atMost: 200 } },
    {
      line: "the approval page: first paint",
      value: median(sample),
      unit: "ms",
      note: `p95 ${p95(sample).toFixed(0)}`,
      target: { atMost: 1000 },
    },
  ];
}

const AT_ONCE = 16;
async function sideBySide<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** All functions except housekeeping, which runs every minute in any case. */
const FUNCTIONS = /^(?!.*Housekeeping)/;

async function manyRows(approving: Approving): Promise<Row[]> {
  const { client, workspace, endpoint, quick, target } = approving;
  const many = quick ? 2 : 1000;
  const path = await saveFlow(approving, "many", [asking, { id: "after", value: { type: "identity" } }]);
  // The same processes are compared at both times, because unused ones end after a while.
  await sleep(quick ? 0 : REST_MS);
  const before = memoryOf(target);
  const ids: string[] = [];
  await sideBySide([...Array(many).keys()], async () => {
    ids.push(await startFlow(approving, path));
  });
  const waiting = async () => Number((JSON.parse((await client.ask.approvals.pending({ workspace })).text) as unknown[]).length);
  while ((await waiting()) < many) await sleep(500);
  await sleep(quick ? 500 : REST_MS);
  const during = memoryOf(target);
  const logs = await functionLogs(endpoint);
  const forS = quick ? 2 : 60;
  const waitMs = Date.now();
  await sleep(forS * 1000);
  const { lines } = await logs.since(waitMs, FUNCTIONS);
  const fromMs = Date.now();
  await sideBySide(ids, async (id) => void (await client.ask.approvals.resumeFlow({ workspace, id, body: {} })));
  const decidedS = (Date.now() - fromMs) / 1000;
  for (;;) {
    const left = JSON.parse(
      (await client.ask.jobs.listQueue({ workspace, query: { script_path_exact: path, per_page: 1 } })).text,
    ) as unknown[];
    if (left.length === 0) break;
    await sleep(200);
  }
  const releasedS = (Date.now() - fromMs) / 1000;
  const name = `${many} flows that wait`;
  return [
    { line: `${name}: calls of functions`, value: lines, unit: "requests", target: { atMost: 0 }, note: `in ${forS} s` },
    ...(before && during
      ? [
          {
            line: `${name}: memory`,
            value: during.mb - before.mb,
            unit: "MB" as const,
            target: { atMost: 300 },
            note: "more than before they began",
          },
        ]
      : []),
    {
      line: `${name}: all approved and finished`,
      value: releasedS,
      unit: "s",
      target: { atMost: 60 },
      note: `decided in ${decidedS.toFixed(1)} s`,
    },
  ];
}

/** Measures the functions, requests and state transitions that an approval adds to a flow. */
async function priceRows(approving: Approving): Promise<Row[]> {
  const { endpoint, quick } = approving;
  const logs = await functionLogs(endpoint);
  const runs = quick ? 1 : 10;
  const used = async (name: string, modules: FlowModule[], decides: boolean) => {
    const path = await saveFlow(approving, name, modules);
    const arns: string[] = [];
    const links: string[] = [];
    const all: string[] = [];
    for (let at = 0; at < runs; at += 1) {
      const id = await startFlow(approving, path);
      all.push(id);
      if (!decides) continue;
      await until(approving, id, waits, 500);
      links.push(await linkOf(approving, id));
    }
    return { arns, links, all };
  };
  const counted = async (name: string, modules: FlowModule[], decides: boolean): Promise<{ logged: Logged; transitions: number }> => {
    const fromMs = Date.now();
    const { links, all } = await used(name, modules, decides);
    for (const link of links) await visit(link);
    const arns: string[] = [];
    for (const id of all) {
      const { execution } = await until(approving, id, isOver, 500);
      if (execution) arns.push(...execution.earlier, execution.arn);
    }
    await sleep(1000);
    return { logged: await logs.since(fromMs, /StepFn|ApproveFn|DeliverFn/), transitions: (await historiesOf(endpoint, arns)).transitions };
  };
  const last = light("after", "10");
  const [without, asked] = [
    await counted("unasked", [{ ...asking, suspend: null }, last], false),
    await counted("asked", [asking, last], true),
  ];
  // Creating the link is a separate call.
  const more = (of: (logged: Logged) => number) => (of(asked.logged) - of(without.logged)) / runs;
  const requests = Object.fromEntries(
    [...new Set([...Object.keys(asked.logged.counts.requests), ...Object.keys(without.logged.counts.requests)])].map((name) => [
      name,
      more(({ counts }) => counts.requests[name] ?? 0),
    ]),
  );
  const transitions = (asked.transitions - without.transitions) / runs;
  const calls = more(({ lines }) => lines);
  const counts = {
    requests,
    readUnits: more((logged) => logged.counts.readUnits),
    writeUnits: more((logged) => logged.counts.writeUnits),
    indexWriteUnits: more((logged) => logged.counts.indexWriteUnits),
  };
  const batches = Math.max(0, requests["dynamodb.BatchGetItem"] ?? 0);
  const dollars =
    price(counts, counts.readUnits + batches * 4, { requests: calls, gbSeconds: gbSeconds(logs, /ApproveFn/, calls * assumedMs.execute) }) +
    transitions * prices.stateTransition +
    2 * prices.restApiRequest +
    (requests["sns.Publish"] ?? 0) * prices.snsPublish;
  return [
    {
      line: "an approval by a link: AWS requests",
      value: totalOf(requests),
      unit: "requests",
      note: `${listed(requests)}; ${transitions.toFixed(1)} state transitions`,
    },
    {
      line: "an approval by a link: list price",
      value: dollars * 1e6,
      unit: "$/M",
      note: `$${(transitions * prices.stateTransition * 1e6).toFixed(0)} of it for state transitions, mails not counted`,
    },
  ];
}
