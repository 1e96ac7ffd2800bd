import type { JobTable } from "../../aws/dynamodb/job-table.ts";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Webhooks } from "../../aws/http/webhooks.ts";
import type { Mail } from "../../aws/ses/mail.ts";
import type { Topic } from "../../aws/sns/topic.ts";
import { type Attempt, refusedAttempt } from "../../core/deliveries/attempt.ts";
import type { DeliveryMessageOf, Lane } from "../../core/deliveries/message.ts";
import { buildPartName, type Delivery, NO_RECIPIENT, type NoticePart, requestsDecision } from "../../core/notifications/delivery.ts";
import { buildNoticeEvent, buildTopicAttributes } from "../../core/notifications/event.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import { buildMail, buildOutcomeMail } from "../../core/notifications/text.ts";
import { signWebhook } from "../../core/notifications/webhook.ts";
import { keys } from "../../core/objects/keys.ts";
import { countOutcome } from "../../core/telemetry/telemetry.ts";
import type { OpenedDelivery, ProgressChange, StoredProgress } from "../deliveries/deliver-message.ts";
import { findStoredDelivery, storeDelivery } from "./delivery-records.ts";
import { loadNotice } from "./load-notice.ts";
import { findRecipients, findStarter } from "./recipients.ts";
import { listSigningSecrets, type WebhookSecretDeps } from "./webhook-secret.ts";

export interface GateNoticeDeps extends WebhookSecretDeps {
  objects: ObjectTable;
  jobs: Pick<JobTable, "getWith" | "putChildIf">;
  topic: Topic;
  mail: Mail;
  webhooks: Webhooks;
  baseUrl: string;
}

interface Attempted {
  notice: GateNotice;
  part: NoticePart;
  flowHasEnded: boolean;
  attempts: number;
  answerMs: number;
}

/** Opens the delivery of a gate's notice to one recipient. Its record is a child of the flow's job. `undefined` if the notice, its workspace or its flow is gone. */
export async function openGateNotice(deps: GateNoticeDeps, message: DeliveryMessageOf<"notice">): Promise<OpenedDelivery | undefined> {
  const notice = await loadNotice(deps, keys.notice(message.workspace, message.notice));
  if (!notice || notice.kind === "mail" || notice.kind === "run") return undefined;
  // A deployment without a sender sends no outcome by mail, which is no failure. Approvers who cannot be asked are one.
  if (message.channel === "email" && !requestsDecision(notice) && !deps.mail.hasSender()) return undefined;
  const { flow } = notice;
  const part: NoticePart = { channel: message.channel, to: message.to };
  const first = await findStoredDelivery(deps, notice, part);
  const { expiresAtS, flowHasEnded } = first;
  if (expiresAtS === undefined) return undefined;
  let isRead = false;
  const lane: Lane = message.channel === "webhook" && message.after > 0 ? "slow" : "fast";
  return {
    id: notice.id,
    nth: buildPartName(part),
    lane,
    isLoaded: true,
    async load() {
      const found = isRead ? await findStoredDelivery(deps, notice, part) : first;
      isRead = true;
      return toStoredProgress(found);
    },
    store: ({ progress, version, after, attempt }: ProgressChange) => {
      const { outcome } = attempt ?? {};
      const error = outcome && !outcome.ok ? outcome.error : first.delivery?.error;
      const delivery: Delivery = {
        ...part,
        ...progress,
        gate: notice.gate,
        what: notice.what,
        atMs: deps.nowMs(),
        ...(error === undefined || outcome?.ok ? {} : { error }),
      };
      return storeDelivery(deps, { flow, notice: notice.id, part, expiresAtS }, { delivery, version, after });
    },
    send: ({ attempts }, answerMs) => attemptBy[part.channel](deps, { notice, part, flowHasEnded, attempts, answerMs }),
    async afterAttempt({ outcome }) {
      if (!outcome.ok) countOutcome("NoticesFailed");
      return part.channel === "webhook" ? "slow" : "fast";
    },
  };
}

function toStoredProgress({ delivery, version }: Awaited<ReturnType<typeof findStoredDelivery>>): StoredProgress | undefined {
  return delivery && { progress: delivery, version };
}

type Attempter = (deps: GateNoticeDeps, attempted: Attempted) => Promise<Attempt>;

const attemptBy: Record<NoticePart["channel"], Attempter> = {
  topic: ({ topic, baseUrl }, { notice }) => topic.publish(JSON.stringify(buildNoticeEvent(baseUrl, notice)), buildTopicAttributes(notice)),

  async email(deps, { notice, part, flowHasEnded, attempts }) {
    const tags = { flow: notice.flow, notice: notice.id, nth: buildPartName(part) };
    if (!requestsDecision(notice)) {
      if (attempts > 1 && !(await findStarter(deps, notice)).includes(part.to))
        return refusedAttempt("the owner of this address may no longer see the run");
      return deps.mail.sendEmail(part.to, buildOutcomeMail(deps.baseUrl, notice), tags);
    }
    if (part.to === NO_RECIPIENT) return refusedAttempt("no approver has an e-mail address in this service");
    // The first mail follows the opening of the gate. Before a later one, the flow may have ended, the gate may have been decided, or the approver may have left.
    if (attempts > 1) {
      if (flowHasEnded || !(await deps.objects.get(keys.pendingGate(notice.workspace, notice.gate))))
        return refusedAttempt("the flow is no longer waiting for this approval");
      if (!(await findRecipients(deps, notice)).includes(part.to)) return refusedAttempt("the owner of this address may no longer decide");
    }
    return deps.mail.sendEmail(part.to, buildMail(deps.baseUrl, notice), tags);
  },

  async webhook(deps, { notice, answerMs }) {
    const body = JSON.stringify(buildNoticeEvent(deps.baseUrl, notice));
    const secrets = await listSigningSecrets(deps, notice.workspace);
    return deps.webhooks.post(notice.url ?? "", signWebhook(secrets, notice.id, body, deps.nowMs()), body, { answerMs });
  },

  chat: async () => refusedAttempt("notifications to chat applications are not supported yet"),
};
