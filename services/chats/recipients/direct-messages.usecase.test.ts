import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { identifyChatApp } from "../../../core/chats/chat-account.ts";
import { noticesOf } from "../../../test/support/chats/deliver-notices.ts";
import { directMessagesOf, type FakeSlack, startSlack } from "../../../test/support/chats/slack.ts";
import { addPerson, callService, SLACK_PATH } from "../../../test/support/chats/slack-world.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { gates, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addWorkspace, housekeep } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { createChatLink } from "../../identity/chat-accounts/chat-links.ts";
import { connectChatAccount } from "../../identity/chat-accounts/connect-chat-account.ts";
import { listDeliveries } from "../../notifications/delivery-records.ts";
import { createResource } from "../../resources/save.ts";

let slack: FakeSlack;
let world: World;
let notices: ReturnType<typeof noticesOf>;
beforeAll(async () => {
  slack = await startSlack();
});
afterAll(() => slack.stop());

beforeEach(async () => {
  slack.messages.splice(0);
  slack.calls.splice(0);
  slack.answers.splice(0);
  slack.people.clear();
  world = await newWorld();
  notices = noticesOf(world);
  await addWorkspace(world);
  await addPerson(world, slack, "U0KIM", "kim");
  await addPerson(world, slack, "U0LEE", "lee");
});

const saveResource = (fields: object) =>
  createResource(
    world.deps,
    { actor: anAdmin, workspace: world.workspace },
    { path: SLACK_PATH, value: { ...slack.resource, ...fields }, resource_type: "slack" },
  );
const WITHOUT_CHANNEL = { default_channel: "" };

/** Connects the account of a user in Slack, as the app of the resource or another one names it. */
async function connect(username: string, app = identifyChatApp({ type: "slack", ...slack.resource })): Promise<void> {
  const id = `U0${username.toUpperCase()}`;
  const user = { vendor: "slack" as const, team: "T0TEAM", id, name: username, app, isMember: true };
  const link = await createChatLink(world.deps, user, { workspace: world.workspace, resource: SLACK_PATH });
  const actor = { ...anAdmin, email: `${username}@example.com`, username, superAdmin: false };
  await connectChatAccount(world.deps, actor, new URL(link).hash.slice(1));
}

/** Starts a run that asks `kim` and `lee`, and delivers its notices until nothing is due. */
async function ask(fields: object = {}): Promise<string> {
  const notification = { channel: "chat", resource_path: SLACK_PATH };
  const value = { type: "consentgate", approvers: ["u/kim", "u/lee"], message: "Deploy?", notification, ...fields };
  const run = await startFlow(world, [
    { id: "ask", value },
    { id: "b", value: { type: "identity" } },
  ]);
  await playExecutions(world);
  await deliver();
  return run;
}
/** The first round of attempts queues the direct messages and the mails. */
async function deliver(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await notices.deliver();
}

const shown = () => slack.messages.filter(({ only, thread }) => only === undefined && thread === undefined);
const channels = () =>
  shown()
    .map(({ channel }) => channel)
    .sort();
const textOf = ({ blocks }: FakeSlack["messages"][number]) => blocks.map(({ text }) => text?.text ?? "").join("\n");
const mailed = () => notices.mails.map(({ to }) => to).sort();
async function records(run: string): Promise<string[]> {
  const all = [...(await listDeliveries(world.deps, run)).values()].flat();
  return all
    .filter(({ channel }) => channel !== "topic")
    .map(({ channel, to, state }) => `${channel} ${to} ${state}`)
    .sort();
}

