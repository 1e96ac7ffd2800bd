import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { approvalEntryObject } from "../../../core/approvals/record.ts";
import { unescapeMarkdown } from "../../../core/chats/discord/escape-markdown.ts";
import { noticesOf } from "../../../test/support/chats/deliver-notices.ts";
import { type FakeDiscord, startDiscord } from "../../../test/support/chats/discord.ts";
import { callService, DISCORD_PATH } from "../../../test/support/chats/discord-world.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { approveGate, gates, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addWorkspace, housekeep } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import type { SendingPorts } from "../../deliveries/deliver-message.ts";
import { connectChatAccount } from "../../identity/chat-accounts/connect-chat-account.ts";
import { cancelJob } from "../../jobs/cancel/cancel-job.ts";
import { createResource, deleteResource, updateResource } from "../../resources/save.ts";
import { addMember } from "../../workspaces/add-member.ts";

const KIM = "5000000000000000101";
const LEE = "5000000000000000102";

let discord: FakeDiscord;
let world: World;
let notices: ReturnType<typeof noticesOf>;
beforeAll(async () => {
  discord = await startDiscord();
});
afterAll(() => discord.stop());

beforeEach(async () => {
  for (const list of [discord.messages, discord.modals, discord.calls, discord.bodies]) list.splice(0);
  delete discord.events.beforeAnswer;
  discord.people.clear();
  world = await newWorld();
  notices = noticesOf(world);
  await addWorkspace(world);
  const value = discord.resource;
  await createResource(world.deps, { actor: anAdmin, workspace: world.workspace }, { path: DISCORD_PATH, value, resource_type: "discord" });
  for (const username of ["kim", "lee"])
    await addMember(
      world.deps,
      world.workspace,
      { email: `${username}@example.com`, username, is_admin: false, operator: false },
      { inherits: true },
    );
});

const consent = (fields: object = {}) => ({
  id: "ask",
  value: {
    type: "consentgate",
    approvers: ["u/kim"],
    message: "Deploy @everyone [now](https://evil.example) <@1>?",
    notification: { channel: "chat", resource_path: DISCORD_PATH },
    ...fields,
  },
});

const deliver = (ports?: Partial<SendingPorts>) => notices.deliver(ports);

async function waitingRun(fields: object = {}): Promise<string> {
  const run = await startFlow(world, [consent(fields), { id: "b", value: { type: "identity" } }]);
  await playExecutions(world);
  await deliver();
  return run;
}
/** Starts a run whose approver is connected. */
async function openRun(fields: object = {}): Promise<string> {
  const run = await waitingRun(fields);
  await connect(KIM, "kim");
  return run;
}

const call = (body: string, headers?: Record<string, string>) => callService(world, discord, body, headers);
const shown = () => discord.messages.filter(({ only }) => only === undefined);
const told = (user: string) =>
  discord.messages
    .filter(({ only }) => only === user)
    .map(({ components }) => unescapeMarkdown(components.map(({ content = "" }) => content).join("\n")));
const textOf = (message = shown()[0]) => (message?.components ?? []).map(({ content = "" }) => content).join("\n");
const labelsOf = (message = shown()[0]) =>
  (message?.components ?? []).flatMap(({ components = [] }) => components).map(({ label }) => label);
function request(messages = shown()) {
  const [message] = messages;
  if (!message) throw new Error("No message was posted.");
  return message;
}
const decisionOf = async (run: string) => (await gates(world, run))[0]?.decision;
const chatNotices = (run: string) => notices.listInChats(run);

/** Connects a person with a user by the link that a click has offered. */
async function connect(user: string, username: string): Promise<void> {
  await call(discord.click(request(), "Approve", user));
  const [, link = ""] = /\/chat\/link#([\w-]+)/.exec(told(user).at(-1) ?? "") ?? [];
  await connectChatAccount(world.deps, { ...anAdmin, email: `${username}@example.com`, username, superAdmin: false }, link);
  discord.messages.splice(0, Number.POSITIVE_INFINITY, ...shown());
}

