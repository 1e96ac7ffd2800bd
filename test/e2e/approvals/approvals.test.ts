import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, runOf, sees, startRun, urls, visit, waiting } from "../../support/approvals/approvals.ts";
import { flow } from "../../support/flows/flow.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

describe.concurrent("steps with approvals", () => {
  it("the flow waits before the next module, which sees the payloads and the approvers", async () => {
    const run = await startRun(ws, [asks("ask"), sees()]);
    const [gate] = await waiting(ws, run);
    const status = (await ws.get(`jobs_u/get/${run}`)).json as { flow_status: { modules: object[] } };
    expect(status).toMatchObject({ suspend: 1, state: "suspended", running: true });
    expect(status.flow_status.modules).toMatchObject([
      { id: "ask", type: "Success", job: gate?.gate_id },
      { id: "after", type: "WaitingForEvents", count: 1, job: gate?.gate_id },
    ]);
    expect((await runOf(ws, run)).state).toBe("suspended");

    const { resume } = await urls(ws, gate?.gate_id ?? "", { approver: "kim" });
    expect(await visit(resume, { body: { ok: true } })).toMatchObject({ status: 201 });
    expect(await ws.completed(run)).toMatchObject({
      success: true,
      result: { resume: { ok: true }, resumes: [{ ok: true }], approvers: ["kim"], previous: "asked" },
    });
  });

  it("the owner reads one link for each required approval on the run as soon as the gate opens", async () => {
    const run = await startRun(ws, [asks("ask", { required_events: 3 }), sees()]);
    const [gate] = await waiting(ws, run);
    const { resume = [], cancel = "" } = gate?.links ?? {};
    expect([new Set(resume).size, cancel.includes("/jobs_u/cancel/")]).toEqual([3, true]);
    for (const [n, url] of resume.entries()) expect(await visit(url, { body: { n } })).toMatchObject({ status: 201 });
    expect(await ws.completed(run)).toMatchObject({ result: { resumes: [{ n: 0 }, { n: 1 }, { n: 2 }] } });
    expect((await runOf(ws, run)).gates[0]).not.toHaveProperty("links");
    const reads = expectStatus(await ws.api.post("users/tokens/create", { scopes: ["approvals:read"] }), 201).text;
    const other = await startRun(ws, [asks("ask"), sees()]);
    await waiting(ws, other);
    const seen = expectStatus(await ws.api.call("GET", `v1/runs/${other}`, { token: reads }), 200).json as { gates: object[] };
    expect(seen.gates[0]).not.toHaveProperty("links");
  });

  it("a rejection fails the flow", async () => {
    const run = await startRun(ws, [asks("ask"), sees()]);
    const [gate] = await waiting(ws, run);
    const { cancel } = await urls(ws, gate?.gate_id ?? "", { approver: "kim" });
    expect(await visit(cancel)).toMatchObject({ status: 201 });
    expect(await ws.completed(run)).toMatchObject({
      success: false,
      canceled: false,
      result: { error: { name: "SuspendedDisapproved", message: "Disapproved by kim" } },
    });
  });

  it("a gate without a decision in time cancels the flow", async () => {
    const run = await startRun(ws, [asks("ask", { timeout: 1 }), sees()]);
    expect(await ws.completed(run)).toMatchObject({
      success: false,
      canceled: true,
      result: { error: { name: "SuspendedTimedOut", message: "Timed out waiting to be resumed" } },
    });
  });

  it("a gate after the last module waits too, and the result of that module is the flow's", async () => {
    const run = await startRun(ws, [flow.step("a", "1"), asks("ask")]);
    const [gate] = await waiting(ws, run);
    const { resume } = await urls(ws, gate?.gate_id ?? "");
    expect(await visit(resume)).toMatchObject({ status: 201 });
    expect(await ws.completed(run)).toMatchObject({ success: true, result: "asked" });
  });
});
