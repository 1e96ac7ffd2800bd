import type { NoticeChannel, RunNoticeChannel } from "../../../contract/notices/channels.ts";
import { chat } from "./chat.ts";
import { email } from "./email.ts";
import type { GateNoticeSender, RunNoticeSender } from "./sender.ts";
import { topic } from "./topic.ts";
import { webhook } from "./webhook.ts";

/** The senders of the channels of `contract/notices/channels.ts`. */
export const senders = { email, topic, chat, webhook } satisfies Record<NoticeChannel, GateNoticeSender> &
  Record<RunNoticeChannel, RunNoticeSender>;
