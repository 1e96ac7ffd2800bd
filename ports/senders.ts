import type { PublishedChannel } from "../contract/notices/channels.ts";
import type { Attempt } from "../core/deliveries/attempt.ts";

/** SES. An attempt that failed is a return value. A repeated call sends another mail. */
export interface Mail {
  /** Returns whether the deployment has a sender address. */
  hasSender(): boolean;
  /** Sends one mail to one address. SES returns `tags` in its later events: letters, digits, '-' and '_'. */
  sendEmail(to: string, text: { subject: string; text: string; html: string }, tags: Record<string, string>): Promise<Attempt>;
}

/** A service of AWS that takes the notices of a channel. An attempt that failed is a return value. A repeated call publishes another message. */
export interface NoticePublisher {
  /** Publishes a message, which is JSON text. Its receivers can filter by `attributes`. */
  publish(message: string, attributes: Record<string, string>): Promise<Attempt>;
}

/** The publisher of each channel that `contract/notices/channels.ts` marks as published. */
export type NoticePublishers = Readonly<Record<PublishedChannel, NoticePublisher>>;

/**
 * Sends requests to URLs that users provide (design §8). Addresses inside the network are blocked, redirects are not followed, and the
 * response body is read to its end and discarded. Errors contain no part of the URL.
 */
export interface Webhooks {
  /** Sends one request. `answerMs`: the time within which the response must end, from the lookup of the name on. Does not throw. */
  post(address: string, headers: Record<string, string>, body: string, options: { answerMs: number }): Promise<Attempt>;
}
