import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { member, type Someone, someone } from "../../../test/support/api/people.ts";
import { expectStatus, type Workspace } from "../../../test/support/api/workspace.ts";
import { asks, runOf, sees, startRun, urls, visitBy, waiting } from "../../../test/support/approvals/approvals.ts";
import { flow, saveFlow } from "../../../test/support/flows/flow.ts";
import { type Service, startService } from "../../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
let ann: Someone;
let bob: Someone;
let cleo: Someone;
let eve: Someone;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people", "approve"]);
  ws = service.ws;
  [ann, bob, cleo, eve] = await Promise.all([member(ws, "ann"), member(ws, "bob"), member(ws, "cleo"), someone("eve", service.api)]);
  expectStatus(await ws.post("groups/create", { name: "deciders", summary: "" }), 201);
  for (const { username } of [ann, bob]) expectStatus(await ws.post("groups/adduser/deciders", { username }), 200);
  // The creator of a group is a member of it.
  const { username: admin } = (await ws.get("users/whoami")).json as { username: string };
  expectStatus(await ws.post("groups/removeuser/deciders", { username: admin }), 200);
});
afterAll(() => service.close());

const visit = visitBy((request) => service.answer(request));
const bearer = (who: Someone | Workspace) => ({ authorization: `Bearer ${who.api.token}` });

/** A waiting flow that a given user has started, and links for its gate. */
async function startApproval(suspend: object, starter: Workspace = ws) {
  const run = await startRun(starter, [asks("ask", suspend), sees()]);
  const [gate] = await waiting(ws, run);
  const id = gate?.gate_id ?? "";
  return { run, gate: id, link: () => urls(ws, id) };
}

const approveAs = async (who: Someone | Workspace | undefined, { link }: { link: () => ReturnType<typeof urls> }) =>
  (await visit((await link()).resume, { body: {}, headers: who ? bearer(who) : {} })).status;
const rejectAs = async (who: Someone | Workspace | undefined, { link }: { link: () => ReturnType<typeof urls> }) =>
  (await visit((await link()).cancel, { body: {}, headers: who ? bearer(who) : {} })).status;
const groups = (...names: string[]) => ({ user_groups_required: { type: "static", value: names } });

