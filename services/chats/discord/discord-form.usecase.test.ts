import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { unescapeMarkdown } from "../../../core/chats/discord/escape-markdown.ts";
import { type FakeDiscord, startDiscord } from "../../../test/support/chats/discord.ts";
import { callService, DISCORD_PATH } from "../../../test/support/chats/discord-world.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { gates, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addWorkspace } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { findApprovalRequest } from "../../approvals/gates/find-approval-request.ts";
import { loadJson } from "../../jobs/values/values.ts";
import { buildNotice } from "../../outbox/notice.ts";
import { createResource } from "../../resources/save.ts";
import { postInChat } from "../post-message.ts";

const KIM = "5000000000000000101";

let discord: FakeDiscord;
let world: World;
beforeAll(async () => {
  discord = await startDiscord();
});
afterAll(() => discord.stop());

beforeEach(async () => {
  discord.messages.splice(0);
  discord.modals.splice(0);
  world = await newWorld();
  await addWorkspace(world);
  const value = discord.resource;
  await createResource(world.deps, { actor: anAdmin, workspace: world.workspace }, { path: DISCORD_PATH, value, resource_type: "discord" });
});

/** Starts a run whose step waits with a form, and posts its message. Every reader of the message may decide. */
async function waitingRun(schema: object, suspend: object = {}): Promise<string> {
  const step = {
    id: "ask",
    value: { type: "identity" },
    suspend: { required_events: 1, resume_form: { schema: { type: "object", ...schema } }, ...suspend },
  };
  const run = await startFlow(world, [step, { id: "b", value: { type: "identity" } }], {});
  await playExecutions(world);
  const [gate] = await gates(world, run);
  if (!gate) throw new Error("The gate has not opened.");
  const request = buildNotice(world.deps.nowMs(), "opened", await findApprovalRequest(world.deps, world.workspace, gate.id));
  const posted = await postInChat(world.deps, { kind: "chatPost", id: randomUUID(), resource: DISCORD_PATH, request });
  expect(posted).toMatchObject({ ok: true });
  return run;
}

const call = (body: string) => callService(world, discord, body);
function messageAt(index: number) {
  const message = discord.messages.at(index);
  if (!message) throw new Error("There is no message.");
  return message;
}
const approve = () => call(discord.click(messageAt(0), "Approve", KIM));
const submit = (entries: Parameters<FakeDiscord["submit"]>[0]) => call(discord.submit(entries, KIM));
const decisionOf = async (run: string) => (await gates(world, run))[0]?.decision;
async function payloadOf(run: string): Promise<unknown> {
  const [event] = (await gates(world, run))[0]?.events ?? [];
  return event && loadJson(world.deps, { id: event.payload.jobId }, event.payload.location);
}
const textOf = (index: number) =>
  unescapeMarkdown(
    messageAt(index)
      .components.map(({ content = "" }) => content)
      .join("\n"),
  );
const text = { type: "string" };

