import { generateKeyPair } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { approvalEntryObject } from "../../../core/approvals/record.ts";
import { noticesOf } from "../../../test/support/chats/deliver-notices.ts";
import { type FakeTeams, startTeams } from "../../../test/support/chats/teams.ts";
import { labelsOf, linesOf } from "../../../test/support/chats/teams-card.ts";
import { addTeamsPerson, callTeams, cardOf, TEAMS_PATH, textOf } from "../../../test/support/chats/teams-world.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { approveGate, gates, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addWorkspace, housekeep } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { connectChatAccount } from "../../identity/chat-accounts/connect-chat-account.ts";
import { cancelJob } from "../../jobs/cancel/cancel-job.ts";
import { createResource, deleteResource, updateResource } from "../../resources/save.ts";
import { createVariable } from "../../variables/save.ts";

let teams: FakeTeams;
let world: World;
let notices: ReturnType<typeof noticesOf>;
beforeAll(async () => {
  teams = await startTeams();
});
afterAll(() => teams.stop());

beforeEach(async () => {
  for (const list of [teams.messages, teams.calls, teams.bodies, teams.answers]) list.splice(0);
  delete teams.events.beforeAnswer;
  teams.people.clear();
  world = await newWorld();
  notices = noticesOf(world);
  await addWorkspace(world);
  const caller = { actor: anAdmin, workspace: world.workspace };
  const variable = `${TEAMS_PATH}_password`;
  await createVariable(world.deps, caller, { path: variable, value: teams.resource.app_password, is_secret: true, description: "" });
  const value = { ...teams.resource, app_password: `$var:${variable}` };
  await createResource(world.deps, caller, { path: TEAMS_PATH, value, resource_type: "ms_teams_bot" });
  await addTeamsPerson(world, teams, "29:kim", "kim");
  await addTeamsPerson(world, teams, "29:lee", "lee");
});

const admin = () => ({ ...anAdmin, rights: { workspace: world.workspace, role: "admin" as const, groups: [], folders: {}, objects: {} } });
const target = () => ({ actor: anAdmin, workspace: world.workspace, path: TEAMS_PATH });
const saveResource = (more: object) => updateResource(world.deps, target(), { value: { ...teams.resource, ...more } });
const call = (activity: object, headers?: Record<string, string>) => callTeams(world, teams, activity, headers);
const deliver = () => notices.deliver();

const consent = (fields: object = {}) => ({
  id: "ask",
  value: {
    type: "consentgate",
    approvers: ["u/kim"],
    message: "Deploy [now](https://example.com)\n<at>everyone</at>?",
    notification: { channel: "chat", resource_path: TEAMS_PATH },
    ...fields,
  },
});

async function waitingRun(fields: object = {}): Promise<string> {
  const run = await startFlow(world, [consent(fields), { id: "b", value: { type: "identity" } }], {}, {});
  await playExecutions(world);
  await deliver();
  return run;
}

function request() {
  const [message] = teams.messages;
  if (!message?.card) throw new Error("No card was posted.");
  return { ...message, card: message.card };
}
const decisionOf = async (run: string) => (await gates(world, run))[0]?.decision;
const chatNotices = (run: string) => notices.listInChats(run);

