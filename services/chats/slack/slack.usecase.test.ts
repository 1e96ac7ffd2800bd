import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pendingGateObject } from "../../../core/approvals/pending-gate.ts";
import { approvalEntryObject } from "../../../core/approvals/record.ts";
import type { WorkspaceCaller } from "../../../core/people/actor.ts";
import { noticesOf } from "../../../test/support/chats/deliver-notices.ts";
import { type FakeSlack, startSlack } from "../../../test/support/chats/slack.ts";
import { addPerson, callService, SLACK_PATH } from "../../../test/support/chats/slack-world.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { approveGate, gates, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addWorkspace, housekeep } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { loadGate } from "../../approvals/gates/change-gate.ts";
import type { SendingPorts } from "../../deliveries/deliver-message.ts";
import { cancelJob } from "../../jobs/cancel/cancel-job.ts";
import { createResource, deleteResource, updateResource } from "../../resources/save.ts";
import { createVariable, updateVariable } from "../../variables/save.ts";

let slack: FakeSlack;
let world: World;
let notices: ReturnType<typeof noticesOf>;
beforeAll(async () => {
  slack = await startSlack();
});
afterAll(() => slack.stop());

beforeEach(async () => {
  slack.messages.splice(0);
  slack.dialogs.splice(0);
  slack.calls.splice(0);
  delete slack.events.beforeAnswer;
  slack.people.clear();
  world = await newWorld();
  notices = noticesOf(world);
  await addWorkspace(world);
  await saveResource();
  await addPerson(world, slack, "U0KIM", "kim");
  await addPerson(world, slack, "U0LEE", "lee");
});

/** Creates the resource with its token in a variable, or replaces it with further fields. */
async function saveResource(more?: object): Promise<void> {
  const caller = { actor: anAdmin, workspace: world.workspace };
  const variable = `${SLACK_PATH}_token`;
  const value = { ...slack.resource, token: `$var:${variable}`, ...more };
  if (more) return updateResource(world.deps, { ...caller, path: SLACK_PATH }, { value });
  await createVariable(world.deps, caller, { path: variable, value: slack.resource.token, is_secret: true, description: "" });
  await createResource(world.deps, caller, { path: SLACK_PATH, value, resource_type: "slack" });
}

const consent = (fields: object = {}) => ({
  id: "ask",
  value: {
    type: "consentgate",
    approvers: ["u/kim"],
    message: "Deploy <!channel> now?",
    notification: { channel: "chat", resource_path: SLACK_PATH, channel_id: slack.channel },
    ...fields,
  },
});

const deliver = (ports?: Partial<SendingPorts>) => notices.deliver(ports);

async function waitingRun(fields: object = {}, starter: object = {}): Promise<string> {
  const run = await startFlow(world, [consent(fields), { id: "b", value: { type: "identity" } }], {}, starter);
  await playExecutions(world);
  await deliver();
  return run;
}

const call = (body: string, headers?: Record<string, string>) => callService(world, slack, body, headers);
const shown = () => slack.messages.filter(({ only }) => only === undefined);
const told = (user: string) => slack.messages.filter(({ only }) => only === user).map(({ text }) => text);
const chatNotices = (run: string) => notices.listInChats(run);
const textsOf = (message = shown()[0]) => (message?.blocks ?? []).map(({ text }) => text?.text ?? "").join("\n");
const labelsOf = (message = shown()[0]) => (message?.blocks ?? []).flatMap(({ elements = [] }) => elements).map(({ text }) => text.text);
function requestIn(messages = shown()) {
  const [message] = messages;
  if (!message) throw new Error("No message was posted.");
  return message;
}

