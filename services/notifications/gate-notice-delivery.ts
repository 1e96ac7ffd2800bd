import type { DeliveryMessageOf } from "../../core/deliveries/message.ts";
import { buildPartName, chooseLane, type Delivery, type NoticePart, requestsDecision } from "../../core/notifications/delivery.ts";
import { noticeObject } from "../../core/notifications/stored-notice.ts";
import { countOutcome } from "../../core/telemetry/telemetry.ts";
import type { OpenedDelivery, ProgressChange, StoredProgress } from "../deliveries/deliver-message.ts";
import type { GateNoticeDeps, GateNoticeSender } from "./channels/sender.ts";
import { senders } from "./channels/senders.ts";
import { findStoredDelivery, type StoredDelivery, storeDelivery } from "./delivery-records.ts";
import { loadNotice } from "./load-notice.ts";

/** Opens the delivery of a gate's notice to one recipient. Its record is a child of the flow's job. `undefined` if the notice, its workspace or its flow is gone. */
export async function openGateNotice(deps: GateNoticeDeps, message: DeliveryMessageOf<"notice">): Promise<OpenedDelivery | undefined> {
  const notice = await loadNotice(deps, noticeObject.key(message.workspace, message.notice));
  if (!notice || notice.kind === "mail" || notice.kind === "run") return undefined;
  const sender: GateNoticeSender = senders[message.channel];
  // If a deployment cannot use a channel, missing notices of outcomes are not failures, but missing requests to approvers are.
  if (!requestsDecision(notice) && sender.isConfigured?.(deps) === false) return undefined;
  const { flow } = notice;
  const part: NoticePart = { channel: message.channel, to: message.to };
  const first = await findStoredDelivery(deps, notice, part);
  const { expiresAtS, flowHasEnded } = first;
  if (expiresAtS === undefined) return undefined;
  let isRead = false;
  return {
    id: notice.id,
    nth: buildPartName(part),
    lane: chooseLane(part.channel, message.after),
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
    send: ({ attempts }, answerMs) => sender.sendGateNotice(deps, { notice, part, flowHasEnded, attempts, answerMs }),
    async afterAttempt({ outcome }, { attempts }) {
      if (!outcome.ok) countOutcome("NoticesFailed");
      return chooseLane(part.channel, attempts);
    },
  };
}

function toStoredProgress({ delivery, version }: StoredDelivery): StoredProgress | undefined {
  return delivery && { progress: delivery, version };
}