describe("a request without a channel", () => {
  it("goes to a connected approver directly and to the default channel for the others, and both messages show the outcome", async () => {
    await saveResource({});
    await connect("kim");
    const run = await ask();
    expect(channels()).toEqual([slack.channel, directMessagesOf("U0KIM")]);
    expect(await records(run)).toEqual(["chat kim@example.com sent", `chat ${SLACK_PATH} sent`]);
    expect(mailed()).toEqual([]);
    const direct = shown().find(({ channel }) => channel !== slack.channel);
    if (direct) await callService(world, slack, slack.click(direct, "Approve", "U0KIM"));
    await playExecutions(world);
    expect(await world.deps.jobs.get(run)).toMatchObject({ state: "succeeded" });
    await deliver();
    for (const message of shown()) expect(textOf(message)).toMatch(/\nApproved by kim at /);
  });

  it("goes directly to a member whose address the resource trusts, and never to a guest", async () => {
    await saveResource({ trust_email: true });
    Object.assign(slack.people.get("U0LEE") ?? {}, { guest: true });
    await ask();
    expect(channels()).toEqual([slack.channel, directMessagesOf("U0KIM")]);
  });

  it("looks up no address if the resource does not trust addresses, and uses no account that another app has named", async () => {
    await saveResource({});
    await connect("kim", "another app");
    await ask();
    expect(channels()).toEqual([slack.channel]);
    expect(slack.calls).not.toContain("users.lookupByEmail");
  });

  it("reaches everyone directly without a message in the default channel", async () => {
    await saveResource({});
    await connect("kim");
    await connect("lee");
    await ask();
    expect(channels()).toEqual([directMessagesOf("U0KIM"), directMessagesOf("U0LEE")]);
  });

  it("is a failed notice and a mail to each approver if none can be reached and there is no default channel", async () => {
    await saveResource(WITHOUT_CHANNEL);
    const run = await ask();
    expect(shown()).toEqual([]);
    expect(mailed()).toEqual(["kim@example.com", "lee@example.com"]);
    expect(notices.mails[0]?.text).toContain("Deploy?");
    expect(await records(run)).toEqual([`chat ${SLACK_PATH} failed`, "email kim@example.com sent", "email lee@example.com sent"]);
  });

  it("goes by mail to the approvers who cannot be reached, if there is no default channel", async () => {
    await saveResource(WITHOUT_CHANNEL);
    await connect("kim");
    await ask();
    expect(channels()).toEqual([directMessagesOf("U0KIM")]);
    expect(mailed()).toEqual(["lee@example.com"]);
  });

  it("goes by mail to an approver whose direct message is refused for good", async () => {
    await saveResource({});
    await connect("kim");
    await connect("lee");
    slack.people.delete("U0LEE");
    const run = await ask();
    expect(mailed()).toEqual(["lee@example.com"]);
    expect(await records(run)).toContain("chat lee@example.com failed");
  });

  it("is posted once to each person if the attempt is repeated", async () => {
    await saveResource({});
    await connect("kim");
    // The default channel is tried again, and with it the search for approvers.
    slack.answers.push({ method: "chat.postMessage", status: 500, body: "" });
    await ask();
    await notices.pass(limits.deliveryHoldMs + 10_000);
    await deliver();
    expect(channels()).toEqual([slack.channel, directMessagesOf("U0KIM")]);
  });

  it("is answered in the thread of each message by a reminder, and goes to the new approvers of an escalation alone", async () => {
    await saveResource({});
    await connect("kim");
    await connect("lee");
    const run = await ask({ approvers: ["u/kim"], remind_after: 100, escalate: { after: 200, approvers: ["u/lee"] }, timeout: 10_000 });
    expect(channels()).toEqual([directMessagesOf("U0KIM")]);
    for (const seconds of [101, 200]) {
      world.clock.nowMs += seconds * 1000;
      await housekeep(world);
      await deliver();
    }
    expect((await gates(world, run))[0]?.opened?.rules.people).toEqual(["u/kim", "u/lee"]);
    expect(channels()).toEqual([directMessagesOf("U0KIM"), directMessagesOf("U0LEE")]);
    const answers = slack.messages.filter(({ thread }) => thread !== undefined).map(({ channel }) => channel);
    expect(answers).toEqual([directMessagesOf("U0KIM"), directMessagesOf("U0KIM")]);
  });
});

describe("a request with a channel", () => {
  it("that does not exist is a failed notice, and a mail to each approver", async () => {
    await saveResource({});
    await connect("kim");
    const run = await ask({ notification: { channel: "chat", resource_path: SLACK_PATH, channel_id: "C0NONE" } });
    expect(shown()).toEqual([]);
    expect(mailed()).toEqual(["kim@example.com", "lee@example.com"]);
    expect((await records(run))[0]).toBe(`chat ${SLACK_PATH} C0NONE failed`);
  });

  it("sends no direct messages and no mails if it is posted", async () => {
    await saveResource({});
    await connect("kim");
    await ask({ notification: { channel: "chat", resource_path: SLACK_PATH, channel_id: slack.channel } });
    expect(channels()).toEqual([slack.channel]);
    expect(mailed()).toEqual([]);
  });
});