describe("a ConsentGate whose channel is Slack", () => {
  it("posts one message, with escaped texts, buttons and the page, and no address that decides", async () => {
    const run = await waitingRun();
    expect(shown()).toHaveLength(1);
    expect(textsOf()).toContain("Deploy &lt;!channel&gt; now?");
    expect(labelsOf()).toEqual(["Approve", "Reject", "Open page"]);
    expect(slack.bodies.join()).not.toMatch(/jobs_u|<!channel/);
    expect(await chatNotices(run)).toEqual([expect.objectContaining({ to: `${SLACK_PATH} ${slack.channel}`, state: "sent" })]);
  });

  it.each<[string, object, RegExp]>([
    ["the channel does not exist", { channel_id: "C0NONE" }, /channel_not_found.*use the id of a channel/],
    ["the resource does not exist", { resource_path: "u/ann/gone" }, /no resource of a chat application at u\/ann\/gone/],
    ["the flow's user may not read the resource", { resource_path: "u/kim/slack" }, /may not read the resource u\/kim\/slack/],
  ])("reports a failed notice, and waits, if %s", async (_, more, error) => {
    const starter =
      "resource_path" in more && more.resource_path === "u/kim/slack"
        ? { email: "lee@example.com", permissionedAs: "u/lee", superAdmin: false }
        : {};
    const run = await waitingRun({ notification: { channel: "chat", resource_path: SLACK_PATH, ...more } }, starter);
    expect(await chatNotices(run)).toEqual([expect.objectContaining({ state: "failed", error: expect.stringMatching(error) })]);
    expect(await gates(world, run)).toEqual([expect.not.objectContaining({ decision: expect.anything() })]);
  });

  it("is posted again after the pause that Slack asks for", async () => {
    slack.answers.push({ method: "chat.postMessage", status: 429, headers: { "retry-after": "30" }, body: "{}" });
    const run = await waitingRun();
    expect(await chatNotices(run)).toEqual([expect.objectContaining({ state: "retrying", error: "Slack asks to send less" })]);
    world.clock.nowMs += 31_000;
    await deliver();
    expect(shown()).toHaveLength(1);
  });

  it("answers a reminder in the thread of the message", async () => {
    await waitingRun({ remind_after: 10, timeout: 1000 });
    world.clock.nowMs += 20_000;
    await housekeep(world);
    await deliver();
    expect(shown().map(({ thread }) => thread)).toEqual([undefined, requestIn().ts]);
  });
});

