import { setTimeout as sleep } from "node:timers/promises";
import { prices } from "../../core/cost/prices.ts";
import { endBrowser, openPage } from "../../test/support/browser/browser.ts";
import type { Target } from "../bench.ts";
import { listed, totalOf } from "../cost/cost.ts";
import { functionLogs } from "../cost/counted.ts";
import { light, saveFlow, startFlow } from "../flows/flow-runs.ts";
import type { Measured } from "../jobs/latency.ts";
import { median, p95, REST_MS, sorted } from "../measure.ts";
import { memoryOf } from "../memory.ts";
import type { Row } from "../table.ts";
import { byLink, priceApproval } from "./approval-price.ts";
import { asking, isOver, linkOf, until, visit, waits } from "./waiting-flow.ts";

type Approving = Measured & { endpoint: string; target: Target };

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
  const module = { ...asking, suspend: { required_events: 1, timeout: 24 * 3600, resume_form: form } };
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

/** Measures the requests and the price that an approval adds to a flow. */
async function priceRows(approving: Approving): Promise<Row[]> {
  const { requests, transitions, dollars } = await priceApproval(approving, byLink(approving));
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