describe("Approve on a step with a form", () => {
  it("opens a modal whose values decide, of each kind of field", async () => {
    const run = await waitingRun({
      properties: {
        version: text,
        count: { type: "integer" },
        stage: { ...text, enum: ["test", "live"] },
        regions: { type: "array", items: { ...text, enum: ["eu", "us", "ap"] } },
        sure: { type: "boolean" },
      },
      required: ["version", "stage"],
    });
    expect(await approve()).toMatchObject({ type: 9 });
    expect(await decisionOf(run)).toBeUndefined();
    expect(await submit({ version: "1.4", count: "3", stage: "live", regions: ["us", "ap"], sure: true })).toEqual({ type: 6 });
    expect(await decisionOf(run)).toMatchObject({ outcome: "approved" });
    expect(await payloadOf(run)).toEqual({ version: "1.4", count: 3, stage: "live", regions: ["us", "ap"], sure: true });
  });

  it("lists the faults by the labels of fields, and opens the form again with the entries until all fit", async () => {
    const run = await waitingRun({
      properties: {
        version: { ...text, title: "The version", pattern: "^v[0-9]+$" },
        note: text,
        stage: { ...text, enum: ["test", "live"] },
        regions: { type: "array", items: { ...text, enum: ["eu", "us"] } },
        sure: { type: "boolean" },
      },
    });
    await approve();
    await submit({ "The version": "1", note: "a *b* \\ [c](d)", stage: "live", regions: ["us"], sure: true });
    expect(textOf(1)).toMatch(/Nothing is decided yet.*\n.*The version.*This value must match pattern/);
    expect(messageAt(1)).toMatchObject({ only: KIM });
    expect(await decisionOf(run)).toBeUndefined();

    await call(discord.click(messageAt(1), "Open the form again", KIM));
    await submit({ "The version": "2" });
    expect(discord.messages).toHaveLength(2);
    await call(discord.click(messageAt(1), "Open the form again", KIM));
    await submit({ "The version": "v2" });
    expect(await payloadOf(run)).toEqual({ version: "v2", note: "a *b* \\ [c](d)", stage: "live", regions: ["us"], sure: true });
    expect(textOf(1)).not.toMatch(/Nothing is decided/);
  });

  it("opens the form without an entry that does not fit into the message", async () => {
    const run = await waitingRun({ properties: { version: { ...text, pattern: "^v" }, note: { ...text, format: "textarea" } } });
    await approve();
    await submit({ version: "1", note: "x".repeat(3500) });
    await call(discord.click(messageAt(1), "Open the form again", KIM));
    await submit({ version: "v1" });
    expect(await payloadOf(run)).toEqual({ version: "v1" });
  });

  it("reads uploaded files, and refuses those that are too large or elsewhere", async () => {
    const run = await waitingRun({ properties: { plan: { ...text, format: "data-url" } }, required: ["plan"] });
    await approve();
    await submit({ plan: [discord.upload("large.txt", "text/plain", Buffer.alloc(190 * 1024))] });
    expect(textOf(1)).toMatch(/plan.*180 KB/);
    await submit({ plan: [discord.upload("a.txt", "text/plain", Buffer.from("hello"), { url: "https://files.example.com/a" })] });
    expect(textOf(2)).toMatch(/plan.*not stored in Discord/);
    expect(await decisionOf(run)).toBeUndefined();
    await submit({ plan: [discord.upload("a b.txt", "text/plain", Buffer.from("hello"))] });
    expect(await payloadOf(run)).toEqual({ plan: "data:text/plain;name=a%20b.txt;base64,aGVsbG8=" });
  });

  it.each<[string, object, RegExp]>([
    ["six fields", Object.fromEntries("abcdef".split("").map((name) => [name, text])), /more than 5 fields/],
    ["a password", { pin: { ...text, format: "password" } }, /the field pin is a password/],
    ["more than 25 choices", { city: { enum: Array.from({ length: 26 }, (_, index) => `city ${index}`) } }, /more than 25 choices/],
    ["equal names", { a: { ...text, title: `${"x".repeat(50)}1` }, b: { ...text, title: `${"x".repeat(50)}2` } }, /differ only after 45/],
  ])("offers the page for a form with %s, and says why", async (_, properties, reason) => {
    const run = await waitingRun({ properties });
    await approve();
    expect(discord.modals).toEqual([]);
    expect(textOf(1)).toMatch(reason);
    expect(textOf(1)).toMatch(/Decide on the approval page: https?:\/\/\S+\/approve\//);
    expect(await decisionOf(run)).toBeUndefined();
  });

  it("of a decided request opens no form, and a form that was open decides nothing more", async () => {
    const run = await waitingRun({ properties: { note: text } });
    await approve();
    await submit({ note: "first" });
    await submit({ note: "second" });
    expect(textOf(0)).toMatch(/Approved by user101 at /);
    expect(await payloadOf(run)).toEqual({ note: "first" });
    expect((await gates(world, run))[0]?.events).toHaveLength(1);
  });
});

describe("Approve on a step without a form", () => {
  it("decides once if twenty people click at once, and the message shows the decision to the others", async () => {
    const run = await waitingRun({});
    const people = Array.from({ length: 20 }, (_, index) => String(5000000000000000200n + BigInt(index)));
    const replies = await Promise.all(people.map((user) => call(discord.click(messageAt(0), "Approve", user))));
    expect((await gates(world, run))[0]?.events).toHaveLength(1);
    expect(replies.filter(({ type }) => type === 6)).toHaveLength(1);
    expect(textOf(0)).toMatch(/Approved by user2\d\d at /);
  });
});
