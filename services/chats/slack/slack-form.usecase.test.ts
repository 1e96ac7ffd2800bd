import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ChatFormOptions } from "../../../core/chats/chat-message.ts";
import { type FakeSlack, startSlack } from "../../../test/support/chats/slack.ts";
import { checkOptions } from "../../../test/support/chats/slack-view.ts";
import { addPerson, callService, SLACK_PATH } from "../../../test/support/chats/slack-world.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { gates, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addWorkspace } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { findApprovalRequest } from "../../approvals/gates/find-approval-request.ts";
import { loadJson } from "../../jobs/values/values.ts";
import { buildNotice } from "../../outbox/notice.ts";
import { createResource } from "../../resources/save.ts";
import { postInChat } from "../post-message.ts";

let slack: FakeSlack;
let world: World;
beforeAll(async () => {
  slack = await startSlack();
});
afterAll(() => slack.stop());

beforeEach(async () => {
  slack.messages.splice(0);
  slack.dialogs.splice(0);
  slack.people.clear();
  slack.scopes.add("files:read");
  world = await newWorld();
  await addWorkspace(world);
  const value = { ...slack.resource, trust_email: true };
  await createResource(world.deps, { actor: anAdmin, workspace: world.workspace }, { path: SLACK_PATH, value, resource_type: "slack" });
  await addPerson(world, slack, "U0KIM", "kim");
  await addPerson(world, slack, "U0LEE", "lee");
});

/** Starts a run whose step waits with a form, and posts its message. `result`: what the step returns for its approvers. */
async function waitingRun(
  schema: object,
  { result = {}, suspend = {}, step: more = {}, form }: { result?: object; suspend?: object; step?: object; form?: ChatFormOptions } = {},
) {
  const step = {
    id: "ask",
    // It returns the arguments of the flow.
    value: { type: "identity" },
    suspend: { required_events: 1, resume_form: { schema: { type: "object", ...schema } }, ...suspend },
    ...more,
  };
  const run = await startFlow(world, [step, { id: "b", value: { type: "identity" } }], result);
  await playExecutions(world);
  const [gate] = await gates(world, run);
  if (!gate) throw new Error("The gate has not opened.");
  const request = buildNotice(world.deps.nowMs(), "opened", await findApprovalRequest(world.deps, world.workspace, gate.id));
  const posted = await postInChat(world.deps, { kind: "chatPost", id: randomUUID(), resource: SLACK_PATH, request, form });
  expect(posted).toMatchObject({ ok: true });
  return run;
}

const call = (body: string) => callService(world, slack, body);
function approve(user = "U0KIM") {
  const [message] = slack.messages;
  if (!message) throw new Error("No message was posted.");
  return call(slack.click(message, "Approve", user));
}
const decisionOf = async (run: string) => (await gates(world, run))[0]?.decision;
async function payloadOf(run: string): Promise<unknown> {
  const [event] = (await gates(world, run))[0]?.events ?? [];
  return event && loadJson(world.deps, { id: event.payload.jobId }, event.payload.location);
}
const told = (user: string) => slack.messages.filter(({ only }) => only === user).map(({ text }) => text);
const text = { type: "string" };

