import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { env } from "../../../contract/env.ts";
import { type FakeDiscord, startDiscord } from "../../../test/support/chats/discord.ts";

let fake: FakeDiscord;
beforeAll(async () => {
  fake = await startDiscord();
});
afterAll(() => fake.stop());
beforeEach(() => {
  fake.messages.splice(0);
  fake.calls.splice(0);
});

/** The modules read the allowed addresses when they are loaded. */
async function load(allowed = "127.0.0.0/8") {
  vi.resetModules();
  vi.stubEnv(env.egressAllow, allowed);
  const [{ discord }, { discordFiles }] = await Promise.all([import("./discord.ts"), import("./discord-files.ts")]);
  return { discord, discordFiles, credential: { type: "discord" as const, ...fake.resource } };
}

const content = { title: "Deploy?", paragraphs: ["Deploy?"] };
const target = { channel: "3000000000000000001", key: "9f990000-0000-4000-8000-00000000000c" };

describe("the client of Discord", () => {
  it("posts a message once, although the call is repeated, and changes it", async () => {
    const { discord, credential } = await load();
    const posted = await discord.post(credential, target, content);
    expect(await discord.post(credential, target, content)).toEqual(posted);
    expect(fake.messages).toHaveLength(1);
    if (!posted.ok) throw new Error(posted.error);
    expect(await discord.update(credential, posted.value, { title: "Done", paragraphs: ["Done"] })).toMatchObject({ ok: true });
    expect(fake.messages[0]?.components).toEqual([{ type: 10, content: "Done" }]);
  });

  it("opens the direct messages with a person", async () => {
    const { discord, credential } = await load();
    const opened = await discord.openDirectMessage(credential, "5000000000000000101");
    if (!opened.ok) throw new Error(opened.error);
    expect(await discord.post(credential, { ...target, ...opened.value }, content)).toMatchObject({ ok: true });
  });

  it("reports a deleted message as final", async () => {
    const { discord, credential } = await load();
    const place = { channel: target.channel, ts: "4000000000000009999" };
    expect(await discord.update(credential, place, content)).toEqual({
      ok: false,
      final: true,
      error: "Discord answered 10008: the message was deleted",
    });
  });

  it.each([["http://127.0.0.1:1/api"], ["http://169.254.169.254/api"], ["http://[::1]/api"]])(
    "refuses the api_url %s, which is inside the network",
    async (api_url) => {
      const { discord, discordFiles, credential } = await load("");
      const refusal = { ok: false, final: true, error: expect.stringMatching(/inside the network, which is not allowed/) };
      expect(await discord.post({ ...credential, api_url }, target, content)).toEqual(refusal);
      expect(await discordFiles.downloadFile({ ...credential, api_url }, `${new URL(api_url).origin}/a`, 1)).toEqual(refusal);
    },
  );

  it("follows no redirect", async () => {
    const { discord, credential } = await load();
    fake.answers.push({ route: "POST /channels", status: 302, headers: { location: "/api/v10/elsewhere" }, body: "" });
    expect(await discord.post(credential, target, content)).toMatchObject({ ok: false, final: false });
    expect(fake.calls).toHaveLength(1);
  });

  it("reads no file that is stored elsewhere", async () => {
    const { discordFiles, credential } = await load();
    for (const url of ["https://cdn.discordapp.com.example.com/a", "http://cdn.discordapp.com/a", "file:///etc/passwd", "a"])
      expect(await discordFiles.downloadFile(credential, url, 1)).toMatchObject({ ok: false, error: "it is not stored in Discord" });
  });
});
