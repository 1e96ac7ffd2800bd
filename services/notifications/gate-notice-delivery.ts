import { defined } from "../../contract/defined.ts";
import type { DeliveryMessageOf } from "../../core/deliveries/message.ts";
import { buildPartName, chooseLane, type Delivery, type NoticePart, requestsDecision } from "../../core/notifications/delivery.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import { noticeObject } from "../../core/notifications/stored-notice.ts";
import { countOutcome } from "../../core/telemetry/telemetry.ts";
import type { DeliveryKind, OpenedDelivery, StoredDelivery } from "../deliveries/deliver-message.ts";
import type { GateNoticeSender } from "./channels/sender.ts";
import { senders } from "./channels/senders.ts";
import { type FoundDelivery, findStoredDelivery, storeDelivery } from "./delivery-records.ts";
import { loadNotice } from "./load-notice.ts";

/** The delivery of a gate's notice to one recipient. */
interface OpenedGateNotice extends OpenedDelivery<Delivery> {
  notice: GateNotice;
  part: NoticePart;
  flowHasEnded: boolean;
  /** The expiry of the flow's records (epoch s). */
  expiresAtS: number;
}

const senderOf = ({ channel }: Pick<NoticePart, "channel">): GateNoticeSender => senders[channel];

/**
 * The deliveries of gates' notices. Their records are children of the flow's job. Nothing is left to deliver if the notice, its workspace or its flow
 * is gone.
 */
export const gateNoticeDelivery: DeliveryKind<DeliveryMessageOf<"notice">, Delivery, OpenedGateNotice> = {
  async open(ports, { workspace, notice: id, channel, to, message, person, after }) {
    const notice = await loadNotice(ports, noticeObject.key(workspace, id));
    if (!notice || notice.kind === "mail" || notice.kind === "run") return undefined;
    // If a deployment cannot use a channel, missing notices of outcomes are not failures, but missing requests to approvers are.
    if (!requestsDecision(notice) && senderOf({ channel }).isConfigured?.(ports) === false) return undefined;
    const part: NoticePart = { channel, to, ...defined({ message, person }) };
    const found = await findStoredDelivery(ports, notice, part);
    const { expiresAtS, flowHasEnded } = found;
    if (expiresAtS === undefined) return undefined;
    const read = { stored: toStored(found) };
    return { id: notice.id, nth: buildPartName(part), lane: chooseLane(channel, after), read, notice, part, flowHasEnded, expiresAtS };
  },
  load: async (ports, { notice, part }) => toStored(await findStoredDelivery(ports, notice, part)),
  async store(ports, { notice, part, expiresAtS }, { before, progress, version, after, attempt }) {
    const { outcome } = attempt ?? {};
    const error = outcome && !outcome.ok ? outcome.error : before?.error;
    const delivery: Delivery = {
      ...part,
      ...progress,
      gate: notice.gate,
      what: notice.what,
      atMs: ports.nowMs(),
      ...defined({ error: outcome?.ok ? undefined : error }),
    };
    const owner = { flow: notice.flow, notice: notice.id, part, expiresAtS };
    return (await storeDelivery(ports, owner, { delivery, version, after })) ? delivery : undefined;
  },
  send: (ports, { notice, part, flowHasEnded }, attempt) =>
    senderOf(part).sendGateNotice(ports, { notice, part, flowHasEnded, ...attempt }),
  async afterAttempt(_ports, { part }, { attempt, progress }) {
    if (!attempt.outcome.ok) countOutcome("NoticesFailed");
    return chooseLane(part.channel, progress.attempts);
  },
};

const toStored = ({ delivery, version }: FoundDelivery): StoredDelivery<Delivery> | undefined => delivery && { record: delivery, version };
