import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Gate, isOpen, markInChat } from "../../core/approvals/gate.ts";
import { noticeObject } from "../../core/notifications/stored-notice.ts";
import type { Person } from "../../core/people/actor.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { noticesOf } from "../../test/support/chats/deliver-notices.ts";
import { type FakeSlack, startSlack } from "../../test/support/chats/slack.ts";
import { addPerson, callService, SLACK_PATH } from "../../test/support/chats/slack-world.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { failure, newWorld, type World } from "../../test/support/use-cases/world.ts";
import { gates, playExecutions, startFlow } from "../../test/support/use-cases/world-flows.ts";
import { addScript, addWorkspace, housekeep, passLease, work } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { decideConsent } from "../approvals/decisions/consent.ts";
import { changeGate } from "../approvals/gates/change-gate.ts";
import { findApprovalRequest } from "../approvals/gates/find-approval-request.ts";
import { createGateLinks } from "../approvals/links/create-resume-urls.ts";
import { decideOnPage } from "../approvals/page/decide-on-page.ts";
import { cancelJob } from "../jobs/cancel/cancel-job.ts";
import { buildNotice } from "../outbox/notice.ts";
import { createResource } from "../resources/save.ts";
import { postInChat } from "./post-message.ts";

let slack: FakeSlack;
let world: World;
let notices: ReturnType<typeof noticesOf>;
beforeAll(async () => {
  slack = await startSlack();
});
afterAll(() => slack.stop());

beforeEach(async () => {
  slack.messages.splice(0);
  delete slack.events.beforeAnswer;
  world = await newWorld();
  notices = noticesOf(world);
  await addWorkspace(world);
  const value = { ...slack.resource, trust_email: true };
  await createResource(world.deps, { actor: anAdmin, workspace: world.workspace }, { path: SLACK_PATH, value, resource_type: "slack" });
  await addPerson(world, slack, "U0KIM", "kim");
});

const kim = (): Person => ({
  ...anAdmin,
  email: "kim@example.com",
  username: "kim",
  superAdmin: false,
  rights: { workspace: world.workspace, role: "developer", groups: [], folders: {}, objects: {} },
});

/** Starts a run that asks `kim` by mail and in two channels of the chat. */
async function askInTwoChannels(): Promise<Gate> {
  slack.messages.splice(0);
  const run = await startFlow(world, [
    { id: "ask", value: CONSENT },
    { id: "b", value: { type: "identity" } },
  ]);
  await playExecutions(world);
  const gate = await gateOf(run);
  const request = await findApprovalRequest(world.deps, world.workspace, gate.id);
  await changeGate(world.deps, request, markInChat);
  for (const channel of [slack.channel, slack.channels[1]]) {
    const notice = buildNotice(world.clock.nowMs, "opened", request);
    const posted = await postInChat(world.deps, { kind: "chatPost", id: randomUUID(), resource: SLACK_PATH, channel, request: notice });
    expect(posted).toMatchObject({ ok: true });
  }
  await notices.deliver();
  expect(shown().map(labelsOf)).toEqual([BUTTONS, BUTTONS]);
  return gateOf(run);
}

const CONSENT = { type: "consentgate", approvers: ["u/kim"], message: "Deploy?", timeout: 600 };
const inChannel = () => ({ channel: "chat", resource_path: SLACK_PATH, channel_id: slack.channel });
const RUN_OVER = "The run has ended without a decision.";
const BUTTONS = ["Approve", "Reject", "Open page"];
async function gateOf(run: string): Promise<Gate> {
  const [gate] = await gates(world, run);
  if (!gate) throw new Error("The gate has not opened.");
  return gate;
}
const shown = () => slack.messages.filter(({ only, thread }) => only === undefined && thread === undefined);
const textOf = ({ blocks }: FakeSlack["messages"][number]) => blocks.map(({ text }) => text?.text ?? "").join("\n");
const labelsOf = ({ blocks }: FakeSlack["messages"][number]) =>
  blocks.flatMap(({ elements = [] }) => elements).map(({ text }) => text.text);
async function flowOf({ flow }: Gate) {
  const job = await world.deps.jobs.get(flow);
  if (!job) throw new Error("The run does not exist.");
  return job;
}
const cancel = async (gate: Gate) => cancelJob(world.deps, await flowOf(gate), { by: "ann", reason: "" });
const page = (id: string) => ({ workspace: world.workspace, id, actor: kim() });

