import { limits } from "../../contract/limits.ts";
import type { Attempt } from "../../core/deliveries/attempt.ts";
import { decideClaim, type Progress, recordAttempt } from "../../core/deliveries/claim.ts";
import type { DeliveryMessage, DeliveryMessageOf, Lane } from "../../core/deliveries/message.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import type { Uses } from "../uses.ts";
import { queueNextAttempt, sendDeliveries } from "./queue-attempts.ts";

/** The stored progress of a delivery. `version` counts its changes; a record of an earlier release has none. */
export interface StoredProgress {
  progress: Progress;
  version: number | undefined;
}

/** An attempt that has ended. */
export interface EndedAttempt {
  atMs: number;
  durationMs: number;
  /** `undefined` for an attempt whose sender died. */
  outcome: Attempt | undefined;
}

export interface ProgressChange {
  progress: Progress;
  /** The new version. The stored one must be `after`, or the record must not exist. */
  version: number;
  after: number | "unversioned" | "absent";
  /** The attempt that has ended with this change. */
  attempt?: EndedAttempt;
}

/** One delivery to one receiver, which a kind of messages opens. */
export interface OpenedDelivery {
  /** Identifies the delivery in the schedule and the list of retries: `id` with `nth`, its name among the deliveries of `id`. */
  id: string;
  nth: string;
  /** The current lane of this delivery. */
  lane: Lane;
  load(): Promise<StoredProgress | undefined>;
  /** Whether `load` costs nothing, because the record was already read. Otherwise the first attempt is claimed without a read. */
  isLoaded: boolean;
  /** Stores a change of the record. Returns false if another process has changed it first. */
  store(change: ProgressChange): Promise<boolean>;
  /** Makes one attempt. `answerMs`: the time within which the receiver must answer. Throwing also leads to a retry. */
  send(progress: Progress, answerMs: number): Promise<Attempt>;
  /** Called after the outcome is stored, and not repeated if the process dies first. Returns the lane of the next attempt. */
  afterAttempt(attempt: EndedAttempt & { outcome: Attempt }, progress: Progress): Promise<Lane>;
}

/** Opens the delivery of a message; `undefined` if there is nothing left to deliver. */
export type DeliveryKinds = {
  [Kind in DeliveryMessage["kind"]]: (message: DeliveryMessageOf<Kind>) => Promise<OpenedDelivery | undefined>;
};

export interface DeliverMessageDeps extends Uses<"objects" | "deliveryQueue" | "nowMs"> {
  kinds: DeliveryKinds;
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
export async function deliverMessage(deps: DeliverMessageDeps, message: DeliveryMessage, received: Received): Promise<void> {
  const open = deps.kinds[message.kind] as (message: DeliveryMessage) => Promise<OpenedDelivery | undefined>;
  const delivery = await open(message);
  if (!delivery) return;
  if (received.lane === "fast" && delivery.lane === "slow") return sendDeliveries(deps, [{ message, lane: "slow" }]);
  const claimed = await claimAttempt(deps, delivery, message, received);
  if (!claimed) return;
  const atMs = deps.nowMs();
  const outcome = await makeAttempt(delivery, claimed.progress, received.lane);
  const attempt = { atMs, durationMs: Math.max(0, deps.nowMs() - atMs), outcome };
  const progress = recordAttempt(claimed.progress, outcome, { id: delivery.id + delivery.nth, nowMs: deps.nowMs() });
  // Another process took over the delivery, because this one exceeded its hold.
  if (!(await delivery.store({ progress, version: claimed.version + 1, after: claimed.version, attempt }))) return;
  const lane = await delivery.afterAttempt(attempt, progress);
  await queueNext(deps, delivery, { message, progress, lane });
}

async function makeAttempt(delivery: OpenedDelivery, progress: Progress, lane: Lane): Promise<Attempt> {
  try {
    return await delivery.send(progress, lane === "fast" ? limits.webhookFastAnswerMs : limits.webhookAnswerMs);
  } catch (error) {
    reportFailure("An attempt to deliver a message failed", error, { delivery: delivery.id });
    // Only the name: an AWS message may contain names of the deployment.
    return { ok: false, final: false, error: error instanceof Error ? error.name : "unknown error" };
  }
}

/** The number of times that a claim is repeated while other processes change the record. */
const TRIES = 4;

async function claimAttempt(
  deps: DeliverMessageDeps,
  delivery: OpenedDelivery,
  message: DeliveryMessage,
  { receives }: Received,
): Promise<{ progress: Progress; version: number } | undefined> {
  const replay = message.kind === "event" ? message.replay : undefined;
  const isFirst = message.after === 0 && replay === undefined && receives === 1;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = tries > 0 || !isFirst || delivery.isLoaded ? await delivery.load() : undefined;
    const nowMs = deps.nowMs();
    const decision = decideClaim(found?.progress, { after: message.after, replay, nowMs }, limits.deliveryHoldMs);
    if (decision.is === "held") throw new DeliveryHeld(`Another process delivers ${delivery.id}.`);
    if (decision.is === "done") return undefined;
    if (decision.is === "requeue") {
      if (receives > 1) await queueNext(deps, delivery, { message, progress: decision.progress, lane: delivery.lane });
      return undefined;
    }
    const version = (found?.version ?? 0) + 1;
    const after = found ? (found.version ?? "unversioned") : "absent";
    const lost = decision.isLost ? { attempt: { atMs: nowMs, durationMs: 0, outcome: undefined } } : {};
    if (await delivery.store({ progress: decision.progress, version, after, ...lost })) return { progress: decision.progress, version };
  }
  throw new DeliveryHeld(`Other processes change ${delivery.id}.`);
}

interface Next {
  message: DeliveryMessage;
  progress: Progress;
  lane: Lane;
}

async function queueNext(deps: DeliverMessageDeps, { id, nth }: OpenedDelivery, { message, progress, lane }: Next): Promise<void> {
  if (progress.state !== "retrying" || progress.nextAtMs === undefined) return;
  const { replay: _, ...next } = { replay: undefined, ...message, after: progress.attempts };
  await queueNextAttempt(deps, { message: next as DeliveryMessage, lane, atMs: progress.nextAtMs, id, nth });
}