describe("Approve on a step with a form", () => {
  it("opens a dialog and decides nothing until it is submitted with valid values", async () => {
    const run = await waitingRun({ properties: { version: { ...text, pattern: "^v[0-9]+$" }, note: text }, required: ["version"] });
    expect(await approve()).toEqual({});
    expect(await call(slack.submitForm({ version: "1" }, "U0KIM"))).toEqual({
      response_action: "errors",
      errors: { f0: expect.stringMatching(/^This value must match pattern/) },
    });
    expect(await decisionOf(run)).toBeUndefined();
    expect(await call(slack.submitForm({ version: "v1" }, "U0KIM"))).toEqual({ response_action: "clear" });
    expect(await decisionOf(run)).toMatchObject({ outcome: "approved", approver: "kim" });
    expect(await payloadOf(run)).toEqual({ version: "v1" });
  });

  it("shows the values and choices of the step, and those of the message in their place", async () => {
    const run = await waitingRun(
      { properties: { stage: text, region: text, note: text }, order: ["note", "region", "stage"] },
      {
        result: { default_args: { note: "from the step", stage: "test" }, enums: { stage: ["test", "live"], region: ["eu", "us"] } },
        form: { defaults: { note: "from the message" }, enums: { region: ["us"] } },
      },
    );
    await approve();
    expect(await call(slack.submitForm({ region: "us" }, "U0KIM"))).toEqual({ response_action: "clear" });
    expect(await payloadOf(run)).toEqual({ note: "from the message", region: "us", stage: "test" });
  });

  it("refuses a choice that the step does not offer", async () => {
    const run = await waitingRun(
      { properties: { stage: text } },
      { result: { enums: { stage: ["test"] } }, form: { enums: { stage: ["live"] } } },
    );
    await approve();
    expect(await call(slack.submitForm({ stage: "live" }, "U0KIM"))).toMatchObject({ errors: { f0: "This value must be one of test." } });
    expect(await decisionOf(run)).toBeUndefined();
  });

  it("loads more than a hundred choices while a person types", async () => {
    const cities = Array.from({ length: 250 }, (_, index) => `city ${index}`);
    const run = await waitingRun({ properties: { city: { ...text, enum: cities } } });
    await approve();
    const { options } = (await call(slack.typeIn("city", "CITY 24", "U0KIM"))) as { options: Parameters<typeof checkOptions>[0] };
    checkOptions(options);
    expect(options).toHaveLength(11);
    expect(await call(slack.typeIn("city", "", "U0KIM"))).toMatchObject({ options: { length: 100 } });
    await call(slack.submitForm({ city: "city 249" }, "U0KIM", options));
    expect(await payloadOf(run)).toEqual({ city: "city 249" });
  });

  it("reads uploaded files, and refuses those that are too large", async () => {
    const run = await waitingRun({ properties: { plan: { ...text, format: "data-url" } }, required: ["plan"] });
    await approve();
    const large = slack.upload("large.txt", "text/plain", Buffer.alloc(190 * 1024));
    expect(await call(slack.submitForm({ plan: [large] }, "U0KIM"))).toMatchObject({ errors: { f0: expect.stringMatching(/180 KB/) } });
    const file = slack.upload("a b.txt", "text/plain", Buffer.from("hello"));
    slack.scopes.delete("files:read");
    expect(await call(slack.submitForm({ plan: [file] }, "U0KIM"))).toMatchObject({ errors: { f0: expect.stringMatching(/files:read/) } });
    const elsewhere = { ...file, url_private: "https://files.example.com/a" };
    expect(await call(slack.submitForm({ plan: [elsewhere] }, "U0KIM"))).toMatchObject({
      errors: { f0: expect.stringMatching(/not stored in Slack/) },
    });
    expect(await decisionOf(run)).toBeUndefined();
    slack.scopes.add("files:read");
    expect(await call(slack.submitForm({ plan: [file] }, "U0KIM"))).toEqual({ response_action: "clear" });
    expect(await payloadOf(run)).toEqual({ plan: "data:text/plain;name=a%20b.txt;base64,aGVsbG8=" });
  });

  it.each<[string, object, object, RegExp]>([
    [
      "a password",
      { pin: { ...text, format: "password" } },
      {},
      /the field pin is a password\. Decide on the approval page: .*\/approve\//,
    ],
    ["equal choices", { a: { enum: [`${"x".repeat(90)}1`, `${"x".repeat(90)}2`] } }, {}, /differ only after 75 characters.*\/approve\//],
    ["values that will be erased", { a: text }, { step: { delete_after_secs: 60 } }, /will be erased.*\/approve\//],
  ])("offers the page for a form with %s, and says why", async (_, properties, more, reason) => {
    const run = await waitingRun({ properties }, more);
    await approve();
    expect(slack.dialogs).toEqual([]);
    expect(told("U0KIM")).toEqual([expect.stringMatching(reason)]);
    expect(await decisionOf(run)).toBeUndefined();
  });

  it("offers the page if Slack does not open the dialog", async () => {
    await waitingRun({ properties: { note: text } });
    slack.answers.push({ method: "views.open", body: JSON.stringify({ ok: false, error: "expired_trigger_id" }) });
    await approve();
    expect(told("U0KIM")).toEqual([expect.stringMatching(/click again\. Decide on the approval page: /)]);
  });

  it("shows no form to a person who may not decide, and none of a decided request", async () => {
    const run = await waitingRun(
      { properties: { stage: { ...text, enum: Array.from({ length: 150 }, (_, index) => `stage ${index}`) } } },
      { suspend: { user_auth_required: true } },
    );
    slack.people.delete("U0LEE");
    await approve("U0LEE");
    expect(slack.dialogs).toEqual([]);
    expect(told("U0LEE")).toEqual([expect.stringMatching(/Sign in to decide/)]);
    await approve();
    expect(await call(slack.typeIn("stage", "", "U0LEE"))).toEqual({ options: [] });
    expect(await call(slack.submitForm({}, "U0LEE"))).toEqual({ response_action: "clear" });
    expect(await decisionOf(run)).toBeUndefined();
    await call(slack.submitForm({}, "U0KIM"));
    await approve();
    expect(slack.dialogs).toHaveLength(1);
    expect(told("U0KIM")).toEqual([expect.stringMatching(/already been decided/)]);
  });
});