describe("every message of a request", () => {
  it.each<[string, (gate: Gate) => Promise<unknown>, RegExp]>([
    ["the message", (gate) => clickOn(gate), /\nApproved by kim at .*UTC\.$/],
    ["the page of a link", (gate) => decideByPageOfLink(gate), /\nApproved by kim at .*UTC\.$/],
    ["the page of the mail", () => rejectByMail(), /\nRejected by kim at .*UTC\.\nNot on a Friday$/],
    [
      "the API",
      async (gate) => decideConsent(world.deps, kim(), await flowOf(gate), { decision: "rejected", reason: "No" }),
      /\nRejected by kim at .*UTC\.\nNo$/,
    ],
    [
      "its time limit",
      async () => {
        world.clock.nowMs += 601_000;
        await housekeep(world);
      },
      /\nNo decision was made before .*UTC\.$/,
    ],
    ["the cancellation of the run", cancel, /\nThe run has ended without a decision\.$/],
  ])("loses its buttons and shows the outcome by %s, in each channel", async (_, decide, outcome) => {
    await decide(await askInTwoChannels());
    await notices.deliver();
    expect(shown().map((message) => message.channel)).toEqual([slack.channel, slack.channels[1]]);
    expect(shown().map(labelsOf)).toEqual([[], []]);
    for (const message of shown()) expect(textOf(message)).toMatch(outcome);
  });

  it("shows the outcome also if the process dies between the decision and the change of the messages", async () => {
    await clickOn(await askInTwoChannels());
    const update = async () => {
      throw new Error("The process has died.");
    };
    await notices.deliver({ chats: { ...world.deps.chats, update } }).catch(() => undefined);
    expect(shown().map(labelsOf)).toEqual([BUTTONS, BUTTONS]);
    await notices.pass(600_000);
    expect(shown().map(labelsOf)).toEqual([[], []]);
    for (const message of shown()) expect(textOf(message)).toMatch(/\nApproved by kim/);
  });

  it("whose message was deleted has a failed notice, and the others show the outcome", async () => {
    const gate = await askInTwoChannels();
    const [deleted] = slack.messages.splice(0, 1);
    await clickOn(gate, shown()[0]);
    await notices.deliver();
    expect(shown().map(textOf)).toEqual([expect.stringMatching(/\nApproved by kim/)]);
    const chats = await notices.listInChats(gate.flow);
    expect(chats.map(({ state, error }) => [state, error]).sort()).toEqual([
      ["failed", "Slack answered message_not_found: the message was deleted"],
      ["sent", undefined],
    ]);
    expect((await gateOf(gate.flow)).decision).toMatchObject({ outcome: "approved" });
    expect(deleted).toBeDefined();
  });
});

const clickOn = (_gate: Gate, message = shown()[1]) => {
  if (!message) throw new Error("Two messages were expected.");
  return callService(world, slack, slack.click(message, "Approve", "U0KIM"));
};
async function decideByPageOfLink(gate: Gate): Promise<string> {
  if (!isOpen(gate)) throw new Error("The gate is not open.");
  const { approvalPage } = await createGateLinks(world.deps, gate);
  const [resumeId, signature = ""] = approvalPage.split("/").slice(-2);
  const link = { workspace: world.workspace, id: gate.id, resumeId: Number(resumeId), signature, approver: "" };
  return decideOnPage(world.deps, { ...page(gate.id), link }, { approved: true });
}
async function rejectByMail(): Promise<string> {
  const [mail] = notices.mails;
  const id = /\/approve\/[^/]+\/(\S+)/.exec(mail?.text ?? "")?.[1] ?? "";
  return decideOnPage(world.deps, page(id), { approved: false, reason: "Not on a Friday" });
}

