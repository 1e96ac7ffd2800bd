import { beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { approvalEntryObject } from "../../core/approvals/record.ts";
import { chatAccountObject, chatLinkObject, toChatAccountId } from "../../core/chats/chat-account.ts";
import type { ChatUser } from "../../core/chats/chat-call.ts";
import { toReference } from "../../core/chats/chat-message.ts";
import type { Actor, Person } from "../../core/people/actor.ts";
import { withFault } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { gates, playExecutions, startFlow } from "../../test/support/use-cases/world-flows.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { findApprovalRequest } from "../approvals/gates/find-approval-request.ts";
import { disconnectChatAccount, listChatAccounts } from "../identity/chat-accounts/chat-accounts.ts";
import { createChatLink, findChatLink } from "../identity/chat-accounts/chat-links.ts";
import { connectChatAccount } from "../identity/chat-accounts/connect-chat-account.ts";
import { createUser, deleteUser, updateUser } from "../identity/users.ts";
import { buildNotice } from "../outbox/notice.ts";
import { addMember } from "../workspaces/add-member.ts";
import { decideInChat } from "./decide-in-chat.ts";
import { storeChatMessage } from "./messages.ts";

const RESOURCE = "f/ops/slack";
const message = { channel: "C0CHANNEL", ts: "1700000000.000001" };
const people = { deleteUser: async () => {} } as unknown as Parameters<typeof createUser>[0]["people"];

let world: World;
const persons: Record<"kim" | "lee" | "mal", Person> = { kim: personOf("kim"), lee: personOf("lee"), mal: personOf("mal") };
function personOf(username: string): Person {
  return { ...anAdmin, email: `${username}@example.com`, username, superAdmin: false };
}
beforeEach(async () => {
  world = await newWorld();
  await addWorkspace(world);
  for (const { email, username } of Object.values(persons))
    await addMember(world.deps, world.workspace, { email, username, is_admin: false, operator: false }, { inherits: true });
});

/** A member of the team, as one app names them. */
const inChat = (id: string, more: Partial<ChatUser> = {}): ChatUser => ({
  vendor: "slack",
  team: "T0TEAM",
  id,
  name: id.toLowerCase(),
  app: "an app",
  isMember: true,
  ...more,
});

/** Starts a flow that asks `kim`, and stores the message of its gate. */
async function waitingRun(fields: object = {}): Promise<{ run: string; reference: string }> {
  const consent = { type: "consentgate", approvers: ["u/kim"], message: "Deploy?", ...fields };
  const run = await startFlow(world, [{ id: "ask", value: consent }], {});
  await playExecutions(world);
  const [gate] = await gates(world, run);
  if (!gate) throw new Error("The gate has not opened.");
  const { flow, ...request } = await findApprovalRequest(world.deps, world.workspace, gate.id);
  const shown = { ...buildNotice(world.clock.nowMs, "opened", { flow, ...request }), required: 1, people: [] };
  const stored = { id: "01990000-0000-4000-8000-000000000000", workspace: world.workspace, flow: flow.id, gate: gate.id };
  await storeChatMessage(
    world.deps,
    { ...stored, ...message, resource: RESOURCE, shown, atMs: 0 },
    { expiresAtMs: Date.now() + 3_600_000 },
  );
  return { run, reference: toReference(stored) };
}

const click = async (reference: string, user: ChatUser, resource = RESOURCE) => ({
  text: "",
  ...(await decideInChat(world.deps, {
    kind: "chatDecision",
    workspace: world.workspace,
    resource,
    reference,
    ...message,
    user,
    approved: true,
  })),
});
const linkIn = (text: string) => /\/chat\/link#([\w-]+)/.exec(text)?.[1] ?? "";
const newLink = async (user: ChatUser) =>
  linkIn(await createChatLink(world.deps, user, { workspace: world.workspace, resource: RESOURCE }));
const connect = (actor: Actor, link: string) => connectChatAccount(world.deps, actor, link);
const accountsOf = async (actor: Actor) => (await listChatAccounts(world.deps, actor)).map(({ user }) => user);
/** Returns `done`, or the code of the refusal. */
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "done",
    (error: { code: string }) => error.code,
  );

