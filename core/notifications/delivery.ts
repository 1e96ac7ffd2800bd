import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import {
  type NoticeChannel,
  noticeChannelNames,
  noticeChannels,
  receivesByAddress,
  receivesByUrl,
} from "../../contract/notices/channels.ts";
import { assertNever } from "../../contract/utilities/assert-never.ts";
import { progressSchema } from "../deliveries/claim.ts";
import type { Lane } from "../deliveries/message.ts";
import { personKey } from "../people/person.ts";
import { type GateNotice, gateNoticeSchema } from "./notice.ts";

/** One receiver of a notice: a channel, a webhook, or the address of one person. */
const partSchema = z.object({
  channel: z.enum(noticeChannelNames),
  to: z.string(),
  /** The message in a chat that the notice concerns. */
  message: z.string().optional(),
  /** The person in a chat who gets a direct message, as the vendor names them. `to` is their address here. */
  person: z.string().optional(),
});
export type NoticePart = z.infer<typeof partSchema>;

/** A delivery of a notice, stored with the flow's job. `atMs`, `error`: of the last attempt. */
export const deliverySchema = partSchema.extend({
  ...progressSchema.shape,
  gate: z.string(),
  what: gateNoticeSchema.shape.what,
  atMs: z.number(),
  error: z.string().optional(),
});
export type Delivery = z.infer<typeof deliverySchema>;

/** The notices that request a decision. The others report an outcome. */
export const requestsDecision = ({ what }: Pick<GateNotice, "what">) => what === "opened" || what === "reminded" || what === "escalated";

/** The recipients of a notice beyond its channel. */
interface KnownRecipients {
  /** The e-mail addresses of the approvers, or, for an outcome, that of the person who started the run. */
  addresses: readonly string[];
  /** The messages in chats that ask for this decision. */
  messages: readonly { id: string; resource: string; channel: string }[];
}

/**
 * Returns the recipients of a notice. The outcome reaches the person who started the run by mail, whatever the channel of the approvers is, and every message
 * in a chat.
 */
export function splitNotice(notice: GateNotice, { addresses, messages }: KnownRecipients): NoticePart[] {
  const inChats = messages.map(
    ({ id, resource, channel }): NoticePart => ({ channel: "chat", to: toChatReceiver(resource, channel), message: id }),
  );
  if (notice.what === "counted" || notice.what === "ended") return inChats;
  const topic: NoticePart = { channel: "topic", to: "topic" };
  // Without a message, a reminder is the first one that can reach the chat.
  const isInChat = notice.channel === "chat" && inChats.length > 0;
  // An escalation has new approvers, who get direct messages unless all share a channel.
  const asksNewPeople = notice.what === "escalated" && notice.chat?.channel === undefined;
  if (requestsDecision(notice)) return [topic, ...inChats, ...(isInChat && !asksNewPeople ? [] : approverParts(notice, addresses))];
  const outcome = addresses.map((to): NoticePart => ({ channel: "email", to }));
  const others = receivesByAddress(notice.channel) || notice.channel === "chat" ? [] : approverParts(notice, []);
  return [topic, ...inChats, ...others, ...outcome];
}

const toChatReceiver = (resource: string, channel = "") => `${resource} ${channel}`.trim();

function approverParts(notice: GateNotice, addresses: readonly string[]): NoticePart[] {
  const { channel, url = "" } = notice;
  const { receivers } = noticeChannels[channel];
  switch (receivers) {
    case "url":
      return [{ channel, to: hideUrlSecrets(url) }];
    case "channel":
      return [{ channel, to: notice.chat ? toChatReceiver(notice.chat.resource, notice.chat.channel) : channel }];
    case "addresses":
      return splitMails(notice, addresses);
    default:
      return assertNever(receivers);
  }
}

/**
 * Stored instead of an address when a notice has no recipient, so that the missing delivery is visible. The text is the `to` of a delivery in
 * the API and in stored records, so it does not change.
 */
export const NO_RECIPIENT = "nobody";

/** Returns the mails of a request to these approvers. */
export function splitMails({ people }: Pick<GateNotice, "people">, addresses: readonly string[]): NoticePart[] {
  const recipients = addresses.length === 0 && people.length > 0 ? [NO_RECIPIENT] : addresses.slice(0, limits.noticeMails);
  return recipients.map((to) => ({ channel: "email", to }));
}

/** Shown instead of the URL of a webhook that is not an http or https URL. Such a text may contain a secret too. */
const INVALID_URL = "invalid URL";

/** Returns the scheme and the host of a webhook's URL. Its path may be a secret, as with Slack, and so may its query and its credentials. */
export function hideUrlSecrets(url: string): string {
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.origin : INVALID_URL;
}

/** Returns the receiver of a part without secrets. An earlier release stored the whole URL of a webhook. */
export const showReceiver = ({ channel, to }: NoticePart): string => (receivesByUrl(channel) ? hideUrlSecrets(to) : to);

/** Returns the name of a part, which never changes: letters, digits, '-' and '_'. */
export function buildPartName({ channel, to, message, person }: NoticePart): string {
  if (message !== undefined) return `${channel}-${message}`;
  if (person !== undefined) return `${channel}-${personKey(to)}`;
  return receivesByAddress(channel) ? `mail-${personKey(to)}` : channel;
}

/** Returns the lane of an attempt after `attempts` others. The server at a URL may answer slowly. */
export const chooseLane = (channel: NoticeChannel, attempts: number): Lane => (receivesByUrl(channel) && attempts > 0 ? "slow" : "fast");
