import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { member, type Someone } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, consent, runOf, startRun, waiting } from "../../support/approvals/approvals.ts";
import { button, expectUsable, heading } from "../../support/approvals/page.ts";
import { endBrowser, openPage } from "../../support/browser/browser.ts";
import { type FakeDiscord, startDiscord } from "../../support/chats/discord.ts";
import { type FakeSlack, startSlack } from "../../support/chats/slack.ts";
import { consolePicture, expectAccessible, openConsole } from "../../support/console/console.ts";
import { flow } from "../../support/flows/flow.ts";
import { until } from "../../support/until.ts";

const PATH = "f/t/slack";
const DISCORD_PATH = "f/t/discord";
let slack: FakeSlack;
let discord: FakeDiscord;
let ws: Workspace;
let ann: Someone;
beforeAll(async () => {
  slack = await startSlack();
  discord = await startDiscord();
  ws = await newWorkspace();
  ann = await member(ws, "ann");
  slack.people.set("U0ANN", { email: ann.email });
  const value = { ...slack.resource, trust_email: true };
  expectStatus(await ws.post("resources/create", { path: PATH, resource_type: "slack", value }), 201);
});
afterEach(endBrowser);
afterAll(() => Promise.all([slack.stop(), discord.stop()]));

/** Sends the call of Slack that follows an action of a person. */
const callAs = async (body: string, headers = slack.sign(body, Math.floor(Date.now() / 1000)), path = PATH) =>
  ws.call("POST", `chat/slack/${path}`, { body, headers, token: "" });
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

it("the settings of a workspace list its chats, with their addresses", { timeout: 300_000 }, async () => {
  const watched = await openConsole(`/w/${ws.id}/settings/chat`);
  const { page } = watched;
  const row = page.getByRole("row", { name: PATH });
  await row.getByText("Ready").waitFor();
  await row.getByText("Trusted: a confirmed address stands for the user who has it").waitFor();
  await row.getByText(`/api/w/${ws.id}/chat/slack/${PATH}`).waitFor();
  const manifest = await row.getByRole("link", { name: `Manifest of the application of ${PATH}` }).getAttribute("href");
  expect((await fetch(manifest ?? "")).status).toBe(200);
  await consolePicture(page, "chat-settings");
  await expectAccessible(watched);
  await row.getByRole("link", { name: PATH, exact: true }).click();
  await page.getByRole("dialog").waitFor();
});