describe("a ConsentGate whose channel is Teams", () => {
  it("posts one card with buttons and the page, and shows texts as they are", async () => {
    const run = await waitingRun();
    expect(teams.messages).toHaveLength(1);
    expect(request()).toMatchObject({ conversation: teams.channel, summary: expect.stringMatching(/^Approval needed: ask/) });
    expect(linesOf(request().card)).toEqual(expect.arrayContaining(["Deploy [now](https://example.com)", "<at>everyone</at>?"]));
    expect(labelsOf(request().card)).toEqual(["Approve", "Reject", "Open page"]);
    expect(teams.bodies.join()).not.toMatch(/jobs_u|"entities"|"TextBlock"/);
    expect(await chatNotices(run)).toEqual([expect.objectContaining({ to: TEAMS_PATH, state: "sent" })]);
  });

  it("asks a connected approver by a direct message, in which their click decides", async () => {
    await waitingRun();
    const offer = linesOf(cardOf(await call(teams.press(request(), "Approve", "29:kim")))).join();
    const [, link = ""] = /\/chat\/link#([\w-]+)/.exec(offer) ?? [];
    await connectChatAccount(world.deps, { ...anAdmin, email: "kim@example.com", username: "kim", superAdmin: false }, link);
    teams.messages.splice(0);
    const run = await waitingRun();
    await deliver();
    expect(teams.messages.map(({ conversation }) => conversation)).toEqual(["a:29:kim"]);
    await call(teams.press(request(), "Approve", "29:kim"));
    expect(await decisionOf(run)).toMatchObject({ outcome: "approved", approver: "kim" });
    await deliver();
    expect(linesOf(request().card).join()).toMatch(/Approved by kim at /);
  });

  it("uses one token for several messages", async () => {
    await waitingRun();
    await waitingRun();
    expect(teams.messages).toHaveLength(2);
    expect(teams.calls.filter((path) => path.endsWith("/token")).length).toBeLessThanOrEqual(1);
  });

  it.each<[string, object, RegExp]>([
    ["the channel does not exist", { channel_id: "19:none@thread.tacv2" }, /ConversationNotFound: there is no such conversation/],
    [
      "the bot is in no such chat",
      { channel_id: "a:unknown", resource_path: "u/ann/gone" },
      /no resource of a chat application at u\/ann\/gone/,
    ],
  ])("reports a failed notice, and waits, if %s", async (_, more, error) => {
    const run = await waitingRun({ notification: { channel: "chat", resource_path: TEAMS_PATH, ...more } });
    expect(await chatNotices(run)).toEqual([expect.objectContaining({ state: "failed", error: expect.stringMatching(error) })]);
    expect(await decisionOf(run)).toBeUndefined();
  });

  it.each<[string, { status: number; body: string }, string, RegExp]>([
    [
      "the bot is not installed",
      { status: 403, body: '{"error":{"code":"BotNotInConversationRoster"}}' },
      "failed",
      /add the app to the team/,
    ],
    ["Teams is not available", { status: 503, body: "<html>" }, "retrying", /status 503/],
    ["Teams answers with a page", { status: 200, body: "<html>" }, "retrying", /did not answer as expected/],
  ])("says so if %s", async (_, answer, state, error) => {
    teams.answers.push({ path: /conversations$/, ...answer });
    const run = await waitingRun();
    expect(await chatNotices(run)).toEqual([expect.objectContaining({ state, error: expect.stringMatching(error) })]);
  });

  it("says what to do about a wrong password", async () => {
    await saveResource({ app_password: "wrong" });
    const run = await waitingRun();
    expect(await chatNotices(run)).toEqual([
      expect.objectContaining({ state: "failed", error: expect.stringMatching(/invalid_client: the app_password is wrong/) }),
    ]);
  });

  it("is posted again after the pause that Teams asks for", async () => {
    teams.answers.push({ path: /conversations$/, status: 429, headers: { "retry-after": "30" }, body: "{}" });
    const run = await waitingRun();
    expect(await chatNotices(run)).toEqual([expect.objectContaining({ state: "retrying", error: "Teams asks to send less" })]);
    world.clock.nowMs += 31_000;
    await deliver();
    expect(teams.messages).toHaveLength(1);
  });

  it("answers a reminder in the thread of the message", async () => {
    await waitingRun({ remind_after: 10, timeout: 1000 });
    world.clock.nowMs += 20_000;
    await housekeep(world);
    await deliver();
    expect(teams.messages.map(({ conversation }) => conversation)).toEqual([teams.channel, `${teams.channel};messageid=${request().id}`]);
  });
});