describe("a person in a chat", () => {
  it("gets a link, connects with a user, and decides as that user from then on", async () => {
    const { run, reference } = await waitingRun();
    const refused = await click(reference, inChat("U0KIM"));
    expect(refused).toMatchObject({ outcome: "refused", text: expect.stringMatching(/Connect your account.*works once, for ten minutes/) });
    expect(await findChatLink(world.deps, persons.kim, linkIn(refused.text))).toMatchObject({
      ...{ vendor: "slack", team: "T0TEAM", user: "U0KIM", name: "u0kim", workspace: world.workspace, resource: RESOURCE },
      ...{ email: "kim@example.com", replaces: false },
    });
    await connect(persons.kim, linkIn(refused.text));
    expect(await click(reference, inChat("U0KIM"))).toMatchObject({ outcome: "counted" });
    await playExecutions(world);
    expect(await world.deps.jobs.get(run)).toMatchObject({ state: "succeeded" });
    const [entry] = await world.deps.objects.list(approvalEntryObject.partitionKey(world.workspace));
    expect(entry?.value).toMatchObject({ who: { name: "kim", email: "kim@example.com", chat: "slack:T0TEAM:U0KIM" } });
  });

  it("who is connected counts as the connected user, whatever address the resource trusts", async () => {
    const { reference } = await waitingRun();
    const user = inChat("U0LEE", { email: "kim@example.com" });
    await connect(persons.lee, await newLink(user));
    const answer = await click(reference, user);
    expect(answer).toMatchObject({
      outcome: "refused",
      text: expect.stringMatching(/not one of its approvers.*connected with lee@example.com/),
    });
    await connect(persons.kim, linkIn(answer.text));
    expect(await click(reference, user)).toMatchObject({ outcome: "counted" });
    expect([await accountsOf(persons.lee), await accountsOf(persons.kim)]).toEqual([[], ["U0LEE"]]);
  });

  it.each<[string, Partial<ChatUser>]>([
    ["a guest, a stranger or a bot", { isMember: false }],
    ["named by another app, whose resource anyone can create", { app: "another app" }],
    ["of another team", { team: "T0OTHER" }],
    ["with another id", { id: "U0MAL" }],
  ])("who is %s does not count as the user", async (_, more) => {
    const { run, reference } = await waitingRun();
    await connect(persons.kim, await newLink(inChat("U0KIM")));
    const answer = await click(reference, inChat("U0KIM", more));
    expect(answer).toMatchObject({ outcome: "refused", text: expect.stringContaining("Sign in to decide") });
    expect(answer.text.includes("/chat/link#")).toBe(more.isMember !== false);
    expect((await gates(world, run))[0]?.decision).toBeUndefined();
  });

  it("does not count as the user any more who has disconnected, is disabled, or is deleted, also if another user gets the address", async () => {
    const { reference } = await waitingRun();
    const user = inChat("U0KIM");
    const account = await connect(persons.kim, await newLink(user));
    await disconnectChatAccount(world.deps, persons.kim, account.id);
    expect((await click(reference, user)).text).toContain("Sign in to decide");
    await connect(persons.kim, await newLink(user));
    await updateUser(world.deps, persons.kim.email, { disabled: true });
    expect((await click(reference, user)).text).toContain("Sign in to decide");
    await deleteUser({ ...world.deps, people }, persons.kim.email);
    await createUser({ ...world.deps, people }, { email: persons.kim.email, super_admin: true });
    expect((await click(reference, user)).text).toContain("Sign in to decide");
    expect(await world.deps.objects.get(chatAccountObject.key(toChatAccountId(user)))).toBeUndefined();
  });

  it("whose message belongs to another resource gets no link", async () => {
    const { reference } = await waitingRun();
    expect((await click(reference, inChat("U0MAL"), "u/mal/slack")).text).not.toContain("/chat/link");
  });
});

