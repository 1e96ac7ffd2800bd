import type { PublishedChannel } from "../contract/notices/channels.ts";
import type { ChatCredential } from "../core/chats/chat-credential.ts";
import type { SlackBlock, SlackMessage } from "../core/chats/slack/slack-message.ts";
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

/** The outcome of a call of a chat's vendor. A failed one contains the vendor's code, and what to do about it. */
export type ChatAnswer<Value> = { ok: true; value: Value } | Extract<Attempt, { ok: false }>;

export type SlackCredential = Extract<ChatCredential, { type: "slack" }>;

/** The place of a message in Slack (https://docs.slack.dev/reference/methods/chat.postMessage). */
export interface SlackPlace {
  channel: string;
  ts: string;
}

/** A person in Slack (https://docs.slack.dev/reference/objects/user-object). */
export interface SlackPerson {
  team: string;
  /** The address, if it is confirmed. */
  email: string | undefined;
  /** A guest, a person of another team, a bot, or a deactivated account. */
  isOutsider: boolean;
}

/** Slack's Web API. A call that failed is a return value; none is repeated here. A repeated `postMessage` posts another message. */
export interface Slack {
  /** `thread`: the `ts` of the message to which this one is a reply. */
  postMessage(credential: SlackCredential, message: SlackMessage & { channel: string; thread?: string }): Promise<ChatAnswer<SlackPlace>>;
  updateMessage(credential: SlackCredential, place: SlackPlace, message: SlackMessage): Promise<ChatAnswer<undefined>>;
  /** Posts a text that one person alone sees. */
  tell(credential: SlackCredential, to: { channel: string; user: string }, text: string): Promise<ChatAnswer<undefined>>;
  /** Opens a dialog. `trigger` is the id of a click, which is valid for three seconds. */
  openDialog(credential: SlackCredential, trigger: string, dialog: SlackBlock): Promise<ChatAnswer<undefined>>;
  /** Downloads a file that a person has uploaded. `bytes`: its size as Slack reports it. */
  downloadFile(credential: SlackCredential, url: string, bytes: number): Promise<ChatAnswer<Buffer>>;
  findPerson(credential: SlackCredential, user: string): Promise<ChatAnswer<SlackPerson>>;
}