describe("a use of a card", () => {
  it("by an approver whose sign-in name the resource trusts approves, and the card shows who decided without buttons", async () => {
    await saveResource({ trust_email: true });
    const run = await waitingRun();
    const reply = await call(teams.press(request(), "Approve", "29:kim"));
    expect(reply).toMatchObject({ statusCode: 200, type: "application/vnd.microsoft.card.adaptive" });
    await playExecutions(world);
    expect(await world.deps.jobs.get(run)).toMatchObject({ state: "succeeded" });
    await deliver();
    expect(labelsOf(request().card)).toEqual([]);
    expect(linesOf(request().card).join()).toMatch(/Approved by kim at /);
    const [entry] = await world.deps.objects.list(approvalEntryObject.partitionKey(world.workspace));
    expect(entry?.value).toMatchObject({
      what: "approved",
      who: { name: "kim", email: "kim@example.com", chat: `teams:${teams.tenant}:aad-kim` },
    });
  });

  it("to reject asks for the reason, and rejects with it", async () => {
    await saveResource({ trust_email: true });
    const run = await waitingRun();
    const form = cardOf(await call(teams.press(request(), "Reject", "29:kim")));
    expect(await decisionOf(run)).toBeUndefined();
    const back = cardOf(await call(teams.press(request(), "Back", "29:kim", { card: form })));
    expect(labelsOf(back)).toEqual(labelsOf(request().card));
    await call(teams.press(request(), "Reject", "29:kim", { card: form, entries: { Reason: "too early" } }));
    expect(await decisionOf(run)).toMatchObject({ outcome: "rejected", approver: "kim", reason: "too early" });
    await deliver();
    expect(linesOf(request().card).slice(-2)).toEqual([expect.stringMatching(/Rejected by kim/), "too early"]);
  });

  it.each<[string, () => void, string]>([
    ["a guest", () => teams.people.set("29:kim", { userPrincipalName: "kim@example.com", userRole: "guest" }), "29:kim"],
    ["a person of another tenant", () => teams.people.set("29:kim", { userPrincipalName: "kim@example.com", tenantId: "other" }), "29:kim"],
    ["a person whom Teams does not find", () => teams.people.delete("29:kim"), "29:kim"],
  ])("by %s decides nothing, and they alone see why", async (_, change, user) => {
    await saveResource({ trust_email: true });
    const run = await waitingRun();
    change();
    const card = cardOf(await call(teams.press(request(), "Approve", user)));
    expect(linesOf(card).join()).toMatch(/Sign in to decide.*\/approve\//);
    expect(linesOf(card).join()).not.toMatch(/Connect your account/);
    expect(labelsOf(request().card)).toHaveLength(3);
    expect(await decisionOf(run)).toBeUndefined();
  });

  it("by a member who is not connected offers to connect, and by one who may not decide says so", async () => {
    const run = await waitingRun();
    const offer = cardOf(await call(teams.press(request(), "Approve", "29:kim")));
    expect(linesOf(offer).join()).toMatch(/Connect your account/);
    expect(labelsOf(offer)).toEqual(["Open", "Open", "Back"]);
    await saveResource({ trust_email: true });
    expect(textOf(await call(teams.press(request(), "Approve", "29:lee")))).toMatch(/can't decide this request/);
    expect(await decisionOf(run)).toBeUndefined();
  });

  it("that Teams repeats, and those of many people at once, decide once", async () => {
    await saveResource({ trust_email: true });
    const run = await waitingRun();
    const activity = teams.press(request(), "Approve", "29:kim");
    const replies = await Promise.all(Array.from({ length: 20 }, () => call(activity)));
    expect(replies.every(({ statusCode }) => statusCode === 200)).toBe(true);
    await deliver();
    const entries = await world.deps.objects.list(approvalEntryObject.partitionKey(world.workspace));
    expect(entries.filter(({ value }) => (value as { what: string }).what === "approved")).toHaveLength(1);
    expect(await decisionOf(run)).toMatchObject({ outcome: "approved" });
  });

  it("of a decided request shows the decision, and corrects a card that shows an older state", async () => {
    await saveResource({ trust_email: true });
    const run = await waitingRun({ approvers: ["role:admin", "u/kim"] });
    const old = request();
    const [gate] = await gates(world, run);
    if (!gate) throw new Error("The gate has not opened.");
    await approveGate(world, gate, {}, { person: admin() });
    const card = cardOf(await call(teams.press(old, "Approve", "29:kim")));
    expect(linesOf(card).join()).toMatch(/Approved by /);
    expect(labelsOf(request().card)).toEqual([]);
  });

  it("of a run that was canceled removes the buttons", async () => {
    await saveResource({ trust_email: true });
    const run = await waitingRun();
    const old = request();
    const job = await world.deps.jobs.get(run);
    if (!job) throw new Error("The run does not exist.");
    await cancelJob(world.deps, job, { by: "ann", reason: "" });
    await call(teams.press(old, "Approve", "29:kim"));
    expect(linesOf(request().card).join()).toMatch(/ended without a decision/);
  });

  it("in a copy of the card decides nothing", async () => {
    await saveResource({ trust_email: true });
    const run = await waitingRun();
    const copies = [
      { ...request(), id: "1700000000999" },
      { ...request(), conversation: "19:other@thread.tacv2" },
    ];
    for (const copy of copies) expect(textOf(await call(teams.press(copy, "Approve", "29:kim")))).toMatch(/does not belong/);
    expect(await decisionOf(run)).toBeUndefined();
  });

  it("in an old client decides, and tells the person in their chat with the bot", async () => {
    await saveResource({ trust_email: true });
    const run = await waitingRun();
    expect(await call(teams.press(request(), "Reject", "29:lee", { isOld: true }))).toEqual({});
    expect(teams.messages.at(-1)).toMatchObject({ conversation: "a:29:lee", text: expect.stringMatching(/approval page: .*\/approve\//) });
    expect(await call(teams.press(request(), "Approve", "29:kim", { isOld: true }))).toEqual({});
    expect(await decisionOf(run)).toMatchObject({ outcome: "approved", approver: "kim" });
  });
});

describe("a call at the address of a resource", () => {
  const nowS = () => Math.floor(world.clock.nowMs / 1000);
  const hello = () => teams.activity({ type: "message", text: "hello" });

  it.each<[string, () => Promise<Record<string, string>>]>([
    ["without a token", async () => ({})],
    ["whose token is not one", async () => ({ authorization: "Bearer a.b.c" })],
    ["whose token has expired", () => teams.sign(nowS() - 4000)],
    ["whose token is for another bot", () => teams.sign(nowS(), { claims: { aud: "00000000-0000-0000-0000-000000000000" } })],
    ["whose token has another issuer", () => teams.sign(nowS(), { claims: { iss: "https://example.com" } })],
    ["whose token names another server", () => teams.sign(nowS(), { claims: { serviceurl: "https://smba.trafficmanager.net/amer/" } })],
    ["whose token never expires", () => teams.sign(nowS(), { claims: { exp: undefined } })],
    ["whose token was signed with another key", async () => teams.sign(nowS(), { key: (await generateKeyPair("RS256")).privateKey })],
    [
      "whose token is signed with a text",
      async () => teams.sign(nowS(), { key: Buffer.from("secret"), header: { alg: "HS256", kid: "k1" } }),
    ],
  ])("%s is refused, and its body is not used", async (_, headers) => {
    await expect(call(hello(), await headers())).rejects.toMatchObject({ code: "chat.signature" });
  });

  it.each<[string, object]>([
    ["another tenant", { conversation: { id: "19:a@thread.tacv2", tenantId: "00000000-0000-0000-0000-000000000000" } }],
    ["no tenant", { conversation: { id: "19:a@thread.tacv2" }, channelData: {} }],
    ["another channel of the Bot Framework", { channelId: "directline" }],
  ])("of %s is refused", async (_, more) => {
    await expect(call(teams.activity({ type: "message", ...more }))).rejects.toMatchObject({ code: "chat.signature" });
  });

  it("that is larger than 1 MB is refused", async () => {
    const bytes = Buffer.alloc(1024 * 1024 + 1, " ");
    await expect(callTeams(world, teams, {}, undefined, bytes)).rejects.toMatchObject({ code: "body.tooLarge" });
  });

  it("of a resource that is gone finds nothing", async () => {
    await deleteResource(world.deps, target());
    await expect(call(hello())).rejects.toMatchObject({ code: "chat.noResource" });
  });

  it("that asks for nothing is answered", async () => {
    expect(await call(hello())).toEqual({});
  });
});
