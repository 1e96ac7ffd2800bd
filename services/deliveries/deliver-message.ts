import { limits } from "../../contract/limits.ts";
import type { Attempt } from "../../core/deliveries/attempt.ts";
import { decideClaim, type Progress, recordAttempt } from "../../core/deliveries/claim.ts";
import type { DeliveryMessage, Lane } from "../../core/deliveries/message.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import type { Uses } from "../uses.ts";
import { queueNextAttempt, sendDeliveries } from "./queue-attempts.ts";

/** The ports with which the kinds of deliveries are opened, recorded and sent. */
export type SendingPorts = Uses<
  | "jobs"
  | "objects"
  | "deliveryQueue"
  | "webhookKeys"
  | "chatKeys"
  | "mail"
  | "chats"
  | "noticePublishers"
  | "webhooks"
  | "nowMs"
  | "baseUrl"
>;

/** The stored record of a delivery. `version` counts its changes; a record of an earlier release has none. */
export interface StoredDelivery<Stored extends Progress> {
  record: Stored;
  version: number | undefined;
}

/** An attempt that has ended. */
export interface EndedAttempt {
  atMs: number;
  durationMs: number;
  /** `undefined` for an attempt whose sender died. */
  outcome: Attempt | undefined;
}

/** A change of the record of a delivery. */
export interface DeliveryChange<Stored extends Progress> {
  /** The record before the change. */
  before: Stored | undefined;
  progress: Progress;
  /** The new version. The stored one must be `after`, or the record must not exist. */
  version: number;
  after: number | "unversioned" | "absent";
  /** The attempt that has ended with this change. */
  attempt?: EndedAttempt;
}

/** A delivery to one receiver, as its kind opens it. A kind adds the data that its attempts need. */
export interface OpenedDelivery<Stored extends Progress> {
  /** Identifies the delivery in the schedule and the list of retries: `id` with `nth`, its name among the deliveries of `id`. */
  id: string;
  nth: string;
  /** The current lane of this delivery. */
  lane: Lane;
  /** The record, if it was read to open the delivery. Otherwise the first attempt is claimed without a read. */
  read?: { stored: StoredDelivery<Stored> | undefined };
}

/** A kind of deliveries: how its messages are opened, recorded and sent. It has no state: what an attempt needs is in the opened delivery. */
export interface DeliveryKind<Message extends DeliveryMessage, Stored extends Progress, Opened extends OpenedDelivery<Stored>> {
  /** Opens the delivery of a message; `undefined` if there is nothing left to deliver. */
  open(ports: SendingPorts, message: Message): Promise<Opened | undefined>;
  load(ports: SendingPorts, delivery: Opened): Promise<StoredDelivery<Stored> | undefined>;
  /** Stores a change of the record, and returns the new record; `undefined` if another process has changed it first. */
  store(ports: SendingPorts, delivery: Opened, change: DeliveryChange<Stored>): Promise<Stored | undefined>;
  /** Makes one attempt. `answerMs`: the time within which the receiver must answer. Throwing also leads to a retry. */
  send(ports: SendingPorts, delivery: Opened, attempt: { attempts: number; answerMs: number }): Promise<Attempt>;
  /** Called after the outcome is stored, and not repeated if the process dies first. Returns the lane of the next attempt. */
  afterAttempt(
    ports: SendingPorts,
    delivery: Opened,
    ended: { attempt: EndedAttempt & { outcome: Attempt }; progress: Progress },
  ): Promise<Lane>;
}

/** The lane of a received message, and the number of times that it was received, at least 1. */
export interface Received {
  lane: Lane;
  receives: number;
}

/** Another process is making this attempt. The message returns to the queue, in case that process dies. */
export class DeliveryHeld extends Error {
  override readonly name = "DeliveryHeld";
}

/**
 * Makes the attempt of one message at least once. The claim of the attempt is stored before the message is sent, and its outcome afterwards, so that a
 * repeated message sends nothing, and one whose process died in between is sent again with the same id. Throws `DeliveryHeld`.
 */
