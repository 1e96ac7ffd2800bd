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
const partSchema = z.object({ channel: z.enum(noticeChannelNames), to: z.string() });
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

/**
 * Returns the recipients of a notice. `addresses`: the e-mail addresses of the approvers, or, for an outcome, that of the person who started the run.
 * The outcome reaches that person by mail, whatever the channel of the approvers is.
 */
export function splitNotice(notice: GateNotice, addresses: readonly string[]): NoticePart[] {
  const topic: NoticePart = { channel: "topic", to: "topic" };
  if (requestsDecision(notice)) return [topic, ...approverParts(notice, addresses)];
  const outcome = addresses.map((to): NoticePart => ({ channel: "email", to }));
  return [topic, ...(receivesByAddress(notice.channel) ? [] : approverParts(notice, [])), ...outcome];
}

function approverParts(notice: GateNotice, addresses: readonly string[]): NoticePart[] {
  const { channel, url = "" } = notice;
  const { receivers } = noticeChannels[channel];
  switch (receivers) {
    case "url":
      return [{ channel, to: hideUrlSecrets(url) }];
    case "channel":
      return [{ channel, to: channel }];
    case "addresses":
      return mailsTo(notice, addresses);
    default:
      return assertNever(receivers);
  }
}

/**
 * Stored instead of an address when a notice has no recipient, so that the missing delivery is visible. The text is the `to` of a delivery in
 * the API and in stored records, so it does not change.
 */
export const NO_RECIPIENT = "nobody";

function mailsTo({ people, channel }: GateNotice, addresses: readonly string[]): NoticePart[] {
  const recipients = addresses.length === 0 && people.length > 0 ? [NO_RECIPIENT] : addresses.slice(0, limits.noticeMails);
  return recipients.map((to) => ({ channel, to }));
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
export const buildPartName = ({ channel, to }: NoticePart): string => (receivesByAddress(channel) ? `mail-${personKey(to)}` : channel);

/** Returns the lane of an attempt after `attempts` others. The server at a URL may answer slowly. */
export const chooseLane = (channel: NoticeChannel, attempts: number): Lane => (receivesByUrl(channel) && attempts > 0 ? "slow" : "fast");
