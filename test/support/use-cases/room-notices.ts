import { randomUUID } from "node:crypto";
import { limits } from "../../../contract/limits.ts";
import { pendingGateObject } from "../../../core/approvals/pending-gate.ts";
import { type Attempt, sentAttempt } from "../../../core/deliveries/attempt.ts";
import { dueAttemptObject } from "../../../core/deliveries/due-attempt.ts";
import type { GateNotice } from "../../../core/notifications/notice.ts";
import { noticeObject } from "../../../core/notifications/stored-notice.ts";
import { deliveryKinds } from "../../../functions/shared/wiring/delivery-kinds.ts";
import { sendDeliveries } from "../../../services/deliveries/queue-attempts.ts";
import { listDeliveries } from "../../../services/notifications/delivery-records.ts";
import { dispatchNotice } from "../../../services/notifications/dispatch-notice.ts";
import { countWrite } from "./failing-writes.ts";
import type { Room } from "./room.ts";
import { DeliveryConsumer } from "./room-deliveries.ts";
import { addJob } from "./room-jobs.ts";

/** The addresses of the approvers. */
export const mails = ["kim@example.com", "lee@example.com"];

/** The channels that leave the service, which record what is sent. `next`: the outcomes of the next attempts. */
export function recordingChannels() {
  const sent: string[] = [];
  const next: Attempt[] = [];
  const send = (to: string) =>
    countWrite("Send", async () => {
      sent.push(to);
      return next.shift() ?? sentAttempt;
    });
  const channels = {
    topic: { publish: () => send("topic") },
    mail: { hasSender: () => true, sendEmail: (to: string) => send(to) },
    webhooks: { post: (address: string) => send(address) },
  };
  return { sent, next, channels };
}

/** A notice of a running flow's gate in the outbox, and function `deliver` with recording channels. */
export async function addNotice(room: Room, fields: Partial<GateNotice>) {
  const { id: flow } = await addJob(room, { kind: "flow" });
  const notice: GateNotice = {
    id: randomUUID(),
    what: "opened",
    workspace: room.workspace,
    gate: randomUUID(),
    flow,
    root: flow,
    module: "ask",
    step: "ask",
    kind: "consent",
    requestedBy: "ann",
    people: mails,
    channel: "email",
    required: 1,
    atMs: room.clock.nowMs,
    ...fields,
  };
  const key = noticeObject.key(room.workspace, notice.id);
  await Promise.all([
    room.deps.objects.put({ ...key, value: notice }),
    room.deps.objects.put({ ...pendingGateObject.key(room.workspace, notice.gate), value: { flow } }),
  ]);
  const { sent, next, channels } = recordingChannels();
  const kinds = deliveryKinds({ ...room.deps, ...channels } as Parameters<typeof deliveryKinds>[0]);
  const consumer = new DeliveryConsumer(room, kinds, (message) => "notice" in message && message.notice === notice.id);
  return {
    id: notice.id,
    flow,
    sent,
    answers: { next },
    consumer,
    /** Dispatches the notice, as the stream brings it. */
    dispatch: async () => sendDeliveries(room.deps, await dispatchNotice(room.deps, key)),
    /** Dispatches the notice and handles its messages. */
    async read(): Promise<void> {
      await this.dispatch();
      await consumer.receive();
    },
    /** The time passes after which a lost attempt is made again. */
    tick: () => consumer.pass(limits.deliveryHoldMs + 6000),
    async records() {
      const found = (await listDeliveries(room.deps, flow)).get(notice.gate) ?? [];
      return found.map(({ to, state }) => [to, state]).sort();
    },
    /** Returns the deliveries that wait, in a queue or in the list of retries. */
    async queue() {
      const waiting = await room.deps.objects.list(dueAttemptObject.partitionKey());
      const queued = room.deliveries.map(({ message }) => ("notice" in message ? message.notice : ""));
      return [...waiting.map(({ sk }) => sk), ...queued].filter((each) => each.includes(notice.id));
    },
  };
}
