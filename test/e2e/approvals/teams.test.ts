import { strFromU8, unzipSync } from "fflate";
import { afterAll, beforeAll, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { member, type Someone } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { startRun } from "../../support/approvals/approvals.ts";
import { type FakeTeams, startTeams } from "../../support/chats/teams.ts";
import { type Card, errorsOf, labelsOf, linesOf } from "../../support/chats/teams-card.ts";
import { flow } from "../../support/flows/flow.ts";
import { until } from "../../support/until.ts";

const PATH = "f/t/teams";
let teams: FakeTeams;
let ws: Workspace;
let ann: Someone;
beforeAll(async () => {
  teams = await startTeams();
  ws = await newWorkspace();
  ann = await member(ws, "ann");
  teams.people.set("29:ann", { userPrincipalName: ann.email });
  const value = { ...teams.resource, trust_email: true };
  expectStatus(await ws.post("resources/create", { path: PATH, resource_type: "ms_teams_bot", value }), 201);
});
afterAll(() => teams.stop());

/** Sends an activity of Teams, and returns the reply. */
async function send(activity: object) {
  const headers = await teams.sign(Math.floor(Date.now() / 1000));
  return ws.call("POST", `chat/teams/${PATH}`, { body: JSON.stringify(activity), headers, token: "" });
}

it("a step asks in a channel of Teams by its name, and the form in the card decides", async () => {
  expectStatus(await send(teams.install("membersAdded")), 200);
  const content = `export async function main() {
    const { BASE_INTERNAL_URL, WM_WORKSPACE, WM_JOB_ID, WM_TOKEN } = process.env;
    const headers = { authorization: "Bearer " + WM_TOKEN, "content-type": "application/json" };
    const query = "?team_name=Release&channel_name=Approvals&flow_step_id=ask&message=Buy%20it%3F";
    const url = BASE_INTERNAL_URL + "/api/w/" + WM_WORKSPACE + "/jobs/teams_approval/" + WM_JOB_ID + query;
    const asked = await fetch(url, { headers });
    const body = JSON.stringify({ conversation_id: ${JSON.stringify(teams.channel)}, text: "Asked" });
    const posted = await fetch(BASE_INTERNAL_URL + "/api/teams/activities", { method: "POST", headers, body });
    return { statuses: [asked.status, posted.status] };
  }`;
  const value = { type: "rawscript", language: "bun", content, input_transforms: {} };
  const schema = { type: "object", properties: { amount: { type: "integer", maximum: 10 } }, required: ["amount"] };
  const ask = { id: "ask", value, suspend: { required_events: 1, timeout: 600, user_auth_required: true, resume_form: { schema } } };
  const run = await startRun(ws, [ask, flow.step("b", "resume.amount")]);
  const message = await until(() => teams.messages.find(({ card }) => card && linesOf(card).includes("Buy it?")), { what: "a card" });
  const note = await until(() => teams.messages.find(({ text }) => text?.startsWith("Asked")), { what: "a text" });
  expect(note.text).toMatch(/Decide on the approval page: http.*\/approve\//);
  await until(() => (message.card && linesOf(message.card).some((line) => line.includes("expires at")) ? true : undefined), {
    what: "the time of the request",
  });

  const press = async (label: string, more: Parameters<FakeTeams["press"]>[3] = {}) =>
    (JSON.parse((await send(teams.press(message, label, "29:ann", more))).text) as { value: Card }).value;
  const form = await press("Approve");
  const refused = await press("Approve", { card: form, entries: { amount: "11" } });
  expect(errorsOf(refused)).toHaveLength(1);
  await press("Approve", { card: refused, entries: { amount: "7" } });
  expect(await ws.completed(run)).toMatchObject({ success: true, result: 7 });
  await until(
    () => (message.card && linesOf(message.card).some((line) => line.startsWith(`Approved by ${ann.username}`)) ? true : undefined),
    {
      what: "the decision in the card",
    },
  );
  expect(labelsOf(message.card ?? form)).toEqual([]);
  expect((await ws.call("POST", `chat/teams/${PATH}`, { body: "{}", token: "" })).status).toBe(401);
});

it("the package of the app is an archive that needs no token", async () => {
  const url = `${shared().url}/api/w/${ws.id}/chat/teams/manifest/${PATH}?app_id=${teams.resource.app_id}`;
  const files = unzipSync(new Uint8Array(await (await fetch(url)).arrayBuffer()));
  expect(Object.keys(files).sort()).toEqual(["color.png", "manifest.json", "outline.png"]);
  expect(JSON.parse(strFromU8(files["manifest.json"] ?? new Uint8Array()))).toMatchObject({ bots: [{ botId: teams.resource.app_id }] });
});
