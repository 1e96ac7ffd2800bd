import type { DeliveryMessageOf } from "../../core/deliveries/message.ts";
import { chooseLane } from "../../core/notifications/delivery.ts";
import type { RunNotice } from "../../core/notifications/run-notice.ts";
import { noticeDeliveryObject, noticeObject } from "../../core/notifications/stored-notice.ts";
import { countOutcome } from "../../core/telemetry/telemetry.ts";
import type { DeliveryKind, OpenedDelivery } from "../deliveries/deliver-message.ts";
import { senders } from "./channels/senders.ts";
import { loadNotice } from "./load-notice.ts";
import { loadNoticeRecord, type NoticeRecord, type NoticeRecordPlace, storeNoticeRecord } from "./notice-progress.ts";

/** The delivery of a notice about a run to its receiver. */
interface OpenedRunNotice extends OpenedDelivery<NoticeRecord>, NoticeRecordPlace {
  notice: RunNotice;
}

/** The deliveries of notices about runs. Nothing is left to deliver if the notice or its workspace is gone. */
export const runNoticeDelivery: DeliveryKind<DeliveryMessageOf<"run">, NoticeRecord, OpenedRunNotice> = {
  async open(ports, message) {
    const notice = await loadNotice(ports, noticeObject.key(message.workspace, message.notice));
    if (notice?.kind !== "run") return undefined;
    const { channel, workspace, id, atMs: sentAtMs } = notice;
    const key = noticeDeliveryObject.key(workspace, id, channel);
    return { id, nth: channel, lane: chooseLane(channel, message.after), notice, key, sentAtMs };
  },
  load: loadNoticeRecord,
  store: storeNoticeRecord,
  send: (ports, { notice }, { answerMs }) => senders[notice.channel].sendRunNotice(ports, notice, answerMs),
  async afterAttempt(_ports, { notice }, { attempt, progress }) {
    if (!attempt.outcome.ok) countOutcome("NoticesFailed");
    return chooseLane(notice.channel, progress.attempts);
  },
};
