import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { GateNotice } from "../../core/notifications/notice.ts";
import { type FakeSlack, startSlack } from "../../test/support/chats/slack.ts";
import { SLACK_PATH } from "../../test/support/chats/slack-world.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { approveGate, gates, playExecutions, startFlow } from "../../test/support/use-cases/world-flows.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { findApprovalRequest } from "../approvals/gates/find-approval-request.ts";
import type { SendingPorts } from "../deliveries/deliver-message.ts";
import { chat } from "../notifications/channels/chat.ts";
import { buildNotice } from "../outbox/notice.ts";
import { createResource } from "../resources/save.ts";
import { findChatMessage } from "./messages.ts";
import { postInChat } from "./post-message.ts";

let slack: FakeSlack;
let world: World;
beforeAll(async () => {
  slack = await startSlack();
});
afterAll(() => slack.stop());
beforeEach(async () => {
  slack.messages.splice(0);
  delete slack.events.beforeAnswer;
  world = await newWorld();
  await addWorkspace(world);
  const resource = { path: SLACK_PATH, value: slack.resource, resource_type: "slack" };
  await createResource(world.deps, { actor: anAdmin, workspace: world.workspace }, resource);
});

/** Posts the message that a step asks for, and returns the notice that its gate has opened. */
async function askedRun(suspend: object = {}): Promise<{ message: string; notice: GateNotice }> {
  const step = { id: "ask", value: { type: "identity" }, suspend: { required_events: 2, timeout: 600, ...suspend } };
  const run = await startFlow(world, [step, { id: "b", value: { type: "identity" } }]);
  await playExecutions(world);
  const [gate] = await gates(world, run);
  if (!gate) throw new Error("The gate has not opened.");
  const notice = buildNotice(world.deps.nowMs(), "opened", await findApprovalRequest(world.deps, world.workspace, gate.id));
  const { deadlineMs: _, ...asked } = { ...notice, message: "Buy it?", people: ["release"] };
  const message = randomUUID();
  expect(await postInChat(world.deps, { kind: "chatPost", id: message, resource: SLACK_PATH, request: asked })).toMatchObject({ ok: true });
  return { message, notice: { ...notice, description: "It costs 7." } };
}
const complete = (notice: GateNotice, message: string) =>
  chat.sendGateNotice(world.deps as unknown as SendingPorts, {
    notice,
    part: { channel: "chat", to: SLACK_PATH, message },
    flowHasEnded: false,
    attempts: 1,
    answerMs: 1000,
  });
const shownText = () => (slack.messages[0]?.blocks ?? []).map(({ text }) => text?.text ?? "").join("\n");
const hasButtons = () => slack.messages[0]?.blocks.some(({ type }) => type === "actions");

it("completes the message of a step with its text and the time at which the request expires, also when it is repeated", async () => {
  const { message, notice } = await askedRun();
  expect(shownText()).not.toContain("expires");
  for (const _ of [1, 2]) expect(await complete(notice, message)).toMatchObject({ ok: true });
  expect(slack.messages).toHaveLength(1);
  expect(shownText()).toMatch(/Approvers: release\.\nIt needs 2 approvals\.\nThe request expires at .*\nBuy it\?\nIt costs 7\.\n$/s);
  expect(hasButtons()).toBe(true);
  const { flow, gate } = notice;
  expect(await findChatMessage(world.deps, { flow, gate, id: message })).toMatchObject({
    shown: { message: "Buy it?", description: "It costs 7." },
  });
});

it("keeps the number of approvals that came before", async () => {
  const { message, notice } = await askedRun();
  const [gate] = await gates(world, notice.flow);
  if (!gate) throw new Error("The gate has not opened.");
  await approveGate(world, gate, {}, { person: anAdmin });
  await complete(notice, message);
  expect(shownText()).toMatch(/It costs 7\.\n1 of 2 approvals/);
});

it("shows a decision that comes while it changes the message", async () => {
  const { message, notice } = await askedRun({ required_events: 1 });
  slack.events.beforeAnswer = async (method) => {
    if (method !== "chat.update") return;
    delete slack.events.beforeAnswer;
    const [gate] = await gates(world, notice.flow);
    if (gate) await approveGate(world, gate, {}, { person: anAdmin });
  };
  await complete(notice, message);
  expect(shownText()).toMatch(/It costs 7\.\nApproved by /);
  expect(hasButtons()).toBe(false);
});
