import type { DeliveryMessageOf } from "../../core/deliveries/message.ts";
import { buildPartName } from "../../core/notifications/delivery.ts";
import type { MailNotice } from "../../core/notifications/mail-notice.ts";
import { noticeDeliveryObject, noticeObject } from "../../core/notifications/stored-notice.ts";
import { buildPlainMail } from "../../core/notifications/text.ts";
import { countOutcome } from "../../core/telemetry/telemetry.ts";
import type { DeliveryKind, OpenedDelivery } from "../deliveries/deliver-message.ts";
import { loadNotice } from "./load-notice.ts";
import { loadNoticeRecord, type NoticeRecord, type NoticeRecordPlace, storeNoticeRecord } from "./notice-progress.ts";

/** The delivery of a mail to one address. */
interface OpenedMail extends OpenedDelivery<NoticeRecord>, NoticeRecordPlace {
  notice: MailNotice;
  to: string;
}

/**
 * The deliveries of mails that concern no gate. Nothing is left to deliver if the mail or its workspace is gone, or the deployment sends no mails,
 * which is not a failure.
 */
export const mailDelivery: DeliveryKind<DeliveryMessageOf<"mail">, NoticeRecord, OpenedMail> = {
  async open(ports, message) {
    const notice = await loadNotice(ports, noticeObject.key(message.workspace, message.notice));
    if (notice?.kind !== "mail" || !ports.mail.hasSender()) return undefined;
    const { to } = message;
    const nth = buildPartName({ channel: "email", to });
    const key = noticeDeliveryObject.key(notice.workspace, notice.id, nth);
    return { id: notice.id, nth, lane: "fast", notice, to, key, sentAtMs: notice.atMs };
  },
  load: loadNoticeRecord,
  store: storeNoticeRecord,
  send: ({ mail, baseUrl }, { notice, to, nth }) => mail.sendEmail(to, buildPlainMail(baseUrl, notice), { notice: notice.id, nth }),
  async afterAttempt(_ports, _delivery, { attempt }) {
    if (!attempt.outcome.ok) countOutcome("NoticesFailed");
    return "fast";
  },
};
