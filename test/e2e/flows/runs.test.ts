import { beforeAll, describe, expect, it } from "vitest";
import { eventsOf, streamOf } from "../../support/api/events.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { flow, runFlow, saveFlow } from "../../support/flows/flow.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const { step } = flow;

describe("a synchronous call of a flow", () => {
  it("with early_return returns the result of that step, while the flow continues to its own result", async () => {
    const slow = flow.script("b", "export const main = async () => { await Bun.sleep(4000); return 'all'; };", {}, {});
    await saveFlow(ws, "f/t/early", { modules: [step("a", "'early'"), slow], early_return: "a" });
    const answer = expectStatus(await ws.post("jobs/run_wait_result/f/f/t/early", {}), 200);
    expect(answer.json).toBe("early");
    const id = answer.headers.get("x-svc-job-id") ?? "";
    expect((await ws.get(`jobs_u/get/${id}`)).json).toMatchObject({ type: "QueuedJob", running: true });
    expect(await ws.completed(id)).toMatchObject({ result: "all" });
  });
});

describe("a stream of a flow", () => {
  it("contains the values that its last step yields, immediately, and ends with the result", async () => {
    const last = flow.script(
      "b",
      'export async function* main(n: number) { for (let i = 0; i < n; i++) { yield "piece " + i + " "; await Bun.sleep(300); } }',
      { n: "results.a" },
      {},
    );
    await saveFlow(ws, "f/t/stream", [step("a", "3"), last]);
    const found = await eventsOf(ws, "jobs/run_and_stream/f/f/t/stream", { method: "POST", body: {} });
    expect(streamOf(found)).toBe("piece 0 piece 1 piece 2 ");
    expect(found.length).toBeGreaterThan(2);
    expect(found.at(-1)?.data).toMatchObject({ completed: true });
  });
});

describe("time limits", () => {
  it("of a step kill it and fail it", async () => {
    const slow = flow.script(
      "a",
      "export const main = async () => { await Bun.sleep(60_000); };",
      {},
      { timeout: { type: "static", value: 1 } },
    );
    const job = await runFlow(ws, [slow]);
    expect(job["result"]).toMatchObject({ error: { name: "TimeoutError", step_id: "a" } });
  });
});
