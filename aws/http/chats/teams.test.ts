import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { env } from "../../../contract/env.ts";
import { type FakeTeams, startTeams } from "../../../test/support/chats/teams.ts";

let fake: FakeTeams;
beforeAll(async () => {
  fake = await startTeams();
});
afterAll(() => fake.stop());
beforeEach(() => {
  for (const list of [fake.messages, fake.calls, fake.answers]) list.splice(0);
});

/** The modules read the allowed addresses when they are loaded. */
async function load(allowed = "127.0.0.0/8") {
  vi.resetModules();
  vi.stubEnv(env.egressAllow, allowed);
  const { teamsChats, teams } = await import("./teams.ts");
  return { teamsChats, teams, credential: { type: "ms_teams_bot" as const, ...fake.resource } };
}

const content = { title: "Deploy?", paragraphs: ["Deploy?"] };
const key = "9f990000-0000-4000-8000-00000000000d";
const post = { channel: "19:approvals@thread.tacv2", key };

describe("the client of Teams", () => {
  it("posts a message, answers it in its thread, and changes it, with one token", async () => {
    const { teamsChats, credential } = await load();
    const posted = await teamsChats.post(credential, { ...post, server: fake.serviceUrl }, content);
    if (!posted.ok) throw new Error(posted.error);
    expect(posted.value).toMatchObject({ channel: post.channel, server: fake.serviceUrl });
    await teamsChats.post(credential, { ...posted.value, thread: posted.value.ts, key }, content);
    await teamsChats.update(credential, posted.value, { title: "Approved", paragraphs: ["Approved"] });
    expect(fake.messages.map(({ conversation, summary }) => [conversation, summary])).toEqual([
      [post.channel, "Approved"],
      [`${post.channel};messageid=${posted.value.ts}`, "Deploy?"],
    ]);
    expect(fake.calls.filter((path) => path.endsWith("/token"))).toHaveLength(1);
  });

  it("requests another token after the server has refused the one that it has", async () => {
    const { teamsChats, credential } = await load();
    fake.answers.push({ path: /conversations$/, status: 401, body: "{}" });
    expect(await teamsChats.post(credential, post, content)).toMatchObject({
      ok: false,
      final: false,
      error: expect.stringMatching(/status 401/),
    });
    expect(await teamsChats.post(credential, post, content)).toMatchObject({ ok: true });
    expect(fake.calls.filter((path) => path.endsWith("/token"))).toHaveLength(2);
  });

  it("reports a deleted message as final", async () => {
    const { teamsChats, credential } = await load();
    expect(await teamsChats.update(credential, { channel: post.channel, ts: "1" }, content)).toEqual({
      ok: false,
      final: true,
      error: "Teams answered ActivityNotFoundInConversation: the message was deleted",
    });
  });

  it("sends direct messages into the chat with the person", async () => {
    const { teamsChats, credential } = await load();
    const opened = await teamsChats.openDirectMessage(credential, "aad-kim");
    if (!opened.ok) throw new Error(opened.error);
    await teamsChats.post(credential, { ...opened.value, key }, content);
    expect(fake.messages).toEqual([expect.objectContaining({ conversation: "a:aad-kim", summary: "Deploy?" })]);
  });

  it("posts no message into the thread of another one, whose place its buttons could not prove", async () => {
    const { teamsChats, credential } = await load();
    const refused = await teamsChats.post(credential, { ...post, channel: `${post.channel};messageid=1` }, content);
    expect(refused).toMatchObject({ ok: false, final: true, error: expect.stringMatching(/before the semicolon/) });
    expect(fake.messages).toEqual([]);
  });

  it("sends no token to a server that is not one of Teams", async () => {
    const { teamsChats, credential } = await load();
    const { login_url: _, ...ofMicrosoft } = credential;
    const refused = await teamsChats.post(ofMicrosoft, { ...post, server: fake.serviceUrl }, content);
    expect(refused).toEqual({ ok: false, final: true, error: "the server of the conversation is not one of Teams" });
    expect(fake.calls).toEqual([]);
  });

  it.each([["http://127.0.0.1:1"], ["http://169.254.169.254"], ["http://[::1]"]])(
    "refuses the login_url %s, which is inside the network",
    async (login_url) => {
      const { teamsChats, teams, credential } = await load("");
      const refusal = { ok: false, final: true, error: expect.stringMatching(/inside the network, which is not allowed/) };
      expect(await teamsChats.post({ ...credential, login_url }, post, content)).toEqual(refusal);
      await expect(teams.fetchSigningKeys(`${login_url}/v1/.well-known/openidconfiguration`)).rejects.toThrow(/inside the network/);
    },
  );
});
