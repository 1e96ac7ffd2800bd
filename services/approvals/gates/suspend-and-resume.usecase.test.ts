import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectStatus, type Workspace } from "../../../test/support/api/workspace.ts";
import {
  asks,
  consent,
  type Gate,
  runOf,
  sees,
  startRun,
  urls,
  visitBy,
  waiting,
  waitingIn,
} from "../../../test/support/approvals/approvals.ts";
import { flow, saveFlow } from "../../../test/support/flows/flow.ts";
import { type Service, startService } from "../../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people", "approve"]);
  ws = service.ws;
});
afterAll(() => service.close());

const visit = visitBy((request) => service.answer(request));
const disapproved = (by = "kim") => ({ error: { name: "SuspendedDisapproved", message: `Disapproved by ${by}` } });

async function approve(gate: Gate | undefined, body: unknown = {}, query: Record<string, string> = { approver: "kim" }): Promise<void> {
  const { resume } = await urls(ws, gate?.gate_id ?? "", query);
  expect(await visit(resume, { body })).toMatchObject({ status: 201 });
}

async function reject(gate: Gate | undefined, body: unknown = {}, query: Record<string, string> = { approver: "kim" }): Promise<void> {
  const { cancel } = await urls(ws, gate?.gate_id ?? "", query);
  expect(await visit(cancel, { body })).toMatchObject({ status: 201 });
}

