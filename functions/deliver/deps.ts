import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { chats } from "../../aws/http/chats/chats.ts";
import { webhooks } from "../../aws/http/webhooks.ts";
import { chatKeys, webhookKeys } from "../../aws/kms/data-keys.ts";
import { mail } from "../../aws/ses/mail.ts";
import { topic } from "../../aws/sns/topic.ts";
import { deliveryQueue } from "../../aws/sqs/delivery-queue.ts";
import { env, requireEnv } from "../../contract/env.ts";

/** The ports of the function `deliver`. */
export const deps = {
  objects: objectTable,
  jobs: jobTable,
  deliveryQueue,
  noticePublishers: { topic },
  mail,
  chats,
  webhooks,
  webhookKeys,
  chatKeys,
  baseUrl: requireEnv(env.baseUrl),
  nowMs: Date.now,
};