describe("a link of a chat account", () => {
  it("works once, also for several users at once, and the table contains neither the link nor its secret", async () => {
    const link = await newLink(inChat("U0KIM"));
    const stored = await world.deps.objects.get(chatLinkObject.key(link.slice(0, 43)));
    expect(JSON.stringify(stored)).not.toContain(link.slice(43));
    const answers = await Promise.all([persons.kim, persons.lee, persons.mal].map((person) => codeOf(connect(person, link))));
    expect(answers.sort()).toEqual(["chat.linkGone", "chat.linkGone", "done"]);
    expect(await codeOf(connect(persons.kim, link))).toBe("chat.linkGone");
    expect((await Promise.all(Object.values(persons).map(accountsOf))).flat()).toEqual(["U0KIM"]);
  });

  it("does not work after ten minutes, after a newer one, with another secret, or as another text", async () => {
    const user = inChat("U0KIM");
    const [first, second] = [await newLink(user), await newLink(user)];
    const other = await newLink(inChat("U0LEE"));
    for (const link of [first, `${second}x`, second.slice(0, -1), `${second.slice(0, 43)}${other.slice(43)}`, "x", ""])
      expect(await codeOf(findChatLink(world.deps, persons.kim, link))).toBe("chat.linkGone");
    world.clock.nowMs += limits.chatLinkMs;
    expect(await codeOf(connect(persons.kim, second))).toBe("chat.linkGone");
  });

  it("cannot be used by another user than the one with the address that the chat confirms", async () => {
    const mals = await newLink(inChat("U0MAL", { address: "Mal@example.com" }));
    expect([await codeOf(findChatLink(world.deps, persons.kim, mals)), await codeOf(connect(persons.kim, mals))]).toEqual([
      "chat.otherPerson",
      "chat.otherPerson",
    ]);
    expect(await codeOf(connect(persons.mal, mals))).toBe("done");
    // An address that no user has does not identify a user.
    expect(await codeOf(connect(persons.kim, await newLink(inChat("U0KIM", { address: "kim@home.example.com" }))))).toBe("done");
  });

  it.each<[string, Partial<Person>, string]>([
    ["with scopes", { scopes: ["approvals:write"] }, "token.tooWide"],
    ["that is read-only", { readOnly: true }, "token.tooWide"],
    ["for one workspace", { workspace: "w" }, "token.tooWide"],
  ])("cannot be used with a token %s, which can disconnect no account either", async (_, limit, code) => {
    const actor = { ...persons.kim, ...limit };
    const account = await connect(persons.kim, await newLink(inChat("U0KIM")));
    const link = await newLink(inChat("U0KIM"));
    expect(await codeOf(findChatLink(world.deps, actor, link))).toBe(code);
    expect(await codeOf(connect(actor, link))).toBe(code);
    expect(await codeOf(disconnectChatAccount(world.deps, actor, account.id))).toBe(code);
  });

  it("cannot be used by a job", async () => {
    const { email, username } = persons.kim;
    const job: Actor = { kind: "job", email, username, superAdmin: false, jobId: "j", attempt: 1, workspace: "w", permissionedAs: "u/kim" };
    expect(await codeOf(connect(job, await newLink(inChat("U0KIM"))))).toBe("token.notForJobs");
  });

  it("still works if the process dies before the write, and connects completely if it dies after it", async () => {
    const link = await newLink(inChat("U0KIM"));
    await withFault({ write: 1, moment: "before", kind: "death" }, () => codeOf(connect(persons.kim, link)));
    expect(await accountsOf(persons.kim)).toEqual([]);
    await withFault({ write: 1, moment: "after", kind: "death" }, () => codeOf(connect(persons.kim, link)));
    expect(await accountsOf(persons.kim)).toEqual(["U0KIM"]);
    expect(await codeOf(connect(persons.kim, link))).toBe("chat.linkGone");
  });
});

describe("an account in a chat", () => {
  it("can be disconnected by its user alone", async () => {
    const account = await connect(persons.kim, await newLink(inChat("U0KIM")));
    expect(await codeOf(disconnectChatAccount(world.deps, persons.mal, account.id))).toBe("chat.noAccount");
    expect(await codeOf(disconnectChatAccount(world.deps, persons.kim, account.id))).toBe("done");
    expect(await codeOf(disconnectChatAccount(world.deps, persons.kim, account.id))).toBe("chat.noAccount");
  });

  it("has one user, also if two users connect it at once by links that they got one after the other", async () => {
    const user = inChat("U0KIM");
    await connect(persons.lee, await newLink(user));
    await connect(persons.kim, await newLink(user));
    await Promise.all([disconnectOf(persons.lee, user), connect(persons.mal, await newLink(user))]);
    expect((await Promise.all(Object.values(persons).map(accountsOf))).flat()).toEqual(["U0KIM"]);
    expect(await accountsOf(persons.mal)).toEqual(["U0KIM"]);
  });
  const disconnectOf = (person: Person, user: ChatUser) => codeOf(disconnectChatAccount(world.deps, person, toChatAccountId(user)));
});