describe("a click in Slack", () => {
  it("of an approver whose address the resource trusts approves, and the message says so without buttons", async () => {
    await saveResource({ trust_email: true });
    const run = await waitingRun();
    expect(await call(slack.click(requestIn(), "Approve", "U0KIM"))).toEqual({});
    await playExecutions(world);
    expect(await world.deps.jobs.get(run)).toMatchObject({ state: "succeeded" });
    await deliver();
    expect(labelsOf()).toEqual([]);
    expect(textsOf()).toMatch(/Approved by kim at /);
    const [entry] = await world.deps.objects.list(approvalEntryObject.partitionKey(world.workspace));
    expect(entry?.value).toMatchObject({ what: "approved", who: { name: "kim", email: "kim@example.com", chat: "slack:T0TEAM:U0KIM" } });
  });

  it.each<[string, (person: string) => void, string, RegExp]>([
    ["is not an approver", () => undefined, "U0LEE", /can't decide this request.* Only kim may decide\./],
    ["is a guest", (user) => Object.assign(slack.people.get(user) ?? {}, { guest: true }), "U0KIM", /Sign in to decide.*\/approve\//],
    ["has no confirmed address", (user) => Object.assign(slack.people.get(user) ?? {}, { confirmed: false }), "U0KIM", /Sign in to decide/],
    ["belongs to another team", (user) => Object.assign(slack.people.get(user) ?? {}, { team: "T0OTHER" }), "U0KIM", /Sign in to decide/],
  ])("of a person who %s decides nothing, and they alone see why", async (_, change, user, reason) => {
    await saveResource({ trust_email: true });
    const run = await waitingRun();
    change(user);
    const team = slack.people.get(user)?.team === "T0OTHER" ? "T0TEAM" : undefined;
    await call(slack.click(requestIn(), "Approve", user, team));
    expect(told(user)).toEqual([expect.stringMatching(reason)]);
    expect(labelsOf()).toHaveLength(3);
    expect((await gates(world, run))[0]?.decision).toBeUndefined();
  });

  it.each<[string, (developer: WorkspaceCaller) => Promise<unknown>]>([
    [
      "saved the resource",
      (caller) => updateResource(world.deps, { ...caller, path: SLACK_PATH }, { value: { ...slack.resource, trust_email: true } }),
    ],
    [
      "changed its variable",
      (caller) => updateVariable(world.deps, { ...caller, path: `${SLACK_PATH}_token` }, { value: slack.resource.token }),
    ],
    [
      "saved it before an administrator changed its description",
      async (caller) => {
        await updateResource(world.deps, { ...caller, path: SLACK_PATH }, { value: { ...slack.resource, trust_email: true } });
        await updateResource(
          world.deps,
          { actor: anAdmin, workspace: world.workspace, path: SLACK_PATH },
          { description: "For approvals" },
        );
      },
    ],
  ])("of an approver decides nothing by their address after a developer %s", async (_, change) => {
    await saveResource({ trust_email: true });
    const rights = { workspace: world.workspace, role: "developer" as const, groups: [], folders: {}, objects: {} };
    await change({ actor: { ...anAdmin, superAdmin: false, rights }, workspace: world.workspace });
    const run = await waitingRun();
    await call(slack.click(requestIn(), "Approve", "U0KIM"));
    expect((await gates(world, run))[0]?.decision).toBeUndefined();
    expect(told("U0KIM")).toEqual([expect.stringMatching(/Sign in to decide/)]);
  });

  it("of an approver decides nothing if the resource does not trust addresses", async () => {
    await waitingRun();
    await call(slack.click(requestIn(), "Approve", "U0KIM"));
    expect(told("U0KIM")).toEqual([expect.stringMatching(/Sign in to decide.*Connect your account.*\/chat\/link#/)]);
  });

  it("of a person about whom Slack tells nothing offers no link to connect", async () => {
    await waitingRun();
    slack.answers.push({ method: "users.info", body: JSON.stringify({ ok: false, error: "missing_scope" }) });
    await call(slack.click(requestIn(), "Approve", "U0KIM"));
    expect(told("U0KIM")).toEqual([expect.not.stringContaining("/chat/link")]);
  });

  it("decides once when it is sent three times and when twenty people click at once, and tells the others", async () => {
    await saveResource({ trust_email: true });
    const others = Array.from({ length: 19 }, (_, index) => `other${index}`);
    for (const name of others) await addPerson(world, slack, `U0${name.toUpperCase()}`, name);
    const run = await waitingRun({ approvers: ["u/kim", ...others.map((name) => `u/${name}`)] });
    const people = ["U0KIM", ...others.map((name) => `U0${name.toUpperCase()}`)];
    const clicks = people.map((user) => slack.click(requestIn(), "Approve", user));
    const retries = [1, 2].map((count) => ({
      ...slack.sign(clicks[0] ?? "", Math.floor(world.clock.nowMs / 1000)),
      "x-slack-retry-num": String(count),
    }));
    await Promise.all([...clicks.map((click) => call(click)), ...retries.map((headers) => call(clicks[0] ?? "", headers))]);
    const [event] = (await gates(world, run))[0]?.events ?? [];
    const late = people.filter((user) => event?.chatUser !== `slack:T0TEAM:${user}`);
    expect(late.length).toBe(19);
    for (const user of late) expect(told(user)).toContainEqual(expect.stringMatching(/already been decided/));
    expect((await gates(world, run))[0]?.events).toHaveLength(1);
    expect(await world.deps.objects.list(approvalEntryObject.partitionKey(world.workspace))).toHaveLength(1);
  });

  it("on a request that was decided elsewhere corrects the message", async () => {
    await saveResource({ trust_email: true });
    const run = await waitingRun({ approvers: ["u/kim", "role:admin"] });
    const [gate] = await gates(world, run);
    if (!gate) throw new Error("The gate has not opened.");
    const click = slack.click(requestIn(), "Approve", "U0KIM");
    await approveGate(world, gate, {}, { person: admin() });
    await call(click);
    expect(textsOf()).toMatch(/Approved by kim at /);
    expect(labelsOf()).toEqual([]);
    expect(told("U0KIM")).toEqual([expect.stringMatching(/already been decided/)]);
  });

  it("rejects after a dialog has asked for the reason, which the message shows", async () => {
    await saveResource({ trust_email: true });
    const run = await waitingRun({ reject_reason_required: true });
    await call(slack.click(requestIn(), "Reject", "U0KIM"));
    expect(await call(slack.submit(" ", "U0KIM"))).toEqual({
      response_action: "errors",
      errors: { reason: expect.stringMatching(/requires a reason/) },
    });
    expect((await gates(world, run))[0]?.decision).toBeUndefined();
    expect(await call(slack.submit("Not on a Friday <@U1>", "U0KIM"))).toEqual({ response_action: "clear" });
    await deliver();
    expect(textsOf()).toMatch(/Rejected by kim at .*\nNot on a Friday &lt;@U1&gt;/);
  });

  it("on a message that the service has not posted decides nothing", async () => {
    await saveResource({ trust_email: true });
    const run = await waitingRun();
    // A job that has the token of the resource can post the same buttons in another message.
    const copy = { ...requestIn(), ts: "1700000000.999999" };
    await call(slack.click(copy, "Approve", "U0KIM"));
    expect((await gates(world, run))[0]?.decision).toBeUndefined();
    expect(told("U0KIM")).toEqual([expect.stringMatching(/does not belong to an approval/)]);
  });
});

const admin = () => ({ ...anAdmin, rights: { workspace: world.workspace, role: "admin" as const, groups: [], folders: {}, objects: {} } });
async function gateOf(run: string) {
  const [gate] = await gates(world, run);
  if (!gate) throw new Error("The gate has not opened.");
  return gate;
}

describe("the outcome of a request in Slack", () => {
  it("is shown if another person rejects elsewhere", async () => {
    const run = await waitingRun({ approvers: ["role:admin"] });
    await approveGate(world, await gateOf(run), { reason: "no" }, { person: admin(), approved: false });
    await deliver();
    expect(textsOf()).toMatch(/Rejected by kim at /);
    expect(labelsOf()).toEqual([]);
  });

  it("is shown if the time is over without a decision", async () => {
    await waitingRun({ timeout: 10 });
    world.clock.nowMs += 20_000;
    await housekeep(world);
    await deliver();
    expect(textsOf()).toMatch(/No decision was made before /);
    expect(labelsOf()).toEqual([]);
  });

  it("is shown if the decision comes while the message is being posted", async () => {
    slack.events.beforeAnswer = async (method) => {
      if (method !== "chat.postMessage") return;
      const [pending] = await world.deps.objects.list(pendingGateObject.partitionKey(world.workspace));
      const gate = await loadGate(world.deps, pending?.sk ?? "");
      if (gate) await approveGate(world, gate, {}, { person: admin() });
    };
    await waitingRun({ approvers: ["role:admin"] });
    expect(textsOf()).toMatch(/Approved by kim at /);
    expect(labelsOf()).toEqual([]);
  });

  it("of a run that was canceled is shown at the next click, even if no notice of the end is delivered yet", async () => {
    await saveResource({ trust_email: true });
    const run = await waitingRun();
    const job = await world.deps.jobs.get(run);
    if (!job) throw new Error("The run does not exist.");
    await cancelJob(world.deps, job, { by: "ann", reason: "" });
    await call(slack.click(requestIn(), "Approve", "U0KIM"));
    expect(textsOf()).toMatch(/The run has ended without a decision\./);
    expect(labelsOf()).toEqual([]);
  });

  it("is shown in the second message if the process died before it stored the first", async () => {
    await saveResource({ trust_email: true });
    const { jobs } = world.deps;
    const run = await startFlow(world, [consent(), { id: "b", value: { type: "identity" } }]);
    await playExecutions(world);
    const putChildIf: typeof jobs.putChildIf = async (child, after) => {
      if (child.ref.startsWith("chat#")) throw new Error("The process has died.");
      return jobs.putChildIf(child, after);
    };
    await deliver({ jobs: { ...jobs, putChildIf } });
    world.clock.nowMs += 600_000;
    await deliver();
    const [first, second] = shown();
    if (!first || !second) throw new Error("Two messages were expected.");
    await call(slack.click(first, "Approve", "U0KIM"));
    expect(told("U0KIM")).toEqual([expect.stringMatching(/does not belong/)]);
    await call(slack.click(second, "Approve", "U0KIM"));
    await deliver();
    expect(textsOf(second)).toMatch(/Approved by kim/);
    await playExecutions(world);
    expect(await world.deps.jobs.get(run)).toMatchObject({ state: "succeeded" });
  });
});

describe("a call at the address of a resource", () => {
  const hello = new URLSearchParams({ payload: "{}" }).toString();
  const nowS = () => Math.floor(world.clock.nowMs / 1000);

  it("that checks the address gets the challenge back", async () => {
    const body = JSON.stringify({ type: "url_verification", challenge: "abc" });
    expect(await call(body)).toEqual({ challenge: "abc" });
  });

  it.each<[string, () => Record<string, string>]>([
    ["without a signature", () => ({})],
    ["that was signed six minutes ago", () => slack.sign(hello, nowS() - 360)],
    ["whose signature belongs to another body", () => slack.sign("payload=", nowS())],
    [
      "with two signatures",
      () => ({ ...slack.sign(hello, nowS()), "x-slack-signature": `${slack.sign(hello, nowS())["x-slack-signature"]}, v0=00` }),
    ],
  ])("%s is refused, and its body is not read", async (_, headers) => {
    await expect(call(hello, headers())).rejects.toMatchObject({ code: "chat.signature" });
  });

  it("of a resource that is gone, or that has no signing secret, finds nothing", async () => {
    const target = { actor: anAdmin, workspace: world.workspace, path: SLACK_PATH };
    await updateResource(world.deps, target, { value: { token: slack.resource.token } });
    await expect(call(hello)).rejects.toMatchObject({ code: "chat.noResource" });
    await deleteResource(world.deps, target);
    await expect(call(hello)).rejects.toMatchObject({ code: "chat.noResource" });
  });

  it("uses the new token once the variable of the resource has changed", async () => {
    const target = { actor: anAdmin, workspace: world.workspace, path: `${SLACK_PATH}_token` };
    await updateVariable(world.deps, target, { value: "xoxb-old" });
    const run = await waitingRun();
    expect(await chatNotices(run)).toEqual([expect.objectContaining({ state: "failed", error: expect.stringContaining("invalid_auth") })]);
  });
});
