import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Webhooks } from "../../aws/http/webhooks.ts";
import type { Topic } from "../../aws/sns/topic.ts";
import type { DeliveryMessageOf } from "../../core/deliveries/message.ts";
import { buildRunAttributes, buildRunEvent } from "../../core/notifications/run-notice.ts";
import { signWebhook } from "../../core/notifications/webhook.ts";
import { keys } from "../../core/objects/keys.ts";
import { countOutcome } from "../../core/telemetry/telemetry.ts";
import type { OpenedDelivery } from "../deliveries/deliver-message.ts";
import { loadNotice } from "./load-notice.ts";
import { noticeProgress } from "./notice-progress.ts";
import { listSigningSecrets, type WebhookSecretDeps } from "./webhook-secret.ts";

export interface RunNoticeDeps extends WebhookSecretDeps {
  objects: ObjectTable;
  topic: Topic;
  webhooks: Webhooks;
}

/** Opens the delivery of a notice about a run to the topic or to a webhook. `undefined` if the notice or its workspace is gone. */
export async function openRunNotice(deps: RunNoticeDeps, message: DeliveryMessageOf<"run">): Promise<OpenedDelivery | undefined> {
  const notice = await loadNotice(deps, keys.notice(message.workspace, message.notice));
  if (notice?.kind !== "run") return undefined;
  const { channel, workspace, id } = notice;
  const key = keys.mailDelivery(workspace, id, channel);
  return {
    id,
    nth: channel,
    lane: channel === "webhook" && message.after > 0 ? "slow" : "fast",
    ...noticeProgress(deps, { key, sentAtMs: notice.atMs }),
    async send(_progress, answerMs) {
      const body = JSON.stringify(buildRunEvent(notice));
      if (channel === "topic") return deps.topic.publish(body, buildRunAttributes(notice));
      const secrets = await listSigningSecrets(deps, workspace);
      return deps.webhooks.post(notice.url ?? "", signWebhook(secrets, id, body, deps.nowMs()), body, { answerMs });
    },
    async afterAttempt({ outcome }) {
      if (!outcome.ok) countOutcome("NoticesFailed");
      return channel === "webhook" ? "slow" : "fast";
    },
  };
}
