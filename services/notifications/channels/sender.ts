import type { Attempt } from "../../../core/deliveries/attempt.ts";
import type { NoticePart } from "../../../core/notifications/delivery.ts";
import type { GateNotice } from "../../../core/notifications/notice.ts";
import type { RunNotice } from "../../../core/notifications/run-notice.ts";
import type { SendingPorts } from "../../deliveries/deliver-message.ts";
import type { Uses } from "../../uses.ts";

/** An attempt to send a gate's notice to one receiver. `attempts` counts from 1, and `answerMs` is the time within which the receiver must answer. */
export interface GateNoticeAttempt {
  notice: GateNotice;
  part: NoticePart;
  flowHasEnded: boolean;
  attempts: number;
  answerMs: number;
}

/** Sends notices of gates through one channel. */
export interface GateNoticeSender {
  sendGateNotice(deps: SendingPorts, attempt: GateNoticeAttempt): Promise<Attempt>;
  /** Returns whether the deployment can use this channel. Absent: it can. */
  isConfigured?(deps: SendingPorts): boolean;
}

/** Sends notices of runs through one channel. */
export interface RunNoticeSender {
  sendRunNotice(
    deps: Uses<"objects" | "webhookKeys" | "noticePublishers" | "webhooks" | "nowMs">,
    notice: RunNotice,
    answerMs: number,
  ): Promise<Attempt>;
}
