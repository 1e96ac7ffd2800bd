import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { member, type Someone, someone } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { consent, runOf, sees, startRun, waiting } from "../../support/approvals/approvals.ts";
import { flow, saveFlow } from "../../support/flows/flow.ts";

let ws: Workspace;
let ann: Someone;
let bob: Someone;
beforeAll(async () => {
  ws = await newWorkspace();
  [ann, bob] = await Promise.all([member(ws, "ann"), member(ws, "bob")]);
});

const decide = (who: Someone | Workspace, run: string, decision: string, more: object = {}) =>
  ("in" in who ? who.in(ws) : who).api.post(`v1/runs/${run}/consent`, { decision, ...more });
const gated = (approvers: string[], value: object = {}, more: object = {}) => [
  flow.step("a", "({ amount: 120 })"),
  consent("gate", approvers, value, more),
  sees(),
];

describe.concurrent("ConsentGates", () => {
  it("the run awaits approval and continues when an approver approves", async () => {
    const run = await startRun(ws, gated([`u/${ann.username}`]), { who: "you" });
    await waiting(ws, run);
    expect((await ws.get(`jobs_u/get/${run}`)).json).toMatchObject({
      state: "awaiting_approval",
      flow_status: { modules: [{ type: "Success" }, { id: "gate", type: "WaitingForEvents", count: 1 }, { type: "WaitingForPriorSteps" }] },
    });
    expect(await runOf(ws, run)).toMatchObject({
      state: "awaiting_approval",
      gates: [{ module_id: "gate", kind: "consent", approvers: [`u/${ann.username}`] }],
      context: { who: "you", a: { amount: 120 } },
    });
    const answer = expectStatus(await decide(ann, run, "approved", { reason: "fine" }), 200).json;
    expect(answer).toEqual({ run_id: run, state: "running", decision: "approved", approver: ann.username, reason: "fine" });
    expect(await ws.completed(run)).toMatchObject({
      success: true,
      result: { approvers: [ann.username], previous: { approved: true, approver: ann.username, reason: "fine" } },
    });
  });

  it("a rejection fails the run, with the reason in its context", async () => {
    const run = await startRun(ws, gated([`u/${ann.username}`]));
    await waiting(ws, run);
    expect(expectStatus(await decide(ann, run, "rejected", { reason: "too much" }), 200).json).toMatchObject({
      state: "failed",
      reason: "too much",
    });
    expect(await ws.completed(run)).toMatchObject({
      success: false,
      canceled: false,
      result: { error: { name: "ConsentRejected", reason: "too much" } },
    });
    expect(await runOf(ws, run)).toMatchObject({ state: "failed", context: { rejection_reason: "too much" } });
  });

  it("a gate rejects after its timeout", async () => {
    const run = await startRun(ws, gated([`u/${ann.username}`], { timeout: 1 }));
    expect(await ws.completed(run)).toMatchObject({
      success: false,
      canceled: false,
      result: { error: { name: "ConsentRejected", reason: "timeout" } },
    });
    expect(await runOf(ws, run)).toMatchObject({ state: "failed", context: { rejection_reason: "timeout" } });
  });

  it("a gate with continue_on_error continues after a rejection with the error", async () => {
    const run = await startRun(ws, gated([`u/${ann.username}`], {}, { continue_on_error: true }));
    await waiting(ws, run);
    expect((await decide(ann, run, "rejected", { reason: "no" })).json).toMatchObject({ state: "running" });
    expect(await ws.completed(run)).toMatchObject({
      success: true,
      result: { resume: { error: { name: "ConsentRejected" } }, previous: { approved: false, reason: "no" } },
    });
  });

  it("only the two decisions and valid bodies are accepted", async () => {
    const run = await startRun(ws, gated([`u/${ann.username}`]));
    await waiting(ws, run);
    const other = await decide(ann, run, "maybe");
    expect([other.status, other.text]).toEqual([422, expect.stringMatching(/approved.*rejected/)]);
    expect((await ann.api.call("POST", `v1/runs/${run}/consent`, { body: "{" })).status).toBe(400);
    expect((await ann.api.call("POST", `v1/runs/${run}/consent`, { body: { decision: "approved" }, token: "" })).status).toBe(401);
    expect((await runOf(ws, run)).state).toBe("awaiting_approval");
  });

  it("a gate admits groups, roles and addresses, and no other approver", async () => {
    const eve = await someone("eve");
    expectStatus(await ws.post("groups/create", { name: `g${ann.username}`, summary: "" }), 201);
    expectStatus(await ws.post(`groups/adduser/g${ann.username}`, { username: ann.username }), 200);
    const rows: [string, Someone | Workspace][] = [
      [`g/g${ann.username}`, ann],
      ["role:admin", ws],
      [eve.email, eve],
    ];
    for (const [approver, who] of rows) {
      const run = await startRun(ws, gated([approver]));
      await waiting(ws, run);
      expect([approver, (await decide(bob, run, "approved")).status]).toEqual([approver, 404]);
      expect([approver, (await decide(who, run, "approved")).status]).toEqual([approver, 200]);
      expect(await ws.completed(run)).toMatchObject({ success: true });
    }
  });

  it("a job's token does not count, even that of an approver", async () => {
    const script = `export async function main(run: string) {
      const { BASE_INTERNAL_URL: base, WM_TOKEN: token } = process.env;
      const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
      const answer = await fetch(base + "/api/v1/runs/" + run + "/consent", { method: "POST", headers, body: '{"decision":"approved"}' });
      return [answer.status, await answer.text()];
    }`;
    await ws.saveScript({ path: "f/t/consents", language: "bun", content: script });
    const run = await startRun(ws, gated(["role:admin"]));
    await waiting(ws, run);
    expect((await ws.runWait("f/t/consents", { run })).json).toEqual([403, expect.stringContaining("a person must")]);
    expect((await runOf(ws, run)).state).toBe("awaiting_approval");
  });

  it("a decision for a run that does not wait, or has ended, is rejected with the reason", async () => {
    const done = await startRun(ws, [flow.step("a", "1")]);
    await ws.completed(done);
    expect((await decide(ws, done, "approved")).status).toBe(409);
    const run = await startRun(ws, gated(["role:admin"]));
    await waiting(ws, run);
    expectStatus(await decide(ws, run, "approved"), 200);
    const late = await decide(ws, run, "rejected");
    expect([late.status, late.text]).toEqual([409, expect.stringContaining("approved by")]);
    expect((await decide(ws, randomUUID(), "approved")).status).toBe(404);
  });

  it("the message is filled in, and unknown references remain", async () => {
    const message =
      "{{ workflow.name }} by {{ run.triggered_by }}: {{ context.a }} for {{context.who}}, {{ context.nothing }} {{ constructor.name }} $(x)";
    await saveFlow(ws, "f/t/message", gated(["role:admin"], { message }));
    const run = expectStatus(await ws.post("jobs/run/f/f/t/message", { who: "<b>" }), 201).text;
    const [gate] = await waiting(ws, run);
    const by = ((await ws.get(`jobs_u/get/${run}`)).json as { created_by: string }).created_by;
    expect(gate?.["message"]).toBe(`f/t/message by ${by}: {"amount":120} for <b>, {{ context.nothing }} {{ constructor.name }} $(x)`);
  });

  it("a decision must name its gate if several gates of a run wait", async () => {
    const branches = ["x", "y"].map((id) => [consent(id, ["role:admin"])]);
    const run = await startRun(ws, [flow.all("all", branches, { parallel: true })]);
    await waiting(ws, run, 2);
    const several = await decide(ws, run, "approved");
    expect([several.status, several.text]).toEqual([409, expect.stringMatching(/x.*y|y.*x/)]);
    expectStatus(await decide(ws, run, "approved", { gate: "y" }), 200);
    expectStatus(await decide(ws, run, "approved"), 200);
    expect(await ws.completed(run)).toMatchObject({ success: true });
  });

  it("the list contains the requests that a caller may decide, and no ended ones", async () => {
    const [mine, others, over] = await Promise.all([
      startRun(ws, gated([`u/${bob.username}`])),
      startRun(ws, gated([`u/${ann.username}`])),
      startRun(ws, gated([`u/${bob.username}`])),
    ]);
    await Promise.all([mine, others, over].map((run) => waiting(ws, run)));
    expectStatus(await ws.post(`jobs_u/queue/cancel/${over}`, {}), 200);
    const listed = async () => ((await bob.in(ws).get("approvals/pending")).json as { run_id: string }[]).map(({ run_id }) => run_id);
    const found = await listed();
    expect(found).toContain(mine);
    expect(found).not.toContain(others);
    expect(found).not.toContain(over);
    expectStatus(await decide(bob, mine, "approved"), 200);
    expect(await listed()).not.toContain(mine);
  });
});