export async function deliverMessage<Message extends DeliveryMessage, Stored extends Progress, Opened extends OpenedDelivery<Stored>>(
  ports: SendingPorts & Uses<"deliveryQueue">,
  kind: DeliveryKind<Message, Stored, Opened>,
  message: Message,
  receipt: Received,
): Promise<void> {
  const delivery = await kind.open(ports, message);
  if (!delivery) return;
  if (receipt.lane === "fast" && delivery.lane === "slow") return sendDeliveries(ports, [{ message, lane: "slow" }]);
  const claimed = await claimAttempt(ports, kind, delivery, { message, ...receipt });
  if (!claimed) return;
  const atMs = ports.nowMs();
  const answerMs = receipt.lane === "fast" ? limits.webhookFastAnswerMs : limits.webhookAnswerMs;
  const outcome = await makeAttempt(ports, kind, delivery, { attempts: claimed.progress.attempts, answerMs });
  const attempt = { atMs, durationMs: Math.max(0, ports.nowMs() - atMs), outcome };
  const progress = recordAttempt(claimed.progress, outcome, { id: delivery.id + delivery.nth, nowMs: ports.nowMs() });
  const change = { before: claimed.record, progress, version: claimed.version + 1, after: claimed.version, attempt };
  // Another process took over the delivery, because this one exceeded its hold.
  if (!(await kind.store(ports, delivery, change))) return;
  const lane = await kind.afterAttempt(ports, delivery, { attempt, progress });
  await queueNext(ports, delivery, { message, progress, lane });
}

async function makeAttempt<Message extends DeliveryMessage, Stored extends Progress, Opened extends OpenedDelivery<Stored>>(
  ports: SendingPorts,
  kind: DeliveryKind<Message, Stored, Opened>,
  delivery: Opened,
  attempt: { attempts: number; answerMs: number },
): Promise<Attempt> {
  try {
    return await kind.send(ports, delivery, attempt);
  } catch (error) {
    reportFailure("An attempt to deliver a message failed", error, { delivery: delivery.id });
    // Only the name: an AWS message may contain names of the deployment.
    return { ok: false, final: false, error: error instanceof Error ? error.name : "unknown error" };
  }
}

/** The number of times that a claim is repeated while other processes change the record. */
const TRIES = 4;

/** A claimed attempt: the record that holds the claim, and its progress and version. */
interface Claim<Stored extends Progress> {
  record: Stored;
  progress: Progress;
  version: number;
}

async function claimAttempt<Message extends DeliveryMessage, Stored extends Progress, Opened extends OpenedDelivery<Stored>>(
  ports: SendingPorts & Uses<"deliveryQueue">,
  kind: DeliveryKind<Message, Stored, Opened>,
  delivery: Opened,
  { message, receives }: { message: DeliveryMessage } & Received,
): Promise<Claim<Stored> | undefined> {
  const replay = message.kind === "event" ? message.replay : undefined;
  const isFirst = message.after === 0 && replay === undefined && receives === 1;
  let read = delivery.read ?? (isFirst ? { stored: undefined } : undefined);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = read ? read.stored : await kind.load(ports, delivery);
    read = undefined;
    const nowMs = ports.nowMs();
    const decision = decideClaim(found?.record, { after: message.after, replay, nowMs }, limits.deliveryHoldMs);
    if (decision.is === "held") throw new DeliveryHeld(`Another process delivers ${delivery.id}.`);
    if (decision.is === "done") return undefined;
    if (decision.is === "requeue") {
      if (receives > 1) await queueNext(ports, delivery, { message, progress: decision.progress, lane: delivery.lane });
      return undefined;
    }
    const version = (found?.version ?? 0) + 1;
    const after = found ? (found.version ?? "unversioned") : "absent";
    const lost = decision.isLost ? { attempt: { atMs: nowMs, durationMs: 0, outcome: undefined } } : {};
    const { progress } = decision;
    const record = await kind.store(ports, delivery, { before: found?.record, progress, version, after, ...lost });
    if (record) return { record, progress, version };
  }
  throw new DeliveryHeld(`Other processes change ${delivery.id}.`);
}

interface Next {
  message: DeliveryMessage;
  progress: Progress;
  lane: Lane;
}

async function queueNext(
  ports: Uses<"objects" | "deliveryQueue" | "nowMs">,
  { id, nth }: Pick<OpenedDelivery<Progress>, "id" | "nth">,
  { message, progress, lane }: Next,
): Promise<void> {
  if (progress.state !== "retrying" || progress.nextAtMs === undefined) return;
  const { replay: _, ...next } = { replay: undefined, ...message, after: progress.attempts };
  await queueNextAttempt(ports, { message: next as DeliveryMessage, lane, atMs: progress.nextAtMs, id, nth });
}
