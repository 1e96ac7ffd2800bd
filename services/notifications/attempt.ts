import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Webhooks } from "../../aws/http/webhooks.ts";
import type { Mail } from "../../aws/ses/mail.ts";
import type { Topic } from "../../aws/sns/topic.ts";
import { type Attempt, failed, NOBODY, nthOf, type Queued, refused } from "../../core/notifications/delivery.ts";
import { attributesOf, eventOf } from "../../core/notifications/event.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import { mailOf } from "../../core/notifications/text.ts";
import { signedHeaders } from "../../core/notifications/webhook.ts";
import { keys } from "../../core/objects/keys.ts";
import { countOutcome, reportFailure } from "../../core/telemetry/telemetry.ts";
import { recipients } from "./recipients.ts";
import { signingSecrets, type WebhookSecretDeps } from "./webhook-secret.ts";

export interface SendDeps extends WebhookSecretDeps {
  objects: ObjectTable;
  topic: Topic;
  mail: Mail;
  webhooks: Webhooks;
  baseUrl: string;
}

/** Sends one part of a notice. What fails is an answer, whatever it is: the next attempt may go well. */
export async function attempt(deps: SendDeps, notice: GateNotice, item: Queued): Promise<Attempt> {
  try {
    const outcome = await attemptBy[item.channel](deps, notice, item);
    if (!outcome.ok) countOutcome("NoticesFailed");
    return outcome;
  } catch (error) {
    countOutcome("NoticesFailed");
    reportFailure("An attempt to send a notice failed", error, { job: notice.flow, workspace: notice.workspace, channel: item.channel });
    // The name alone: an AWS message may hold what belongs to the deployment.
    return failed(error instanceof Error ? error.name : "unknown error");
  }
}

type By = (deps: SendDeps, notice: GateNotice, item: Queued) => Promise<Attempt>;

const attemptBy: Record<Queued["channel"], By> = {
  topic: ({ topic, baseUrl }, notice) => topic.publish(JSON.stringify(eventOf(baseUrl, notice)), attributesOf(notice)),

  async email(deps, notice, item) {
    if (item.to === NOBODY) return refused("no approver has an e-mail address in this service");
    // A first mail goes to whom the gate has just named. Until a later one somebody may have decided, or left.
    if (item.attempts > 1) {
      if (!(await deps.objects.get(keys.pendingGate(notice.workspace, notice.gate))))
        return refused("the flow is no longer waiting for this approval");
      if (!(await recipients(deps, notice)).includes(item.to)) return refused("the owner of this address may no longer decide");
    }
    const tags = { flow: notice.flow, notice: notice.id, nth: nthOf(item) };
    return deps.mail.send(item.to, mailOf(deps.baseUrl, notice), tags);
  },

  async webhook(deps, notice) {
    const body = JSON.stringify(eventOf(deps.baseUrl, notice));
    const secrets = await signingSecrets(deps, notice.workspace);
    return deps.webhooks.post(notice.url ?? "", signedHeaders(secrets, notice.id, body, deps.nowMs()), body);
  },

  chat: async () => refused("notifications to chat applications are not supported yet"),
};
