import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectStatus, type Workspace } from "../../../test/support/api/workspace.ts";
import { flow, runFlow, saveFlow } from "../../../test/support/flows/flow.ts";
import { type Service, startService } from "../../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
});
afterAll(() => service.close());

const { step, fail } = flow;

describe("a synchronous call of a flow", () => {
  it("that fails is answered with the error, and the id of the step", async () => {
    await saveFlow(ws, "f/t/fails", [step("a", "1"), fail("b")]);
    const answer = expectStatus(await ws.post("jobs/run_wait_result/f/f/t/fails", {}), 200);
    expect(answer.json).toMatchObject({ error: { message: "no", step_id: "b" } });
    expect(answer.headers.get("x-svc-job-state")).toBe("failed");
  });

  it("of the same Idempotency-Key runs once", async () => {
    await saveFlow(ws, "f/t/once", [step("a", "Math.random()")]);
    const call = () => ws.call("POST", "jobs/run_wait_result/f/f/t/once", { body: {}, headers: { "idempotency-key": "k1" } });
    const [first, second] = await Promise.all([call(), call()]);
    expect(first.json).toBe(second.json);
    expect(first.headers.get("x-svc-job-id")).toBe(second.headers.get("x-svc-job-id"));
  });
});

describe("a flow's preprocessor", () => {
  const preprocessor = {
    id: "preprocessor",
    value: {
      type: "rawscript",
      language: "bun",
      content: `export function preprocessor(event: any) {
        if (typeof event.body !== "object") throw new TypeError("no object");
        return { kind: event.kind, sum: event.body.a + event.body.b };
      }`,
      input_transforms: {},
    },
  };
  it("computes the input of a run unless the caller skips it", async () => {
    await saveFlow(ws, "f/t/pre", { modules: [step("a", "flow_input")], preprocessor_module: preprocessor });
    const run = async (query: Record<string, string> = {}) =>
      ws.completed(expectStatus(await ws.post("jobs/run/f/f/t/pre", { a: 1, b: 2 }, query), 201).text);
    expect(await run()).toMatchObject({ result: { kind: "webhook", sum: 3 }, args: { kind: "webhook", sum: 3 }, preprocessed: true });
    expect(await run({ skip_preprocessor: "true" })).toMatchObject({ result: { a: 1, b: 2 } });
  });

  it("that fails fails the flow", async () => {
    await saveFlow(ws, "f/t/pre_fails", { modules: [step("a", "1")], preprocessor_module: preprocessor });
    const id = expectStatus(await ws.post("jobs/run/f/f/t/pre_fails", "no json"), 201).text;
    expect(await ws.completed(id)).toMatchObject({ success: false, result: { error: { step_id: "preprocessor" } } });
  });
});

describe("cache_ttl of a step", () => {
  it("gives equal arguments the same result without running, in a later run too", async () => {
    const modules = [flow.script("a", "export const main = (x: number) => [x, Math.random()];", { x: "flow_input.x" }, { cache_ttl: 600 })];
    await saveFlow(ws, "f/t/cached", modules);
    const run = async (x: number) => (await ws.post("jobs/run_wait_result/f/f/t/cached", { x })).json;
    const first = await run(1);
    expect(await run(1)).toEqual(first);
    expect(await run(2)).not.toEqual(first);
  });
});

describe("a flow's job", () => {
  it("that was erased, or whose flow was deleted, is still shown as a run of a flow", async () => {
    const preview = await runFlow(ws, [step("a", "'topsecret'")]);
    expectStatus(await ws.post(`jobs/completed/delete/${String(preview["id"])}`, {}), 200);
    const erased = await ws.completed(String(preview["id"]));
    expect(erased).toMatchObject({ deleted: true, flow_status: { modules: [] } });
    expect(JSON.stringify(erased)).not.toContain("topsecret");
    await saveFlow(ws, "f/t/goes", [step("a", "1")]);
    const id = expectStatus(await ws.post("jobs/run/f/f/t/goes", {}), 201).text;
    await ws.completed(id);
    expectStatus(await ws.call("DELETE", "flows/delete/f/t/goes"), 200);
    expect(await ws.completed(id)).toMatchObject({ result: 1, flow_status: expect.any(Object) });
  });

  it("passes its id and path to the environment of its steps", async () => {
    const tells = flow.script(
      "a",
      "export const main = () => [process.env.OV_FLOW_JOB_ID, process.env.OV_ROOT_FLOW_JOB_ID, process.env.OV_FLOW_STEP_ID];",
      {},
      {},
    );
    const job = await runFlow(ws, [tells]);
    expect(job["result"]).toEqual([job["id"], job["id"], "a"]);
    const steps = { parent_job: String(job["id"]), is_flow_step: "true" };
    expect((await ws.get("jobs/list", steps)).json).toHaveLength(1);
    expect((await ws.get("jobs/list", { ...steps, is_flow_step: "false" })).json).toEqual([]);
  });
});

describe("references in a flow", () => {
  it("are resolved where a step gets them, and hidden in what people read", async () => {
    const secret = { path: "f/t/key", value: "planted-flow-secret", is_secret: true, description: "" };
    expectStatus(await ws.post("variables/create", secret), 201);
    const secretStep = {
      id: "a",
      value: {
        type: "rawscript",
        language: "bun",
        content: "export const main = (key: string) => { console.log(key); return { key, length: key.length }; };",
        input_transforms: { key: { type: "static", value: "$var:f/t/key" } },
      },
    };
    const job = await runFlow(ws, [secretStep, step("b", "[results.a.length]"), flow.identity("c"), step("d", "results.a")]);
    expect(JSON.stringify(job)).not.toContain("planted-flow-secret");
    const steps = (await ws.get("jobs/list", { parent_job: String(job["id"]) })).json as { id: string }[];
    const first = await ws.completed(steps.at(-1)?.id ?? "");
    expect(JSON.stringify(first)).not.toContain("planted-flow-secret");
    const loop = await runFlow(ws, [flow.each("l", "[1, 2]", [secretStep]), step("b", "results.l[1].length")]);
    expect(loop["result"]).toBe(19);
    const shown = await runFlow(ws, [flow.each("l", "[1, 2]", [secretStep])]);
    expect(JSON.stringify(shown)).not.toContain("planted-flow-secret");
    expect((shown["result"] as { length: number }[]).map(({ length }) => length)).toEqual([19, 19]);
  });
});
