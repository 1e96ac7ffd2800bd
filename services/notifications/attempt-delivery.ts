import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Webhooks } from "../../aws/http/webhooks.ts";
import type { Mail } from "../../aws/ses/mail.ts";
import type { Topic } from "../../aws/sns/topic.ts";
import {
  type Attempt,
  buildPartName,
  failedAttempt,
  NO_RECIPIENT,
  type QueuedPart,
  refusedAttempt,
} from "../../core/notifications/delivery.ts";
import { buildNoticeEvent, buildTopicAttributes } from "../../core/notifications/event.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import { buildMail } from "../../core/notifications/text.ts";
import { signWebhook } from "../../core/notifications/webhook.ts";
import { keys } from "../../core/objects/keys.ts";
import { countOutcome, reportFailure } from "../../core/telemetry/telemetry.ts";
import { findRecipients } from "./recipients.ts";
import { listSigningSecrets, type WebhookSecretDeps } from "./webhook-secret.ts";

export interface SendDeps extends WebhookSecretDeps {
  objects: ObjectTable;
  topic: Topic;
  mail: Mail;
  webhooks: Webhooks;
  baseUrl: string;
}

/** Sends one part of a notice. A failure is returned and not thrown, because the next attempt may succeed. */
export async function attemptDelivery(deps: SendDeps, notice: GateNotice, item: QueuedPart): Promise<Attempt> {
  try {
    const outcome = await attemptBy[item.channel](deps, notice, item);
    if (!outcome.ok) countOutcome("NoticesFailed");
    return outcome;
  } catch (error) {
    countOutcome("NoticesFailed");
    reportFailure("An attempt to send a notice failed", error, { job: notice.flow, workspace: notice.workspace, channel: item.channel });
    // Only the name: an AWS message may contain names of the deployment.
    return failedAttempt(error instanceof Error ? error.name : "unknown error");
  }
}

type Attempter = (deps: SendDeps, notice: GateNotice, item: QueuedPart) => Promise<Attempt>;

const attemptBy: Record<QueuedPart["channel"], Attempter> = {
  topic: ({ topic, baseUrl }, notice) => topic.publish(JSON.stringify(buildNoticeEvent(baseUrl, notice)), buildTopicAttributes(notice)),

  async email(deps, notice, item) {
    if (item.to === NO_RECIPIENT) return refusedAttempt("no approver has an e-mail address in this service");
    // The first mail follows the opening of the gate. Before a later one, the gate may have been decided or the approver may have left.
    if (item.attempts > 1) {
      if (!(await deps.objects.get(keys.pendingGate(notice.workspace, notice.gate))))
        return refusedAttempt("the flow is no longer waiting for this approval");
      if (!(await findRecipients(deps, notice)).includes(item.to)) return refusedAttempt("the owner of this address may no longer decide");
    }
    const tags = { flow: notice.flow, notice: notice.id, nth: buildPartName(item) };
    return deps.mail.sendEmail(item.to, buildMail(deps.baseUrl, notice), tags);
  },

  async webhook(deps, notice) {
    const body = JSON.stringify(buildNoticeEvent(deps.baseUrl, notice));
    const secrets = await listSigningSecrets(deps, notice.workspace);
    return deps.webhooks.post(notice.url ?? "", signWebhook(secrets, notice.id, body, deps.nowMs()), body);
  },

  chat: async () => refusedAttempt("notifications to chat applications are not supported yet"),
};
