import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeTeams, startTeams } from "../../../test/support/chats/teams.ts";
import { type Card, type Entries, errorsOf, labelsOf, linesOf } from "../../../test/support/chats/teams-card.ts";
import { addTeamsPerson, callTeams, cardOf, TEAMS_PATH } from "../../../test/support/chats/teams-world.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { gates, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addWorkspace } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { findApprovalRequest } from "../../approvals/gates/find-approval-request.ts";
import { loadJson } from "../../jobs/values/values.ts";
import { buildNotice } from "../../outbox/notice.ts";
import { createResource } from "../../resources/save.ts";
import { postInChat } from "../post-message.ts";

let teams: FakeTeams;
let world: World;
beforeAll(async () => {
  teams = await startTeams();
});
afterAll(() => teams.stop());

beforeEach(async () => {
  teams.messages.splice(0);
  teams.people.clear();
  world = await newWorld();
  await addWorkspace(world);
  const caller = { actor: anAdmin, workspace: world.workspace };
  const value = { ...teams.resource, trust_email: true };
  await createResource(world.deps, caller, { path: TEAMS_PATH, value, resource_type: "ms_teams_bot" });
  await addTeamsPerson(world, teams, "29:kim", "kim");
});

/** Starts a run whose step waits with a form, and posts its message. `result`: what the step returns for its approvers. */
async function waitingRun(
  schema: object,
  { result = {}, suspend = {}, step: more = {} }: { result?: object; suspend?: object; step?: object } = {},
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
  expect(await postInChat(world.deps, { kind: "chatPost", id: randomUUID(), resource: TEAMS_PATH, request })).toMatchObject({ ok: true });
  return run;
}

/** Presses a button of the message, or of a card that the person sees alone, and returns the card of the answer. */
async function press(label: string, { card, entries = {}, user = "29:kim" }: { card?: Card; entries?: Entries; user?: string } = {}) {
  const [message] = teams.messages;
  if (!message) throw new Error("No message was posted.");
  return cardOf(await callTeams(world, teams, teams.press(message, label, user, { card, entries })));
}
const decisionOf = async (run: string) => (await gates(world, run))[0]?.decision;
async function payloadOf(run: string): Promise<unknown> {
  const [event] = (await gates(world, run))[0]?.events ?? [];
  return event && loadJson(world.deps, { id: event.payload.jobId }, event.payload.location);
}
const text = { type: "string" };

