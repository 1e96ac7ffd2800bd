import { DiscordAPIError, HTTPError, RateLimitError, REST } from "@discordjs/rest";
import * as z from "zod";
import { defined, mapDefined } from "../../../contract/defined.ts";
import { limits } from "../../../contract/limits.ts";
import { describeDiscordError } from "../../../core/chats/discord/discord-errors.ts";
import { toDiscordMessage } from "../../../core/chats/discord/discord-message.ts";
import type { Attempt } from "../../../core/deliveries/attempt.ts";
import type { ChatVendor, DiscordCredential, VendorAnswer } from "../../../ports/chats.ts";
import { ForbiddenAddressError } from "../egress.ts";
import { fetchGuarded } from "../guarded-fetch.ts";

const MAX_BYTES = 1024 * 1024;

/** Deliveries have their own schedule of retries and pauses, so the client makes each call once and never waits. */
function clientOf({ token, api_url: address }: DiscordCredential): REST {
  return new REST({
    ...defined({ api: mapDefined(address, (text) => text.replace(/\/+$/, "")) }),
    version: "10",
    makeRequest: (url, { method = "GET", headers, body }) =>
      fetchGuarded(url, {
        method,
        headers: Object.fromEntries(new Headers(headers as Record<string, string>)),
        body: typeof body === "string" ? body : "",
        timeoutMs: limits.chatAnswerMs,
        maxBytes: MAX_BYTES,
        keepAlive: true,
      }),
    retries: 0,
    rejectOnRateLimit: () => true,
    offset: 0,
    // The client lives for one call.
    hashSweepInterval: 0,
    handlerSweepInterval: 0,
  }).setToken(token);
}

async function call<Value>(credential: DiscordCredential, request: (client: REST) => Promise<Value>): Promise<VendorAnswer<Value>> {
  try {
    return { ok: true, value: await request(clientOf(credential)) };
  } catch (error) {
    return toFailure(error);
  }
}

function toFailure(error: unknown): Extract<Attempt, { ok: false }> {
  if (error instanceof RateLimitError) {
    const retryAfterMs = Math.max(error.retryAfter, error.sublimitTimeout);
    return { ok: false, final: false, error: "Discord asks to send less", retryAfterMs };
  }
  if (error instanceof DiscordAPIError) return refuse(describeDiscordError(error.code, error.status));
  if (error instanceof HTTPError) return { ok: false, final: false, error: `Discord returned status ${error.status}` };
  if (error instanceof ForbiddenAddressError) return refuse("the api_url of the resource is inside the network, which is not allowed");
  // Anything else, for example HTML instead of JSON. The message of an error can contain the address or the body.
  const { name, code } = error as { name: string; code?: string };
  return { ok: false, final: false, error: `Discord did not answer as expected (${code ?? name})` };
}

const refuse = (error: string): Extract<Attempt, { ok: false }> => ({ ok: false, final: true, error });

const ID = /^\d{1,20}$/;
const NO_CHANNEL =
  "an id of a channel of Discord consists of digits: turn on the developer mode of Discord, and copy the id of the channel";

const messageSchema = z.object({ id: z.string(), channel_id: z.string() });
const channelSchema = z.object({ id: z.string() });

/** A nonce has at most 25 characters. */
const toNonce = (key: string) => Buffer.from(key.replaceAll("-", ""), "hex").toString("base64url");

/** Discord's API by a client of discord.js. Its connections are guarded like those of webhooks (design §8). Routes: https://docs.discord.com/developers/resources/message */
export const discord: ChatVendor<DiscordCredential> = {
  post: async (credential, { channel, thread, key }, content) => {
    if (!ID.test(channel)) return refuse(NO_CHANNEL);
    return call(credential, async (client) => {
      const reply = mapDefined(thread, (id) => ({ message_id: id, fail_if_not_exists: false }));
      const body = {
        ...toDiscordMessage(content),
        // For a few minutes, Discord answers a repeated call with the message of the first one.
        nonce: toNonce(key),
        enforce_nonce: true,
        ...defined({ message_reference: reply }),
      };
      const message = messageSchema.parse(await client.post(`/channels/${channel}/messages`, { body }));
      return { channel: message.channel_id, ts: message.id };
    });
  },
  update: async (credential, { channel, ts }, content) => {
    if (!ID.test(channel) || !ID.test(ts)) return refuse(NO_CHANNEL);
    return call(credential, async (client) => {
      await client.patch(`/channels/${channel}/messages/${ts}`, { body: toDiscordMessage(content) });
      return undefined;
    });
  },
  openDirectMessage: (credential, user) =>
    call(credential, async (client) => {
      const { id } = channelSchema.parse(await client.post("/users/@me/channels", { body: { recipient_id: user } }));
      return { channel: id };
    }),
};