describe.concurrent("suspend and resume", () => {
  it("a step with required_events 0 does not wait", async () => {
    const run = await startRun(ws, [asks("ask", { required_events: 0 }), sees()]);
    expect(await ws.completed(run)).toMatchObject({
      success: true,
      result: { resume: null, resumes: [], approvers: [], previous: "asked" },
    });
  });

  it("a repeated resume_id counts once", async () => {
    const run = await startRun(ws, [asks("ask", { required_events: 2 }), sees()]);
    const [gate] = await waiting(ws, run);
    const { resume } = await urls(ws, gate?.gate_id ?? "", {}, 7);
    expect(await visit(resume, { body: { n: 1 } })).toMatchObject({ status: 201, text: expect.stringContaining("1 of 2 required") });
    expect(await visit(resume, { body: { n: 1 } })).toMatchObject({ status: 201, text: expect.stringContaining("1 of 2 required") });
    expect(await visit(resume, { body: { n: 2 } })).toMatchObject({ status: 409 });
    await approve(gate, { n: 3 });
    expect(await ws.completed(run)).toMatchObject({ result: { resumes: [{ n: 1 }, { n: 3 }] } });
  });

  it("resume is null, and resumes and approvers are empty, without an approval step before", async () => {
    const run = await startRun(ws, [asks("ask"), flow.step("between", "1"), sees()]);
    await approve((await waiting(ws, run))[0]);
    expect(await ws.completed(run)).toMatchObject({ result: { resume: null, resumes: [], approvers: [], previous: 1 } });
  });

  it("each approval step starts without approvals", async () => {
    const run = await startRun(ws, [asks("one"), asks("two"), sees()]);
    await approve((await waiting(ws, run))[0], { first: true }, { approver: "a" });
    const second = await waiting(ws, run);
    expect(second.map(({ module_id }) => module_id)).toEqual(["two"]);
    await approve(second[0], { second: true }, { approver: "b" });
    expect(await ws.completed(run)).toMatchObject({ result: { resumes: [{ second: true }], approvers: ["b"] } });
  });

  it("a flow continues after a rejection with continue_on_error, with the error and the earlier approvals", async () => {
    const run = await startRun(ws, [asks("ask", { required_events: 2 }, "'asked'", { continue_on_error: true }), sees()]);
    const [gate] = await waiting(ws, run);
    await approve(gate, { n: 1 }, { approver: "a" });
    await reject(gate, { why: "no" });
    expect(await ws.completed(run)).toMatchObject({
      success: true,
      result: { resume: disapproved(), resumes: [{ n: 1 }, { why: "no" }, disapproved()], approvers: ["a"], previous: "asked" },
    });
  });

  it("a rejection without a name is by unknown", async () => {
    const run = await startRun(ws, [asks("ask"), sees()]);
    await reject((await waiting(ws, run))[0], {}, {});
    expect(await ws.completed(run)).toMatchObject({ success: false, canceled: false, result: disapproved("unknown") });
  });

  it("the failure module runs with the error of a rejection", async () => {
    const value = { modules: [asks("ask"), sees()], failure_module: flow.step("failure", "({ handled: previous_result.error.name })") };
    const run = await startRun(ws, value);
    await reject((await waiting(ws, run))[0]);
    expect(await ws.completed(run)).toMatchObject({ success: false, result: { handled: "SuspendedDisapproved" } });
  });

  it("an approval step whose script fails requests no approval, and with continue_on_error the next step sees the error", async () => {
    const run = await startRun(ws, [
      flow.fail("ask", "'no'", { suspend: { required_events: 1 }, continue_on_error: true }),
      flow.step("after", "({ approvers, name: error.name })"),
    ]);
    expect(await ws.completed(run)).toMatchObject({ success: true, result: { approvers: [], name: "TypeError" } });
  });

  it("skip_if and mock skip the request too, and stop_after_if stops before it", async () => {
    const cases = [
      [asks("ask", {}, "1", { skip_if: { expr: "true" } }), flow.step("b", "'went on'")],
      [asks("ask", {}, "1", { mock: { enabled: true, return_value: 5 } }), flow.step("b", "'went on'")],
    ];
    for (const modules of cases)
      expect(await ws.completed(await startRun(ws, modules))).toMatchObject({ success: true, result: "went on" });
    const stops = [asks("ask", {}, "1", { stop_after_if: { expr: "result === 1" } }), flow.step("b", "'went on'")];
    expect(await ws.completed(await startRun(ws, stops))).toMatchObject({ success: true, result: 1 });
  });

  it("iterator and branch expressions see the payload of the approval", async () => {
    const loop = await startRun(ws, [asks("ask"), flow.each("l", "resume.list", [flow.step("x", "flow_input.iter.value * 2")])]);
    await approve((await waiting(ws, loop))[0], { list: [1, 2] });
    expect(await ws.completed(loop)).toMatchObject({ result: [2, 4] });
    const branch = await startRun(ws, [asks("ask"), flow.one("b", [["approvers.includes('kim')", [flow.step("x", "'kim said yes'")]]])]);
    await approve((await waiting(ws, branch))[0]);
    expect(await ws.completed(branch)).toMatchObject({ result: "kim said yes" });
  });

  it("the sleep follows the approval", async () => {
    const run = await startRun(ws, [asks("ask", {}, "1", { sleep: { type: "static", value: 1 } }), sees()]);
    await approve((await waiting(ws, run))[0], { n: 1 });
    expect(await ws.completed(run)).toMatchObject({ success: true, result: { resumes: [{ n: 1 }] } });
  });

  it("a waiting run that is canceled is canceled, and its links return that", async () => {
    const run = await startRun(ws, [asks("ask"), sees()]);
    const [gate] = await waiting(ws, run);
    const { resume } = await urls(ws, gate?.gate_id ?? "");
    expectStatus(await ws.post(`jobs_u/queue/cancel/${run}`, { reason: "changed my mind" }), 200);
    expect(await ws.completed(run)).toMatchObject({ canceled: true, result: { error: { name: "Canceled" } } });
    expect(await visit(resume)).toMatchObject({ status: 409, text: expect.stringContaining("canceled") });
  });
});

