import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { flowCalls } from "../../support/flows/calls.ts";
import { flow, saveFlow } from "../../support/flows/flow.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const { step } = flow;
const { start, ended, stepsOf } = flowCalls(() => ws);

describe("redriven flows", () => {
  const setMode = async (value: string) => expectStatus(await ws.post("variables/update/f/t/mode", { value }), 200);
  const dice = (id: string, more: object = {}) =>
    flow.script(id, "export const main = (v: unknown) => [v, Math.random()];", { v: "flow_input.iter?.value ?? null" }, more);
  const bad = (id: string, which = "true") =>
    flow.failIf(id, `variable('f/t/mode') === 'bad' && (${which})`, "[flow_input.iter?.value ?? null, Math.random()]");
  const redrive = async (id: unknown) => ws.completed(expectStatus(await ws.post(`jobs/restart/f/${String(id)}`, {}), 201).text);
  beforeAll(async () => {
    const variable = { path: "f/t/mode", value: "bad", is_secret: false, description: "" };
    expectStatus(await ws.post("variables/create", variable), 201);
  });

  it("a redriven flow retains successful results, and runs the failed step and later ones", async () => {
    await setMode("bad");
    await saveFlow(ws, "f/t/fails", [dice("a"), bad("b"), step("c", "[results.a, 'mended']")]);
    const first = await ended("f/t/fails");
    expect(first).toMatchObject({ success: false });
    const [a] = await Promise.all((await stepsOf(first["id"])).map(({ id }) => ws.completed(String(id))));
    await setMode("good");
    const again = await redrive(first["id"]);
    expect(again).toMatchObject({ success: true, result: [a?.["result"], "mended"] });
    expect(await stepsOf(again["id"])).toHaveLength(2);
    expect(await ws.completed(String(first["id"]))).toMatchObject({ success: false });
    const refused = await ws.post(`jobs/restart/f/${String(again["id"])}`, {});
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("has not failed")]);
  });

  it("a redriven loop begins with the failed iteration, and a parallel one runs only failed iterations", async () => {
    await setMode("bad");
    const modules = [flow.each("l", "[1, 2, 3]", [dice("a"), bad("b", "flow_input.iter.index === 1")])];
    await saveFlow(ws, "f/t/fails_in_loop", modules);
    await saveFlow(ws, "f/t/fails_beside", [flow.each("l", "[1, 2, 3]", [bad("b", "flow_input.iter.index === 1")], { parallel: true })]);
    const [one, beside] = await Promise.all([ended("f/t/fails_in_loop"), ended("f/t/fails_beside")]);
    await setMode("good");
    const [again, besideAgain] = await Promise.all([redrive(one["id"]), redrive(beside["id"])]);
    const [before, after] = [one["result"] as unknown[], again["result"] as unknown[][]];
    expect(after[0]).toEqual(before[0]);
    expect(after.map(([value]) => value)).toEqual([1, 2, 3]);
    expect(await stepsOf(again["id"])).toHaveLength(4);
    const [parallelBefore, parallelAfter] = [beside["result"] as unknown[], besideAgain["result"] as unknown[][]];
    expect([parallelAfter[0], parallelAfter[2]]).toEqual([parallelBefore[0], parallelBefore[2]]);
    expect(parallelAfter[1]?.[0]).toBe(2);
    expect(await stepsOf(besideAgain["id"])).toHaveLength(1);
  });

  it("a batch runs flows again, on request with other arguments and in the newest version", async () => {
    await saveFlow(ws, "f/t/batch", [step("a", "['old', flow_input.x]")]);
    const ids = [await start("f/t/batch", { x: 1 }), await start("f/t/batch", { x: 2 })];
    for (const id of ids) await ws.completed(id);
    await saveFlow(ws, "f/t/batch", [step("a", "['new', flow_input.x]")]);
    const rerun = async (options: object) => {
      const body = { job_ids: ids, script_options_by_path: {}, flow_options_by_path: { "f/t/batch": options } };
      const lines = expectStatus(await ws.post("jobs/run/batch_rerun_jobs", body), 201)
        .text.trim()
        .split("\n");
      return Promise.all(lines.map(async (line) => (await ws.completed(line))["result"]));
    };
    expect(await rerun({})).toEqual([
      ["old", 1],
      ["old", 2],
    ]);
    const input_transforms = { x: { type: "javascript", expr: "job.input.x * 10" } };
    expect(await rerun({ use_latest_version: true, input_transforms })).toEqual([
      ["new", 10],
      ["new", 20],
    ]);
  });
});
