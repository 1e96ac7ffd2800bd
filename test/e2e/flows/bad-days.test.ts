import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { flow, runFlow, saveFlow } from "../../support/flows/flow.ts";
import { startWitness } from "../../support/jobs/witness.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});
const { step, fail, each, one, all } = flow;
const nested = (id: string, path: string, args: Record<string, string> = {}) => ({
  id,
  value: {
    type: "flow",
    path,
    input_transforms: Object.fromEntries(Object.entries(args).map(([name, expr]) => [name, { type: "javascript", expr }])),
  },
});
const error = (name: string, step_id: string, message: unknown) => ({ error: expect.objectContaining({ name, step_id, message }) });
/** Jobs below a flow that have not ended. */
const running = async (id: unknown) =>
  ((await ws.get("jobs/list", { parent_job: String(id) })).json as { type: string }[]).filter(({ type }) => type !== "CompletedJob");

describe.concurrent("endless expressions", () => {
  const endless = "(() => { for (;;) {} })()";
  const said = (id: string) => error("ExpressionError", id, `${endless}: it took longer than 500 ms.`);
  it.each<[string, object]>([
    ["in an argument", step("a", endless)],
    ["in a condition to skip", step("a", "1", { skip_if: { expr: endless } })],
    ["in a condition to stop", step("a", "1", { stop_after_if: { expr: endless } })],
    ["in what is iterated over", each("a", endless, [step("x", "1")])],
    ["in a branch's condition", one("a", [[endless, [step("x", "1")]]])],
  ])("%s", async (_title, module) => {
    expect(await runFlow(ws, { modules: [module, step("z", "1")] })).toMatchObject({ success: false, result: said("a") });
  });
});

describe.concurrent("failures of flows", () => {
  it("a step with arguments above the limit fails and is not called", async () => {
    const job = await runFlow(ws, [step("a", "'x'.repeat(5_000_000)")]);
    expect(job).toMatchObject({
      success: false,
      result: error("ArgumentsTooLarge", "a", "The arguments of the step a are larger than 4 MB."),
    });
    expect((await ws.get("jobs/list", { parent_job: String(job["id"]) })).json).toEqual([]);
  });

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
      await witness.heard("begun");
      expectStatus(await ws.post(`scripts/delete/h/${hash}`, {}), 200);
      expect(await ws.completed(id)).toMatchObject({
        success: false,
        result: error("NotFound", "b", `There is no script version ${hash}.`),
      });
    } finally {
      await witness.close();
    }
  });

  it("a flow with a failing branch or iteration fails after the parallel ones have ended", async () => {
    const slow = (id: string) => flow.script(id, "export const main = async () => { await Bun.sleep(1500); return 'slow'; };", {}, {});
    const branches = await runFlow(ws, [all("b", [[fail("x")], [slow("y"), step("y2", "results.y")]], { parallel: true }), step("z", "1")]);
    expect(branches).toMatchObject({ success: false, result: [error("TypeError", "x", "no"), "slow"] });
    expect(await running(branches["id"])).toEqual([]);
    const body = [flow.failIf("f", "flow_input.iter.index === 0"), slow("s")];
    const iterations = await runFlow(ws, [each("l", "[0, 1]", body, { parallel: true })]);
    expect(iterations).toMatchObject({ success: false, result: [error("TypeError", "f", "bad"), "slow"] });
    expect(await running(iterations["id"])).toEqual([]);
  });
});

describe("recursive flows", () => {
  it("a recursive flow fails at a depth of 20 with a sentence that names the step, and all its runs end", async () => {
    await saveFlow(ws, "f/t/itself", [nested("again", "f/t/itself", { depth: "(flow_input.depth ?? 0) + 1" })]);
    const job = await ws.completed(expectStatus(await ws.post("jobs/run/f/f/t/itself", {}), 201).text, 120_000);
    const message = "Flows can be nested at most 20 levels deep, so the step again did not start f/t/itself.";
    expect(job).toMatchObject({ success: false, result: error("TooDeep", "again", message) });
    const all = (await ws.get("jobs/list", { script_path_exact: "f/t/itself", job_kinds: "flow", per_page: 100 })).json;
    const jobs = all as { type: string; success: boolean }[];
    expect(jobs.map(({ type, success }) => [type, success])).toEqual(Array(21).fill(["CompletedJob", false]));
  }, 180_000);
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
        if (tag === "well") await witness.heard("well");
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
