import { beforeAll, describe, expect, it } from "vitest";
import { member, type Someone, someone } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, sees, startRun, urls, visit, waiting } from "../../support/approvals/approvals.ts";
import { saveFlow } from "../../support/flows/flow.ts";

let ws: Workspace;
let ann: Someone;
let bob: Someone;
let eve: Someone;
beforeAll(async () => {
  ws = await newWorkspace();
  [ann, bob, eve] = await Promise.all([member(ws, "ann"), member(ws, "bob"), someone("eve")]);
});

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
const groups = (...names: string[]) => ({ user_groups_required: { type: "static", value: names } });

describe.concurrent("decision rights", () => {
  it("the token of a job that the starter started counts as the starter", async () => {
    const script = `export async function main(url: string) {
      const answer = await fetch(url, { method: "POST", headers: { authorization: "Bearer " + process.env.WM_TOKEN }, body: "{}" });
      return answer.status;
    }`;
    await ws.saveScript({ path: "f/t/visits", language: "bun", content: script });
    for (const { username } of [ann, bob]) await ws.post("acls/add/folder/t", { owner: `u/${username}`, write: true });
    const gate = await startApproval({ self_approval_disabled: true }, ann.in(ws));
    const { resume } = await gate.link();
    expect((await ann.in(ws).runWait("f/t/visits", { url: resume })).json).toBe(403);
    expect((await bob.in(ws).runWait("f/t/visits", { url: resume })).json).toBe(201);
    expect(await ws.completed(gate.run)).toMatchObject({ success: true });
  });

  it("the starter of the run is found behind a job that runs on behalf of another user", async () => {
    await saveFlow(ws, "f/t/notself", [asks("ask", { self_approval_disabled: true }), sees()]);
    const script = `export async function main() {
      const { BASE_INTERNAL_URL: base, WM_WORKSPACE: w, WM_TOKEN: token } = process.env;
      const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
      return (await fetch(base + "/api/w/" + w + "/jobs/run/f/f/t/notself", { method: "POST", headers, body: "{}" })).text();
    }`;
    await ws.saveScript({
      path: "f/t/starter",
      language: "bun",
      content: script,
      on_behalf_of_email: bob.email,
      preserve_on_behalf_of: true,
    });
    for (const { username } of [ann, bob]) await ws.post("acls/add/folder/t", { owner: `u/${username}`, write: true });
    const run = String((await ann.in(ws).runWait("f/t/starter")).json);
    expect((await ws.get(`jobs_u/get/${run}`)).json).toMatchObject({ email: bob.email });
    const [gate] = await waiting(ws, run);
    const at = { link: () => urls(ws, gate?.gate_id ?? "") };
    expect(await approveAs(ann, at)).toBe(403);
    expect(await approveAs(bob, at)).toBe(201);
  });
});

describe.concurrent("decisions without a link", () => {
  it("the flow's owner approves by the run's id with the form's payload", async () => {
    await saveFlow(ws, "f/t/owned", [asks("ask"), sees()]);
    const run = expectStatus(await ws.post("jobs/run/f/f/t/owned", {}), 201).text;
    await waiting(ws, run);
    expect((await eve.in(ws).post(`jobs/flow/resume/${run}`, {})).status).toBe(404);
    expect((await ws.post(`jobs/flow/resume/${run}`, { n: 1 })).status).toBe(201);
    expect(await ws.completed(run)).toMatchObject({ result: { resume: { n: 1 } } });
  });

  it("a member of a group decides on the page without access to the run, and the run is hidden from others", async () => {
    const own = await newWorkspace();
    const [gil, hal] = await Promise.all([member(own, "gil"), member(own, "hal")]);
    expectStatus(await own.post("groups/create", { name: "deciders", summary: "" }), 201);
    expectStatus(await own.post("groups/adduser/deciders", { username: gil.username }), 200);
    const run = await startRun(own, [asks("ask", groups("deciders")), sees()]);
    const [gate] = await waiting(own, run);
    const info = `jobs_u/flow/approval_info/${gate?.gate_id}`;
    const decide = `jobs_u/flow/resume_suspended/${gate?.gate_id}`;
    expect((await hal.in(own).get(info)).status).toBe(404);
    expect((await hal.in(own).post(decide, {})).status).toBe(404);
    expect((await own.call("GET", info, { token: "" })).status).toBe(401);
    expect((await gil.in(own).get(`jobs_u/get/${run}`)).status).toBe(404);
    expect((await gil.in(own).get(info)).json).toMatchObject({
      can_approve: true,
      state: "open",
      required_events: 1,
      signed_in_as: gil.username,
    });
    expect((await gil.in(own).post(decide, { approved: false, reason: "not now" })).status).toBe(200);
    expect(await own.completed(run)).toMatchObject({ result: { error: { name: "SuspendedDisapproved", reason: "not now" } } });
  });
});
