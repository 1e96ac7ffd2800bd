import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { flow, saveFlow } from "../../support/flows/flow.ts";
import { startWitness } from "../../support/jobs/witness.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});
const error = (name: string, step_id: string, message: unknown) => ({ error: expect.objectContaining({ name, step_id, message }) });

describe.concurrent("failures of flows", () => {
  it("a step whose script version was deleted during the flow fails", async () => {
    const hash = await ws.saveScript({ path: "f/t/gone", language: "bash", content: "echo here" });
    const witness = await startWitness();
    try {
      const slow = flow.script(
        "a",
        "export const main = async (url: string) => { await fetch(url + '/begun'); await Bun.sleep(1500); };",
        { url: "flow_input.url" },
        {},
      );
      const script = { id: "b", value: { type: "script", path: "f/t/gone", hash, input_transforms: {} } };
      const id = expectStatus(
        await ws.post("jobs/run/preview_flow", { value: { modules: [slow, script] }, args: { url: witness.url } }),
        201,
      ).text;
      await witness.waitForReport("begun");
      expectStatus(await ws.post(`scripts/delete/h/${hash}`, {}), 200);
      expect(await ws.completed(id)).toMatchObject({
        success: false,
        result: error("NotFound", "b", `There is no script version ${hash}.`),
      });
    } finally {
      await witness.close();
    }
  });
});

describe("flows with a concurrency limit", () => {
  it("a flow runs up to its limit at once, and the next run starts after the end of one in any state", async () => {
    const witness = await startWitness();
    try {
      const wait = flow.script(
        "a",
        `export const main = async (url: string, tag: string) => {
          await fetch(url + "/" + tag);
          await Bun.sleep(tag === "canceled" ? 60_000 : 700);
          if (tag === "bad") throw new Error("bad");
        };`,
        { url: "flow_input.url", tag: "flow_input.tag" },
        {},
      );
      await saveFlow(ws, "f/t/limited", { modules: [wait, flow.identity("z")], concurrent_limit: 1, concurrency_time_window_s: 0 });
      const ids: string[] = [];
      for (const tag of ["well", "bad", "canceled", "last"]) {
        ids.push(expectStatus(await ws.post("jobs/run/f/f/t/limited", { url: witness.url, tag }), 201).text);
        if (tag === "well") await witness.waitForReport("well");
      }
      await until(() => witness.count("canceled"), { timeoutMs: 60_000, what: "the third run" });
      expect(witness.count("last")).toBe(0);
      expectStatus(await ws.post(`jobs_u/queue/cancel/${ids[2]}`, {}), 200);
      const jobs = await Promise.all(ids.map((id) => ws.completed(id)));
      expect(jobs.map(({ success, canceled }) => [success, canceled])).toEqual([
        [true, false],
        [false, false],
        [false, true],
        [true, false],
      ]);
      const times = jobs.map(({ started_at, completed_at }) => [Date.parse(String(started_at)), Date.parse(String(completed_at))] as const);
      for (const [index, [begun]] of times.entries()) if (index > 0) expect(begun).toBeGreaterThanOrEqual(times[index - 1]?.[1] ?? 0);
    } finally {
      await witness.close();
    }
  });
});