describe.concurrent("decision rights", () => {
  it("with user_auth_required, only signed-in users decide, under their own names", async () => {
    const gate = await startApproval({ user_auth_required: true });
    expect(await approveAs(undefined, gate)).toBe(401);
    expect(await rejectAs(undefined, gate)).toBe(401);
    expect(await approveAs(eve, gate)).toBe(403);
    expect(await approveAs(ann, gate)).toBe(201);
    expect(await ws.completed(gate.run)).toMatchObject({ result: { approvers: [ann.username] } });
  });

  it("with self_approval_disabled, the starter of the run can neither approve nor reject", async () => {
    const gate = await startApproval({ self_approval_disabled: true }, ann.in(ws));
    expect(await approveAs(undefined, gate)).toBe(401);
    expect(await rejectAs(undefined, gate)).toBe(401);
    expect(await approveAs(ann, gate)).toBe(403);
    expect(await rejectAs(ann, gate)).toBe(403);
    expect((await ann.in(ws).post(`jobs/flow/resume/${gate.run}`, {})).status).toBe(403);
    expect((await ann.in(ws).post(`jobs_u/flow/resume_suspended/${gate.run}`, {})).status).toBe(403);
    expect((await runOf(ws, gate.run)).state).toBe("suspended");
    expect(await approveAs(bob, gate)).toBe(201);
  });

  it("with groups, only their members decide, and no admin", async () => {
    const gate = await startApproval(groups("deciders"));
    expect(await approveAs(undefined, gate)).toBe(401);
    expect(await approveAs(cleo, gate)).toBe(403);
    expect(await approveAs(ws, gate)).toBe(403);
    expect(await rejectAs(cleo, gate)).toBe(403);
    expect(await approveAs(bob, gate)).toBe(201);
  });

  it("groups can come from another step's result", async () => {
    const suspend = { required_events: 1, user_groups_required: { type: "javascript", expr: "results.who.groups" } };
    const run = await startRun(ws, [flow.step("who", "({ groups: ['deciders'] })"), flow.step("ask", "1", { suspend }), sees()]);
    const [gate] = await waiting(ws, run);
    expect(gate?.["approvers"]).toEqual(["g/deciders"]);
    const at = { link: () => urls(ws, gate?.gate_id ?? "") };
    expect(await approveAs(cleo, at)).toBe(403);
    expect(await approveAs(ann, at)).toBe(201);
  });

  it("a quorum larger than the group is rejected on save for a fixed group, and fails the step for a computed one", async () => {
    const fixed = { required_events: 3, ...groups("deciders") };
    const body = { path: "f/t/many", summary: "", value: { modules: [flow.step("ask", "1", { suspend: fixed })] } };
    const refused = await ws.post("flows/create", body);
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining("3 approvals are required, but deciders has only 2 members"),
    ]);
    const computed = { required_events: 3, user_groups_required: { type: "javascript", expr: "['deciders']" } };
    const run = await startRun(ws, [flow.step("ask", "1", { suspend: computed })]);
    expect(await ws.completed(run)).toMatchObject({ success: false, result: { error: { name: "ApprovalImpossible" } } });
    const wrong = { required_events: 1, user_groups_required: { type: "javascript", expr: "7" } };
    expect(await ws.completed(await startRun(ws, [flow.step("ask", "1", { suspend: wrong })]))).toMatchObject({
      result: { error: { name: "ApprovalGroups" } },
    });
  });

  it("a quorum counts people if they must sign in, and links otherwise", async () => {
    const people = await startApproval({ required_events: 2, user_auth_required: true });
    expect(await approveAs(ann, people)).toBe(201);
    expect(await approveAs(ann, people)).toBe(201);
    expect((await runOf(ws, people.run)).gates[0]).toMatchObject({ approved_by: [ann.username] });
    expect(await approveAs(bob, people)).toBe(201);
    expect(await ws.completed(people.run)).toMatchObject({ result: { approvers: [ann.username, bob.username] } });
    const links = await startApproval({ required_events: 2 });
    for (let each = 0; each < 2; each += 1) expect(await approveAs(ann, links)).toBe(201);
    expect(await ws.completed(links.run)).toMatchObject({ success: true });
  });

  it("one rejection is enough after any approvals", async () => {
    const gate = await startApproval({ required_events: 2, ...groups("deciders") });
    expect(await approveAs(ann, gate)).toBe(201);
    expect(await rejectAs(bob, gate)).toBe(201);
    expect(await ws.completed(gate.run)).toMatchObject({
      success: false,
      result: { error: { message: `Disapproved by ${bob.username}` } },
    });
  });

  it("an approver who was removed from the group cannot decide", async () => {
    const dora = await member(ws, "dora");
    expectStatus(await ws.post("groups/create", { name: "leaving", summary: "" }), 201);
    expectStatus(await ws.post("groups/adduser/leaving", { username: dora.username }), 200);
    const gate = await startApproval(groups("leaving"));
    expectStatus(await ws.post("groups/removeuser/leaving", { username: dora.username }), 200);
    expect(await approveAs(dora, gate)).toBe(403);
    expectStatus(await ws.post("groups/adduser/leaving", { username: dora.username }), 200);
    expect(await approveAs(dora, gate)).toBe(201);
  });

  it("a token without the scope cannot decide, even if its owner can", async () => {
    const gate = await startApproval({ user_auth_required: true });
    const make = async (scopes: string[]) => expectStatus(await ann.api.post("users/tokens/create", { scopes }), 201).text;
    const { resume } = await gate.link();
    const narrow = await make(["scripts:read"]);
    expect((await visit(resume, { body: {}, headers: { authorization: `Bearer ${narrow}` } })).status).toBe(401);
    const wide = await make(["approvals:write"]);
    expect((await visit(resume, { body: {}, headers: { authorization: `Bearer ${wide}` } })).status).toBe(201);
  });
});

describe.concurrent("decisions without a link", () => {
  it("an operator with read access sees the request of an own run", async () => {
    const olga = await member(ws, "olga", "operator");
    await ws.post("acls/add/folder/t", { owner: `u/${olga.username}`, write: false });
    await saveFlow(ws, "f/t/prompt", [
      asks("ask", {}, "({ resume: 'https://x.example', description: 'Look at this', default_args: { n: 1 } })"),
      sees(),
    ]);
    const run = expectStatus(await olga.in(ws).post("jobs/run/f/f/t/prompt", {}), 201).text;
    const [gate] = await waiting(ws, run);
    const info = (await olga.in(ws).get(`jobs_u/flow/approval_info/${run}`)).json;
    expect(info).toMatchObject({ gate_id: gate?.gate_id, description: "Look at this", default_args: { n: 1 }, can_approve: true });
    expect((await olga.in(ws).post(`jobs_u/flow/resume_suspended/${run}`, { payload: { n: 2 } })).status).toBe(200);
    expect(await ws.completed(run)).toMatchObject({ result: { resume: { n: 2 }, approvers: [olga.username] } });
  });
});