describe("Connect your account", () => {
  const CONNECTED = "f/t/slack_connected";
  const PASSWORD = "A long password 1!";
  const linkPattern = /\S+\/chat\/link#\S+/;
  const linksFor = (user: string) =>
    slack.messages.filter(({ only }) => only === user).flatMap(({ text }) => linkPattern.exec(text)?.[0] ?? []);
  /** Clicks on Approve, and returns the new link that only this person sees. */
  async function clickForLink(message: FakeSlack["messages"][number], user: string): Promise<string> {
    const before = linksFor(user).length;
    expectStatus(await callAs(slack.click(message, "Approve", user), undefined, CONNECTED), 200);
    return until(() => linksFor(user)[before], { what: `a link for ${user}` });
  }
  const storedIn = (page: Page) => page.evaluate<string>("JSON.stringify(sessionStorage) + location.href");

  it("makes clicks count as those of the user who signs in and confirms, until they disconnect", { timeout: 300_000 }, async () => {
    const username = `kim${randomUUID().slice(0, 6)}`;
    const email = `${username}@example.com`;
    expectStatus(await api().ask.users.createGlobal({ body: { email, password: PASSWORD, super_admin: false } }), 201);
    expectStatus(await ws.ask.workspaces.addUser({ body: { email, is_admin: false, operator: false } }), 201);
    expectStatus(await ws.post("resources/create", { path: CONNECTED, resource_type: "slack", value: slack.resource }), 201);
    const ask = async (message: string) => {
      const gate = consent("gate", [`u/${username}`, `u/${ann.username}`], {
        message,
        notification: { channel: "chat", resource_path: CONNECTED },
      });
      return { run: await startRun(ws, [gate, flow.step("b", "1")]), message: await messageWith(message) };
    };

    const first = await ask("Order the parts?");
    const link = await clickForLink(first.message, "U0KIM");
    const { page } = await openPage();
    await page.goto(link);
    await page.getByText("Sign in as the user to connect with your account in the chat.").waitFor();
    expect(page.url()).not.toContain("#");
    await expectUsable(page);
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await button(page, "Sign in").click();
    await page.getByText(`${CONNECTED} in ${ws.id}`).waitFor();
    await page.getByLabel("I am u0kim in Slack, and I pressed the button there myself.").check();
    await expectUsable(page);
    await consolePicture(page, "chat-link");
    await button(page, "Connect").click();
    await heading(page, "The account is connected").waitFor();
    expect(await storedIn(page)).not.toContain(new URL(link).hash.slice(1));
    expectStatus(await callAs(slack.click(first.message, "Approve", "U0KIM"), undefined, CONNECTED), 200);
    expect(await ws.completed(first.run)).toMatchObject({ success: true });
    await messageWith(`Approved by ${username}`);

    // A second use of the link, in a new document.
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByText("This link no longer works").waitFor();
    expect(await storedIn(page)).not.toContain(new URL(link).hash.slice(1));

    // The vendor confirms the address of another user, so the link is theirs.
    const second = await ask("Pay the parts?");
    slack.people.set("U0ANNS", { email: ann.email });
    await page.goto(await clickForLink(second.message, "U0ANNS"));
    await page.getByText("The address of this person in the chat belongs to another user.").waitFor();
    expect(await button(page, "Connect").count()).toBe(0);

    await page.goto(link);
    await page.getByText("This link no longer works").waitFor();
    await page.getByRole("link", { name: "Your chat accounts" }).click();
    const row = page.getByRole("row", { name: /u0kim/ });
    await row.getByText("Slack", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Disconnect" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await page.getByText("No chat account is connected").waitFor();
    await clickForLink(second.message, "U0KIM");
    expect((await runOf(ws, second.run)).gates[0]?.decision).toBeFalsy();
  });
});

describe("an approval in Discord", () => {
  const KIM = "5000000000000000101";
  const textsOf = (components: { content?: string }[]) => components.map(({ content = "" }) => content).join("\n");
  const call = async (body: string, headers = discord.sign(body, Math.floor(Date.now() / 1000))) =>
    ws.call("POST", `chat/discord/${DISCORD_PATH}`, { body, headers, token: "" });

  it("of a step is posted by its script, opens its form in a modal, and shows who has decided", async () => {
    const value = discord.resource;
    expectStatus(await ws.post("resources/create", { path: DISCORD_PATH, resource_type: "discord", value }), 201);
    const ping = JSON.stringify({ type: 1, application_id: discord.resource.application_id });
    expect(await call(ping)).toMatchObject({ status: 200, json: { type: 1 } });
    expect((await call(ping, { "x-signature-ed25519": "00", "x-signature-timestamp": "0" })).status).toBe(401);

    const content = `export async function main() {
      const { BASE_INTERNAL_URL, WM_WORKSPACE, WM_JOB_ID, WM_TOKEN } = process.env;
      const url = BASE_INTERNAL_URL + "/api/w/" + WM_WORKSPACE + "/jobs/discord_approval/" + WM_JOB_ID;
      const headers = { authorization: "Bearer " + WM_TOKEN, "content-type": "application/json" };
      const fields = { discord_resource_path: "${DISCORD_PATH}", message: "Buy it?", flow_step_id: "ask" };
      return (await fetch(url, { method: "POST", headers, body: JSON.stringify(fields) })).text();
    }`;
    const schema = { type: "object", properties: { amount: { type: "integer" } }, required: ["amount"] };
    const ask = {
      id: "ask",
      value: { type: "rawscript", language: "bun", content, input_transforms: {} },
      suspend: { required_events: 1, timeout: 600, resume_form: { schema } },
    };
    const run = await startRun(ws, [ask, flow.step("b", "resume.amount")]);
    await waiting(ws, run);
    const [message] = discord.messages;
    if (!message) throw new Error("No message was posted.");
    const click = discord.click(message, "Approve", KIM);
    discord.apply(click, (await call(click)).json as never);
    const submission = discord.submit({ amount: "7" }, KIM);
    discord.apply(submission, (await call(submission)).json as never);
    expect(await ws.completed(run)).toMatchObject({ success: true, result: 7 });
    await until(() => textsOf(message.components).includes("Approved by user101"), { what: "the outcome in Discord" });
  });
});