describe("Approve on a step with a form", () => {
  it("shows the form, and decides nothing until it is submitted with valid values", async () => {
    const run = await waitingRun({ properties: { version: { ...text, pattern: "^v[0-9]+$" }, note: text }, required: ["version"] });
    const form = await press("Approve");
    const refused = await press("Approve", { card: form, entries: { version: "1", note: "careful" } });
    expect(errorsOf(refused)).toEqual([expect.stringMatching(/^This value must match pattern/)]);
    expect(refused.body.filter(({ type }) => type === "Input.Text").map(({ value }) => value)).toEqual(["1", "careful"]);
    expect(await decisionOf(run)).toBeUndefined();
    const done = await press("Approve", { card: refused, entries: { version: "v1" } });
    expect(linesOf(done)).toEqual([expect.stringMatching(/approved/i)]);
    expect(await decisionOf(run)).toMatchObject({ outcome: "approved", approver: "kim" });
    expect(await payloadOf(run)).toEqual({ version: "v1", note: "careful" });
  });

  it.each<[string, object, Entries, unknown]>([
    ["a text", text, { a: "one" }, "one"],
    ["several lines", { ...text, format: "textarea" }, { a: "one\ntwo" }, "one\ntwo"],
    ["an address", { ...text, format: "email" }, { a: "kim@example.com" }, "kim@example.com"],
    ["a URL", { ...text, format: "uri" }, { a: "https://example.com/a" }, "https://example.com/a"],
    ["a whole number", { type: "integer" }, { a: "3" }, 3],
    ["a number", { type: "number" }, { a: "0.5" }, 0.5],
    ["a date", { ...text, format: "date" }, { a: "2026-11-27" }, "2026-11-27"],
    ["a date with time", { ...text, format: "date-time" }, { a: "2026-11-27 08:30" }, "2026-11-27T08:30Z"],
    ["a box", { type: "boolean" }, { a: "true" }, true],
    ["a box that is not ticked", { type: "boolean" }, {}, false],
    ["one of a list", { enum: [1, 2, "3"] }, { a: "2" }, 2],
    ["several of a list", { type: "array", items: { enum: ["x, y", "z"] } }, { a: ["x, y", "z"] }, ["x, y", "z"]],
    ["texts", { type: "array", items: text }, { a: "one\ntwo" }, ["one", "two"]],
    ["JSON", { type: "object" }, { a: '{"b": 1}' }, { b: 1 }],
  ])("takes %s", async (_, field, entries, value) => {
    const run = await waitingRun({ properties: { a: field }, required: ["a"] });
    await press("Approve", { card: await press("Approve"), entries });
    expect(await payloadOf(run)).toEqual({ a: value });
  });

  it("shows default values, and keeps them if the person changes nothing", async () => {
    const properties = {
      at: { ...text, format: "date-time", default: "2026-11-27T09:30:00+01:00" },
      city: { enum: ["Bonn", "Graz"], default: "Graz" },
      sure: { type: "boolean", default: true },
      count: { type: "integer", default: 7 },
    };
    const run = await waitingRun({ properties });
    await press("Approve", { card: await press("Approve") });
    expect(await payloadOf(run)).toEqual({ at: "2026-11-27T08:30Z", city: "Graz", sure: true, count: 7 });
  });

  it("refuses a choice that the step does not offer any more", async () => {
    const run = await waitingRun({ properties: { stage: { enum: ["test"] } } });
    const form = await press("Approve");
    const forged = JSON.parse(JSON.stringify(form).replaceAll(/"value":"[\w-]{22}"/g, '"value":"other"')) as Card;
    expect(errorsOf(await press("Approve", { card: forged, entries: { stage: "test" } }))).toEqual([expect.stringMatching(/has changed/)]);
    expect(await decisionOf(run)).toBeUndefined();
  });

  it.each<[string, object, object, RegExp]>([
    [
      "a password",
      { pin: { ...text, format: "password" } },
      {},
      /the field pin is a password\. Decide on the approval page: .*\/approve\//,
    ],
    ["a file", { plan: { ...text, format: "data-url" } }, {}, /the field plan is a file.*\/approve\//],
    ["many choices", { a: { enum: Array.from({ length: 900 }, (_, at) => `choice ${at}`) } }, {}, /larger than Teams allows.*\/approve\//],
    ["values that will be erased", { a: text }, { step: { delete_after_secs: 60 } }, /will be erased.*\/approve\//],
  ])("offers the page for a form with %s, and says why", async (_, properties, more, reason) => {
    const run = await waitingRun({ properties }, more);
    const card = await press("Approve");
    expect(linesOf(card).join(" ")).toMatch(reason);
    expect(labelsOf(card)).toEqual(["Open", "Back"]);
    expect(await decisionOf(run)).toBeUndefined();
  });

  it("shows no form to a person who may not decide, and none of a decided request", async () => {
    const run = await waitingRun({ properties: { note: text } }, { suspend: { user_auth_required: true } });
    expect(linesOf(await press("Approve", { user: "29:lee" })).join()).toMatch(/Sign in to decide/);
    const form = await press("Approve");
    await press("Approve", { card: form, user: "29:lee" });
    expect(await decisionOf(run)).toBeUndefined();
    await press("Approve", { card: form });
    expect(linesOf(await press("Approve", { card: form })).join()).toMatch(/Approved by kim/);
  });
});
