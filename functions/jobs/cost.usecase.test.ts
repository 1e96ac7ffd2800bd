import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { AwsCounts } from "../../aws/sdk/request-counts.ts";
import { member } from "../../test/support/api/people.ts";
import type { Workspace } from "../../test/support/api/workspace.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";
import { logger } from "../shared/observe.ts";

let service: Service;
let ws: Workspace;
/** The write units of all invocations so far, of the table and of its indexes, and the messages. */
const counted = { units: 0, messages: 0 };

const step = (id: string) => ({
  id,
  value: { type: "script", path: "f/t/echo", input_transforms: { text: { type: "javascript", expr: "flow_input.text" } } },
});
const each = {
  id: "l",
  value: { type: "forloopflow", iterator: { type: "javascript", expr: "[1, 2, 3]" }, skip_failures: false, modules: [step("b")] },
};

beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
  vi.spyOn(logger, "info").mockImplementation((...[, fields]) => {
    const { aws } = fields as { aws?: AwsCounts };
    if (!aws) return;
    const { writeUnits, indexWriteUnits, requests } = aws;
    counted.units += writeUnits + indexWriteUnits;
    counted.messages += requests["sqs.SendMessage"] ?? 0;
  });
  await ws.saveScript({ path: "f/t/echo", language: "bun", content: "export const main = (text: string) => text;" });
  await ws.post("flows/create", { path: "f/t/flow", summary: "", value: { modules: [step("a"), each] } });
  const { job_id } = (await ws.get("flows/deployment_status/p/f/t/flow")).json as { job_id: string };
  await ws.completed(job_id);
});
afterAll(() => service.close());

interface Cost {
  lines: { what: string; quantity: number }[];
  total: number;
  children_total?: number;
}
const costOf = async (id: string) => (await ws.get(`jobs_u/get_cost/${id}`)).json as Cost;
const quantityOf = ({ lines }: Cost, what: string) => lines.find((line) => line.what === what)?.quantity ?? 0;

const usedBy = (costs: readonly Cost[]): Used => {
  const sum = (what: string) => costs.reduce((all, cost) => all + quantityOf(cost, what), 0);
  return { units: sum("DynamoDB writes"), messages: sum("SQS requests") / 3 };
};

interface Used {
  units: number;
  messages: number;
}

/**
 * Runs something, and compares what it added to the counts, which its last invocation completes after the end of the job. Each kind runs once before,
 * because the first run reads keys and code.
 */
async function expectCounts(start: () => Promise<string>, estimate: (id: string) => Promise<Used>): Promise<string> {
  await ws.completed(await start());
  await expect.poll(async () => (await ws.get("jobs/queue/count")).json).toMatchObject({ database_length: 0 });
  const before = { ...counted };
  const id = await start();
  await ws.completed(id);
  const { units, messages } = await estimate(id);
  await expect.poll(() => counted.messages - before.messages).toBe(messages);
  const difference = () => units / (counted.units - before.units) - 1;
  await expect.poll(() => Math.abs(difference())).toBeLessThanOrEqual(0.1);
  return id;
}

const small = { text: "x".repeat(489) };
it.each<[string, () => Promise<string>]>([
  ["script of the queue", () => ws.run("f/t/echo", small)],
  ["script with large values", () => ws.run("f/t/echo", { text: "x".repeat(7800) })],
  [
    "preview",
    async () => (await ws.post("jobs/run/preview", { language: "bun", content: "export const main = () => 1;", args: small })).text,
  ],
])("the estimate of a %s has the write units and messages that the run was counted to use", async (_, start) => {
  await expectCounts(start, async (id) => usedBy([await costOf(id)]));
});

it("the estimate of a flow has its transitions, and with its steps the write units that its run was counted to use", async () => {
  const start = async () => (await ws.post("jobs/run/f/f/t/flow", { text: "x" })).text;
  const stepsOf = async (id: string) => {
    const jobs = (await ws.get("jobs/list", { parent_job: id })).json as { id: string }[];
    expect(jobs).toHaveLength(4);
    return Promise.all(jobs.map((job) => costOf(job.id)));
  };
  const id = await expectCounts(start, async (flow) => usedBy([await costOf(flow), ...(await stepsOf(flow))]));
  const cost = await costOf(id);
  // Two states for each iteration and two more to end the loop, the steps, and the end of the execution.
  expect(quantityOf(cost, "Step Functions state transitions")).toBe(2 * 4 + 4 + 1);
  const steps = (await stepsOf(id)).reduce((sum, { total }) => sum + total, 0);
  expect(cost.children_total).toBeCloseTo(steps, 8);
});

it("the cost of a path is that of its runs which the caller may see", async () => {
  const [script, flow] = await Promise.all(
    ["scripts/get_cost/f/t/echo", "flows/get_cost/f/t/flow"].map(async (route) => (await ws.get(route)).json),
  );
  expect(script).toMatchObject({ estimate: true, currency: "USD", partial: false, region: "us-east-1" });
  const { runs, total, per_run } = flow as { runs: number; total: number; per_run: number };
  expect(runs).toBe(2);
  // Each amount is rounded to 12 digits after the point.
  expect(total).toBeCloseTo(2 * per_run, 10);
  expect(per_run).toBeGreaterThan(0.0001);
  const stranger = (await member(ws, "stranger")).in(ws);
  expect((await stranger.get("flows/get_cost/f/t/flow")).status).toBe(404);
  expect((await ws.get("scripts/get_cost/f/t/absent")).status).toBe(404);
});