describe.concurrent("the content of the page", () => {
  it("a holder of a link who must sign in first sees only that", async () => {
    const run = await startRun(
      ws,
      [
        asks(
          "ask",
          { user_auth_required: true, inputs: ["amount"], resume_form: { schema: { type: "object" } } },
          "({ description: 'a secret plan' })",
        ),
        sees(),
      ],
      { amount: 7 },
    );
    const [gate] = await waiting(ws, run);
    const { approvalPage } = await urls(ws, gate?.gate_id ?? "", { approver: "kim" });
    const [, resumeId, signature] = /\/(\d+)\/([0-9a-f]{64})/.exec(approvalPage) ?? [];
    const ask = (token: string) =>
      ws.call("GET", `jobs_u/flow/approval_info/${gate?.gate_id}`, { token, query: { token: `${resumeId}.${signature}.kim` } });
    const stranger = await ask("");
    expect(stranger.json).toMatchObject({ can_approve: false, refused: "sign_in", user_auth_required: true });
    expect(stranger.text).not.toContain("a secret plan");
    expect((await ask(ann.api.token)).json).toMatchObject({
      can_approve: true,
      description: "a secret plan",
      inputs: { amount: 7 },
      form_schema: { type: "object" },
    });
    const link = await ws.call("GET", `jobs_u/get_flow/${gate?.gate_id}/${resumeId}/${signature}`, {
      token: "",
      query: { approver: "kim" },
    });
    expect(link.json).toMatchObject({ job: { id: run }, approvers: [] });
    expect(link.text).not.toContain("amount");
  });

  it("a holder of a link reads the flow and its result without a token, if a link suffices", async () => {
    const gate = await startApproval({});
    const { approvalPage, resume } = await urls(ws, gate.gate, { approver: "kim" });
    const [, id, resumeId, secret] = /\/([0-9a-f-]{36})\/(\d+)\/([0-9a-f]{64})/.exec(approvalPage) ?? [];
    const query = { token: `${resumeId}.${secret}.kim` };
    const info = (await ws.call("GET", `jobs_u/flow/approval_info/${id}`, { token: "", query })).json as { view_token: string };
    const job = (view: string) => ws.call("GET", `jobs_u/get/${gate.run}`, { token: "", query: { approval_token: view } });
    expect((await job(info.view_token)).json).toMatchObject({ id: gate.run, state: "suspended" });
    expect((await job(info.view_token.replace("kim", "eve"))).status).toBe(401);
    const steps = (run: string) =>
      ws.call("GET", `jobs_u/get_flow_outline/${run}`, { token: "", query: { approval_token: info.view_token } });
    expect(JSON.stringify((await steps(gate.run)).json)).toContain('"state":"suspended"');
    const other = await startApproval({});
    expect((await steps(other.run)).status).toBe(401);
    expect((await ws.call("GET", `jobs_u/get/${other.run}`, { token: "", query: { approval_token: info.view_token } })).status).toBe(401);
    const result = () =>
      ws.call("GET", `jobs_u/completed/get_result/${gate.run}`, {
        token: "",
        query: { suspended_job: id ?? "", resume_id: resumeId ?? "", secret: secret ?? "", approver: "kim" },
      });
    expect((await result()).status).toBe(404);
    await visit(resume, { body: { n: 1 } });
    await ws.completed(gate.run);
    expect((await result()).json).toMatchObject({ resume: { n: 1 } });
    const personal = await startApproval({ user_auth_required: true });
    const [, theirs, number, signature] = /\/([0-9a-f-]{36})\/(\d+)\/([0-9a-f]{64})/.exec((await personal.link()).approvalPage) ?? [];
    const view = `${theirs}.${number}.${signature}.somebody`;
    expect((await ws.call("GET", `jobs_u/get/${personal.run}`, { token: "", query: { approval_token: view } })).status).toBe(401);
  });

  it("the page shows the approvers, the decision and the state of the run", async () => {
    const gate = await startApproval({ required_events: 2 });
    const links = await Promise.all(["a", "b"].map((approver) => urls(ws, gate.gate, { approver })));
    const [, resumeId, signature] = /\/(\d+)\/([0-9a-f]{64})/.exec(links[0]?.approvalPage ?? "") ?? [];
    const info = async () =>
      (await ws.call("GET", `jobs_u/flow/approval_info/${gate.gate}`, { token: "", query: { token: `${resumeId}.${signature}.a` } })).json;
    expect(await info()).toMatchObject({ state: "open", approvers: [], run_state: "suspended" });
    await visit(links[0]?.resume ?? "", { body: {} });
    expect(await info()).toMatchObject({ state: "open", approvers: [{ approver: "a" }] });
    await visit(links[1]?.resume ?? "", { body: {} });
    await ws.completed(gate.run);
    expect(await info()).toMatchObject({
      state: "approved",
      decision: { how: "approved", by: "b" },
      can_approve: false,
      run_state: "succeeded",
    });
  });
});