describe("a ConsentGate whose channel is Discord", () => {
  it("asks a connected approver by a direct message, in which their click decides", async () => {
    await openRun();
    discord.messages.splice(0);
    const run = await waitingRun();
    await deliver();
    expect(shown().map(({ channel_id }) => channel_id)).toEqual([expect.not.stringMatching(discord.resource.default_channel)]);
    await call(discord.click(request(), "Approve", KIM));
    expect(await decisionOf(run)).toMatchObject({ outcome: "approved", approver: "kim" });
  });

  it("posts one message, with escaped texts, buttons and the page, and no address that decides", async () => {
    const run = await waitingRun();
    expect(shown()).toHaveLength(1);
    expect(textOf()).toContain("Deploy \\@everyone \\[now\\]\\(https\\:\\/\\/evil\\.example\\) \\<\\@1\\>\\?");
    expect(labelsOf()).toEqual(["Approve", "Reject", "Open page"]);
    expect(discord.bodies.join()).not.toMatch(/jobs_u/);
    expect(discord.bodies.join()).not.toContain(discord.resource.token);
    expect([...discord.agents]).toEqual([expect.stringMatching(/^DiscordBot \(/)]);
    expect(await chatNotices(run)).toEqual([expect.objectContaining({ to: DISCORD_PATH, state: "sent" })]);
  });

  it.each<[string, string, RegExp]>([
    ["does not exist", "3000000000000000009", /Discord answered 10003: there is no such channel/],
    ["is no id", "#general", /consists of digits/],
    ["is part of another address", "3000000000000000001/messages/1", /consists of digits/],
  ])("reports a failed notice, and waits, if the channel %s", async (_, channel_id, error) => {
    const run = await waitingRun({ notification: { channel: "chat", resource_path: DISCORD_PATH, channel_id } });
    expect(await chatNotices(run)).toEqual([expect.objectContaining({ state: "failed", error: expect.stringMatching(error) })]);
    expect(await decisionOf(run)).toBeUndefined();
  });

  it.each<[string, { status: number; body: string; headers?: Record<string, string> }, string, RegExp]>([
    ["limits the rate", { status: 429, body: "{}", headers: { "retry-after": "30" } }, "retrying", /asks to send less/],
    ["is not available", { status: 503, body: "<html>" }, "retrying", /returned status 503/],
    ["answers with HTML", { status: 200, body: "<html>", headers: { "content-type": "text/html" } }, "retrying", /not answer as expected/],
    ["refuses a permission", { status: 403, body: '{"code":50013,"message":"no"}' }, "failed", /50013: the bot lacks a permission/],
    ["hides the channel", { status: 403, body: '{"code":50001,"message":"no"}' }, "failed", /50001: the bot cannot see the channel/],
    ["refuses the token", { status: 401, body: '{"code":0,"message":"no"}' }, "failed", /401: the token is not valid/],
  ])("is tried again only where that can help: Discord %s", async (_, answer, state, error) => {
    discord.answers.push({ route: "POST /channels", ...answer });
    const run = await waitingRun();
    expect(await chatNotices(run)).toEqual([expect.objectContaining({ state, error: expect.stringMatching(error) })]);
    if (state === "failed") return;
    world.clock.nowMs += answer.status === 429 ? 31_000 : 3600_000;
    await deliver();
    expect(shown()).toHaveLength(1);
  });

  it("posts no second message if the process died before it stored the first", async () => {
    const { jobs } = world.deps;
    await startFlow(world, [consent(), { id: "b", value: { type: "identity" } }]);
    await playExecutions(world);
    const putChildIf: typeof jobs.putChildIf = async (child, after) => {
      if (child.ref.startsWith("chat#")) throw new Error("The process has died.");
      return jobs.putChildIf(child, after);
    };
    await deliver({ jobs: { ...jobs, putChildIf } });
    world.clock.nowMs += 600_000;
    await deliver();
    expect(discord.calls.filter((each) => each.startsWith("POST"))).toHaveLength(2);
    expect(shown()).toHaveLength(1);
  });

  it("answers a reminder below the message", async () => {
    await waitingRun({ remind_after: 10, timeout: 1000 });
    world.clock.nowMs += 20_000;
    await housekeep(world);
    await deliver();
    expect(shown().map(({ thread }) => thread)).toEqual([undefined, request().id]);
  });
});

describe("a request without a channel", () => {
  it("goes directly to a person who is connected, whose click there counts, and the message shows the outcome", async () => {
    await openRun();
    discord.messages.splice(0);
    const run = await startFlow(world, [consent(), { id: "b", value: { type: "identity" } }]);
    await playExecutions(world);
    for (let round = 0; round < 3; round += 1) await notices.deliver();
    const direct = shown().find(({ channel_id }) => channel_id !== discord.channel);
    expect(await call(discord.click(request(direct ? [direct] : []), "Approve", KIM))).toEqual({ type: 6 });
    await playExecutions(world);
    expect(await world.deps.jobs.get(run)).toMatchObject({ state: "succeeded" });
    await notices.deliver();
    expect(textOf(direct)).toMatch(/Approved by kim at /);
  });
});

describe("a deleted message", () => {
  it("is a failed notice, and the decision counts", async () => {
    const run = await openRun();
    await call(discord.click(request(), "Approve", KIM));
    discord.messages.splice(0);
    await deliver();
    expect(await chatNotices(run)).toContainEqual(expect.objectContaining({ state: "failed", error: expect.stringContaining("10008") }));
    await playExecutions(world);
    expect(await world.deps.jobs.get(run)).toMatchObject({ state: "succeeded" });
  });
});

describe("a click in Discord", () => {
  it("of a connected approver approves, and the message says so without buttons", async () => {
    const run = await openRun();
    expect(await call(discord.click(request(), "Approve", KIM))).toEqual({ type: 6 });
    await playExecutions(world);
    expect(await world.deps.jobs.get(run)).toMatchObject({ state: "succeeded" });
    await deliver();
    expect(labelsOf()).toEqual([]);
    expect(textOf()).toMatch(/Approved by kim at /);
    const [entry] = await world.deps.objects.list(approvalEntryObject.partitionKey(world.workspace));
    expect(entry?.value).toMatchObject({ what: "approved", who: { name: "kim", chat: `discord:discord:${KIM}` } });
  });

  it("of a person who is not connected decides nothing, and they alone see a link to connect", async () => {
    const run = await waitingRun();
    await call(discord.click(request(), "Approve", KIM));
    expect(told(KIM)).toEqual([expect.stringMatching(/Connect your account.*https?:\/\/\S+\/chat\/link#/)]);
    // The reply alone contains the link.
    expect(discord.bodies.join()).not.toContain("/chat/link");
    expect(labelsOf()).toHaveLength(3);
    expect(await decisionOf(run)).toBeUndefined();
  });

  it("of a connected person who is no approver decides nothing", async () => {
    const run = await waitingRun();
    await connect(LEE, "lee");
    await call(discord.click(request(), "Approve", LEE));
    expect(told(LEE)).toEqual([expect.stringMatching(/can't decide this request/)]);
    expect(await decisionOf(run)).toBeUndefined();
  });

  it.each([["bot"], ["guest"]])("of a %s never counts as that of a user", async (kind) => {
    const run = await openRun();
    discord.people.set(KIM, { [kind]: true });
    await call(discord.click(request(), "Approve", KIM));
    expect(told(KIM)).toEqual([expect.not.stringContaining("/chat/link")]);
    expect(await decisionOf(run)).toBeUndefined();
  });

  it("decides once when it is repeated and when several people click at once", async () => {
    const run = await openRun();
    await Promise.all([KIM, KIM, KIM].map((user) => call(discord.click(request(), "Approve", user))));
    expect((await gates(world, run))[0]?.events).toHaveLength(1);
  });

  it.each([["elsewhere"], ["never, because the run was canceled"]])(
    "on a request that was decided %s corrects the message",
    async (how) => {
      const run = await openRun({ approvers: ["u/kim", "role:admin"] });
      const [gate] = await gates(world, run);
      if (!gate) throw new Error("The gate has not opened.");
      const click = discord.click(request(), "Approve", KIM);
      if (how === "elsewhere") await approveGate(world, gate, {}, { person: admin() });
      else {
        const job = await world.deps.jobs.get(run);
        if (job) await cancelJob(world.deps, job, { by: "ann", reason: "" });
      }
      expect(await call(click)).toMatchObject({ type: 7 });
      expect(textOf()).toMatch(how === "elsewhere" ? /Approved by kim at / : /has ended without a decision/);
      expect(labelsOf()).toEqual([]);
    },
  );

  it("rejects after a modal has asked for the reason, which the message shows", async () => {
    const run = await openRun({ reject_reason_required: true });
    await call(discord.click(request(), "Reject", KIM));
    await call(discord.submit({ Reason: " " }, KIM));
    expect(told(KIM)).toEqual([expect.stringMatching(/requires a reason/)]);
    expect(await decisionOf(run)).toBeUndefined();
    const [, answer] = discord.messages;
    if (!answer) throw new Error("There is no answer.");
    await call(discord.click(answer, "Enter a reason", KIM));
    await call(discord.submit({ Reason: "Not on a Friday <@1>" }, KIM));
    await deliver();
    expect(textOf()).toMatch(/Rejected by kim at .*\nNot on a Friday \\<\\@1\\>/);
  });

  it("on a message that the service has not posted decides nothing", async () => {
    const run = await openRun();
    // A job that has the token of the bot can post the same buttons in another message.
    await call(discord.click({ ...request(), id: "4000000000000009999" }, "Approve", KIM));
    expect(await decisionOf(run)).toBeUndefined();
  });

  it("that another key has signed does not count as that of a connected person, even if the resource has this key", async () => {
    const run = await openRun();
    const other = await startDiscord();
    const body = discord.click(request(), "Approve", KIM);
    await expect(call(body, other.sign(body, nowS()))).rejects.toMatchObject({ code: "chat.signature" });
    // A user who may write the resource replaces the key by their own.
    const value = { ...discord.resource, public_key: other.resource.public_key };
    await updateResource(world.deps, { actor: anAdmin, workspace: world.workspace, path: DISCORD_PATH }, { value });
    await call(body, other.sign(body, nowS()));
    expect(await decisionOf(run)).toBeUndefined();
    await other.stop();
  });
});

const admin = () => ({ ...anAdmin, rights: { workspace: world.workspace, role: "admin" as const, groups: [], folders: {}, objects: {} } });
const nowS = () => Math.floor(world.clock.nowMs / 1000);

describe("a call at the address of a resource", () => {
  const ping = () => JSON.stringify({ type: 1, application_id: discord.resource.application_id, id: "1", token: "t", version: 1 });

  it("that checks the address is answered", async () => {
    expect(await call(ping())).toEqual({ type: 1 });
  });

  it.each<[string, (body: string) => Record<string, string>]>([
    ["without a signature", () => ({})],
    ["that was signed six minutes ago", (body) => discord.sign(body, nowS() - 360)],
    ["that was signed for the time in six minutes", (body) => discord.sign(body, nowS() + 360)],
    ["whose signature belongs to another body", () => discord.sign("{}", nowS())],
    ["whose time was replaced", (body) => ({ ...discord.sign(body, nowS() - 360), "x-signature-timestamp": String(nowS()) })],
    [
      "with two signatures",
      (body) => {
        const headers = discord.sign(body, nowS());
        return { ...headers, "x-signature-ed25519": `${headers["x-signature-ed25519"]}, ${headers["x-signature-ed25519"]}` };
      },
    ],
  ])("%s is refused", async (_, headers) => {
    await expect(call(ping(), headers(ping()))).rejects.toMatchObject({ code: "chat.signature" });
  });

  it("of another application is refused", async () => {
    const body = JSON.stringify({ type: 1, application_id: "1000000000000000009" });
    await expect(call(body)).rejects.toMatchObject({ code: "chat.signature" });
  });

  it("that is no JSON is refused, and one that is too large", async () => {
    await expect(call("{")).rejects.toMatchObject({ code: "chat.signature" });
    await expect(call("x".repeat(1024 * 1024 + 1))).rejects.toMatchObject({ code: "body.tooLarge" });
  });

  it("of a resource that is gone, or that has only a token, finds nothing", async () => {
    const target = { actor: anAdmin, workspace: world.workspace, path: DISCORD_PATH };
    await updateResource(world.deps, target, { value: { token: discord.resource.token } });
    await expect(call(ping())).rejects.toMatchObject({ code: "chat.noResource" });
    await deleteResource(world.deps, target);
    await expect(call(ping())).rejects.toMatchObject({ code: "chat.noResource" });
  });
});