describe("the messages of a run that ends without a decision", () => {
  const ended = async () =>
    (await world.deps.objects.list(noticeObject.partitionKey(world.workspace))).filter(
      ({ value }) => (value as { what?: string }).what === "ended",
    );

  it("change once, whichever write of the cancellation fails", async () => {
    await expectToSurviveFaults(async () => {
      const gate = await askInTwoChannels();
      const before = (await ended()).length;
      return {
        act: async () => {
          await cancel(gate);
          await world.deps.startFollowUps(gate.flow);
        },
        recover: async () => {
          await cancel(gate).catch(() => undefined);
          await passLease(world);
          await work(world);
        },
        check: async () => expect((await ended()).length).toBe(before + 1),
      };
    });
  });

  it("change once if the follow-ups of the run start twice", async () => {
    const gate = await askInTwoChannels();
    await cancel(gate);
    await Promise.all([world.deps.startFollowUps(gate.flow), world.deps.startFollowUps(gate.flow)]);
    await notices.deliver();
    expect(await ended()).toHaveLength(1);
    expect(shown().map(labelsOf)).toEqual([[], []]);
  });

  it("show the decision if it counts, and otherwise the end, when both come at the same time", async () => {
    for (let each = 0; each < 6; each += 1) {
      const gate = await askInTwoChannels();
      const decide = async () => decideConsent(world.deps, kim(), await flowOf(gate), { decision: "approved" });
      const calls = each % 2 === 0 ? [decide(), cancel(gate)] : [cancel(gate), decide()];
      await Promise.allSettled(calls);
      await notices.deliver();
      const { decision } = await gateOf(gate.flow);
      for (const message of shown()) expect(textOf(message)).toMatch(decision ? /\nApproved by kim/ : /\nThe run has ended without/);
    }
  });

  it("change if the run ends while a message is being posted", async () => {
    const run = await startFlow(world, [{ id: "ask", value: { ...CONSENT, notification: inChannel() } }]);
    await playExecutions(world);
    slack.events.beforeAnswer = async (method) => {
      if (method !== "chat.postMessage") return;
      await cancel(await gateOf(run));
      await work(world);
    };
    await notices.deliver();
    expect(shown().map((message) => [textOf(message).split("\n").at(-1), labelsOf(message)])).toEqual([[RUN_OVER, []]]);
  });

  it("change if the step that has asked fails, so that no gate opens", async () => {
    const { build, ...script } = await addScript(world);
    await world.deps.objects.put({ ...scriptHeadObject.key(world.workspace, script.path), value: script, build });
    world.answers.run = async ({ job }) => {
      const request = await findApprovalRequest(world.deps, world.workspace, job);
      await changeGate(world.deps, request, markInChat);
      const notice = buildNotice(world.clock.nowMs, "opened", request);
      await postInChat(world.deps, { kind: "chatPost", id: randomUUID(), resource: SLACK_PATH, request: notice });
      return failure("no disk");
    };
    const run = await startFlow(world, [{ id: "ask", value: { type: "script", path: script.path }, suspend: { required_events: 1 } }]);
    await playExecutions(world);
    await notices.deliver();
    expect(await world.deps.jobs.get(run)).toMatchObject({ state: "failed" });
    expect(shown().map((message) => [textOf(message).split("\n").at(-1), labelsOf(message)])).toEqual([[RUN_OVER, []]]);
  });

  it("change if the run exceeds its time limit", async () => {
    await startFlow(world, [{ id: "ask", value: { ...CONSENT, notification: inChannel() } }], {}, { timeoutS: 60 });
    await playExecutions(world);
    await notices.deliver();
    expect(shown().map(labelsOf)).toEqual([BUTTONS]);
    world.clock.nowMs += 61_000;
    await housekeep(world);
    await notices.deliver();
    expect(shown().map((message) => [textOf(message).split("\n").at(-1), labelsOf(message)])).toEqual([[RUN_OVER, []]]);
  });

  it("need no follow-up of a run that was decided, and none of a run without chats", async () => {
    const decided = await askInTwoChannels();
    await decideConsent(world.deps, kim(), await flowOf(decided), { decision: "approved" });
    await playExecutions(world);
    const run = await startFlow(world, [{ id: "ask", value: { type: "consentgate", approvers: ["u/kim"] } }]);
    await playExecutions(world);
    await cancel(await gateOf(run));
    const jobs = [await flowOf(decided), await flowOf(await gateOf(run))];
    expect(jobs.map(({ state, chats = 0 }) => [state, chats])).toEqual([
      ["succeeded", 0],
      ["canceled", 0],
    ]);
    expect(await world.messages()).toEqual([]);
  });
});