describe.concurrent("nested gates", () => {
  it("a loop waits in each iteration", async () => {
    const run = await startRun(ws, [
      flow.each("l", "[1, 2]", [asks("ask", {}, "flow_input.iter.value"), flow.step("x", "resume.by + previous_result")]),
    ]);
    await approve((await waiting(ws, run))[0], { by: 10 });
    await approve((await waiting(ws, run))[0], { by: 20 });
    expect(await ws.completed(run)).toMatchObject({ result: [11, 22] });
  });

  it("parallel branches wait at the same time and continue separately", async () => {
    const branches = ["a", "b"].map((id) => [asks(`ask_${id}`), flow.step(`after_${id}`, "resume.v")]);
    const run = await startRun(ws, [flow.all("all", branches, { parallel: true })]);
    const gates = await waiting(ws, run, 2);
    const of = (id: string) => gates.find(({ module_id }) => module_id === id);
    expect((await ws.get(`jobs_u/get/${run}`)).json).toMatchObject({ suspend: 2, state: "suspended" });
    await approve(of("ask_b"), { v: "B" });
    await approve(of("ask_a"), { v: "A" });
    expect(await ws.completed(run)).toMatchObject({ result: ["A", "B"] });
  });

  it("a nested flow waits, and the run shows it", async () => {
    await saveFlow(ws, "f/t/asking", [asks("ask"), sees()]);
    const run = await startRun(ws, [
      { id: "inner", value: { type: "flow", path: "f/t/asking" } },
      flow.step("x", "previous_result.resume"),
    ]);
    const gates = await waiting(ws, run);
    expect(await runOf(ws, run)).toMatchObject({ state: "suspended" });
    await approve(gates[0], { ok: 1 });
    expect(await ws.completed(run)).toMatchObject({ result: { ok: 1 } });
  });

  it("any kind of module may request approval: a loop, a branch, an identity, a nested flow", async () => {
    await saveFlow(ws, "f/t/plain", [flow.step("a", "'nested'")]);
    const suspend = { suspend: { required_events: 1 } };
    const modules = [
      flow.each("loop", "[1]", [flow.step("x", "1")], {}, suspend),
      flow.identity("same", suspend),
      { id: "nested", value: { type: "flow", path: "f/t/plain" }, ...suspend },
      sees(),
    ];
    const run = await startRun(ws, modules);
    for (const module of ["loop", "same", "nested"]) {
      const [gate] = await waiting(ws, run);
      expect(gate?.module_id).toBe(module);
      await approve(gate, { module });
    }
    expect(await ws.completed(run)).toMatchObject({ result: { resume: { module: "nested" }, previous: "nested" } });
  });
});

describe.concurrent("early approvals", () => {
  it("a flow-level approval before any request is consumed by the next one", async () => {
    const run = await startRun(ws, [asks("first", {}, "1"), asks("second"), sees()]);
    await waiting(ws, run);
    const before = await urls(ws, run, { flow_level: true, approver: "owner" });
    expect(before.resume).toContain(`/jobs_u/resume/${run}/`);
    // The first request is its own, so it waits. The second one requests its own approval.
    expect(await visit(before.resume, { body: { flow: 1 } })).toMatchObject({ status: 201 });
    const [second] = await waiting(ws, run);
    expect(second?.module_id).toBe("second");
    expect(await visit(before.resume, { body: { flow: 1 } })).toMatchObject({ status: 409 });
    await approve(second, { step: 2 });
    expect(await ws.completed(run)).toMatchObject({ result: { resumes: [{ step: 2 }] } });
  });

  /** Blocks a flow until its release, so that decisions in between do not belong to this gate. */
  const holding = consent("hold", ["role:admin"]);
  const letGo = async (run: string) => expectStatus(await ws.api.post(`v1/runs/${run}/consent`, { decision: "approved" }), 200);

  it("a stored approval counts for one of two gates", async () => {
    const run = await startRun(ws, [holding, asks("one"), asks("two"), sees()]);
    await waiting(ws, run);
    const { resume } = await urls(ws, run, { flow_level: true });
    expect(await visit(resume, { body: { stored: true } })).toMatchObject({ status: 201 });
    expect(await visit(resume, { body: { stored: true } })).toMatchObject({ status: 201 });
    await letGo(run);
    // The first gate is open for a moment, until the stored event is moved to it.
    const two = await waitingIn(ws, run, "two");
    expect((await runOf(ws, run)).gates[1]).toMatchObject({ module_id: "one", decision: { how: "approved" } });
    await approve(two, { last: true });
    expect(await ws.completed(run)).toMatchObject({ result: { resumes: [{ last: true }] } });
  });

  it("a flow-level rejection applies to the next request", async () => {
    const run = await startRun(ws, [holding, asks("ask"), sees()]);
    await waiting(ws, run);
    const { cancel } = await urls(ws, run, { flow_level: true, approver: "kim" });
    expect(await visit(cancel)).toMatchObject({ status: 201 });
    await letGo(run);
    expect(await ws.completed(run)).toMatchObject({ success: false, result: disapproved() });
  });
});
