import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { member, type Someone } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, consent, runOf, startRun, waiting } from "../../support/approvals/approvals.ts";
import { type FakeSlack, startSlack } from "../../support/chats/slack.ts";
import { flow } from "../../support/flows/flow.ts";
import { until } from "../../support/until.ts";

const PATH = "f/t/slack";
let slack: FakeSlack;
let ws: Workspace;
let ann: Someone;
beforeAll(async () => {
  slack = await startSlack();
  ws = await newWorkspace();
  ann = await member(ws, "ann");
  slack.people.set("U0ANN", { email: ann.email });
  const value = { ...slack.resource, trust_email: true };
  expectStatus(await ws.post("resources/create", { path: PATH, resource_type: "slack", value }), 201);
});
afterAll(() => slack.stop());

/** Sends the call of Slack that follows an action of a person. */
const callAs = async (body: string, headers = slack.sign(body, Math.floor(Date.now() / 1000))) =>
  ws.call("POST", `chat/slack/${PATH}`, { body, headers, token: "" });
const messageWith = (text: string) =>
  until(() => slack.messages.find(({ blocks }) => blocks.some((block) => block.text?.text.includes(text))), {
    what: `a message with ${text}`,
  });

describe("an approval in Slack", () => {
  it("of a ConsentGate is decided by a click of an approver, and its message shows who", async () => {
    const notification = { channel: "chat", resource_path: PATH };
    const run = await startRun(ws, [
      consent("gate", [`u/${ann.username}`], { message: "Ship the release?", notification }),
      flow.step("b", "1"),
    ]);
    const message = await messageWith("Ship the release?");
    expectStatus(await callAs(slack.click(message, "Approve", "U0ANN")), 200);
    expect(await ws.completed(run)).toMatchObject({ success: true });
    await messageWith(`Approved by ${ann.username}`);
    expect(message.blocks.some(({ type }) => type === "actions")).toBe(false);
    expect((await callAs("payload=%7B%7D", { "x-slack-signature": "v0=00" })).status).toBe(401);
  });

  it("of a step is posted by its script, and counts each person once", async () => {
    const query = `slack_resource_path=${PATH}&message=Buy%20it%3F&flow_step_id=ask`;
    const content = `export async function main() {
      const { BASE_INTERNAL_URL, WM_WORKSPACE, WM_JOB_ID, WM_TOKEN } = process.env;
      const url = BASE_INTERNAL_URL + "/api/w/" + WM_WORKSPACE + "/jobs/slack_approval/" + WM_JOB_ID + "?${query}";
      const { status } = await fetch(url, { headers: { authorization: "Bearer " + WM_TOKEN } });
      return { status, description: "It costs <7>." };
    }`;
    const value = { type: "rawscript", language: "bun", content, input_transforms: {} };
    const ask = { id: "ask", value, suspend: { required_events: 2, timeout: 600 } };
    const run = await startRun(ws, [ask, flow.step("b", "approvers")]);
    const message = await messageWith("Buy it?");
    const [gate] = await waiting(ws, run);
    // The step has returned its text after it asked for the message.
    await messageWith("It costs &lt;7&gt;.");
    expect(JSON.stringify(message.blocks)).toMatch(/It needs 2 approvals.*The request expires at .*Buy it\?/);
    for (const user of ["U0BEN", "U0BEN"]) expectStatus(await callAs(slack.click(message, "Approve", user)), 200);
    await messageWith("1 of 2 approvals");
    expectStatus(await callAs(slack.click(message, "Approve", "U0CLEO")), 200);
    expect(await ws.completed(run)).toMatchObject({ success: true });
    await messageWith("Approved by u0cleo");
    const decided = (await runOf(ws, run)).gates.find(({ gate_id }) => gate_id === gate?.gate_id);
    expect(decided).toMatchObject({ decision: { how: "approved", by: "u0cleo" }, approved_by: ["u0ben", "u0cleo"] });
  });

  it("in a channel that does not exist fails the call of the script with a sentence", async () => {
    const run = await startRun(ws, [asks("ask", {}, "'asked'")]);
    const [gate] = await waiting(ws, run);
    const query = { slack_resource_path: PATH, channel_id: "C0NONE", flow_step_id: "ask" };
    const refused = await ws.get(`jobs/slack_approval/${gate?.gate_id}`, query);
    expect(refused).toMatchObject({
      status: 422,
      text: expect.stringMatching(/not posted, because Slack answered channel_not_found: .* invite the app/),
    });
  });
});
