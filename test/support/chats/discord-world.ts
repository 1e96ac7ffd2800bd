import type { DiscordReply } from "../../../core/chats/discord/discord-reply.ts";
import { answerDiscordCall } from "../../../services/chats/discord/answer-discord-call.ts";
import type { World } from "../use-cases/world.ts";
import type { FakeDiscord } from "./discord.ts";

/** The path of the resource in the tests. */
export const DISCORD_PATH = "u/ann/discord";

/** Sends the body of a call to the address of the resource, and applies the reply. It is signed now, unless the test passes its headers. */
export async function callService(
  world: World,
  discord: FakeDiscord,
  body: string,
  headers = discord.sign(body, Math.floor(world.clock.nowMs / 1000)),
): Promise<DiscordReply> {
  const { workspace, deps } = world;
  const reply = await answerDiscordCall(deps, {
    workspace,
    path: DISCORD_PATH,
    headers,
    readPayload: async () => ({ bytes: Buffer.from(body), headers, query: [] }) as never,
  });
  discord.apply(body, reply as never);
  return reply;
}
