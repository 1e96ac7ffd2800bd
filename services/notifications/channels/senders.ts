import { type NoticeChannel, type PublishedChannel, publishedChannels, type RunNoticeChannel } from "../../../contract/notices/channels.ts";
import { chat } from "./chat.ts";
import { email } from "./email.ts";
import { createPublishingSender } from "./publishing-sender.ts";
import type { GateNoticeSender, RunNoticeSender } from "./sender.ts";
import { webhook } from "./webhook.ts";

const publishingSenders = Object.fromEntries(publishedChannels.map((channel) => [channel, createPublishingSender(channel)])) as Record<
  PublishedChannel,
  GateNoticeSender & RunNoticeSender
>;

/** The senders of the channels of `contract/notices/channels.ts`. */
export const senders = { ...publishingSenders, email, chat, webhook } satisfies Record<NoticeChannel, GateNoticeSender> &
  Record<RunNoticeChannel, RunNoticeSender>;
