import { randomUUID } from "node:crypto";
import { limits } from "../../../contract/limits.ts";
import { publishedChannels } from "../../../contract/notices/channels.ts";
import { pendingGateObject } from "../../../core/approvals/pending-gate.ts";
import { type Attempt, sentAttempt } from "../../../core/deliveries/attempt.ts";
import { dueAttemptObject } from "../../../core/deliveries/due-attempt.ts";
import type { GateNotice } from "../../../core/notifications/notice.ts";
import { noticeObject } from "../../../core/notifications/stored-notice.ts";
import type { NoticePublisher, NoticePublishers } from "../../../ports/senders.ts";
import type { SendingPorts } from "../../../services/deliveries/deliver-message.ts";
import { sendDeliveries } from "../../../services/deliveries/queue-attempts.ts";
import { listDeliveries } from "../../../services/notifications/delivery-records.ts";
import { dispatchNotice } from "../../../services/notifications/dispatch-notice.ts";
import { countWrite } from "./failing-writes.ts";
import type { World } from "./world.ts";
import { DeliveryConsumer } from "./world-deliveries.ts";
import { addJob } from "./world-jobs.ts";

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
    noticePublishers: Object.fromEntries(
      publishedChannels.map((channel): [string, NoticePublisher] => [channel, { publish: () => send(channel) }]),
    ) as NoticePublishers,
    mail: { hasSender: () => true, sendEmail: (to: string) => send(to) },
    webhooks: { post: (address: string) => send(address) },
  };
  return { sent, next, channels };
}

/** A notice of a running flow's gate in the outbox, and function `deliver` with recording channels. */
export async function addNotice(world: World, fields: Partial<GateNotice>) {
  const { id: flow } = await addJob(world, { kind: "flow" });
  const notice: GateNotice = {
    id: randomUUID(),
    what: "opened",
    workspace: world.workspace,
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
    atMs: world.clock.nowMs,
    ...fields,
  };
  const key = noticeObject.key(world.workspace, notice.id);
  await Promise.all([
    world.deps.objects.put({ ...key, value: notice }),
    world.deps.objects.put({ ...pendingGateObject.key(world.workspace, notice.gate), value: { flow } }),
  ]);
  const { sent, next, channels } = recordingChannels();
  const ports = { ...world.deps, ...channels } as SendingPorts;
  const consumer = new DeliveryConsumer(world, ports, (message) => "notice" in message && message.notice === notice.id);
  return {
    id: notice.id,
    flow,
    sent,
    answers: { next },
    consumer,
    /** Dispatches the notice, as the stream brings it. */
    dispatch: async () => sendDeliveries(world.deps, await dispatchNotice(world.deps, key)),
    /** Dispatches the notice and handles its messages. */
    async read(): Promise<void> {
      await this.dispatch();
      await consumer.receive();
    },
    /** The time passes after which a lost attempt is made again. */
    tick: () => consumer.pass(limits.deliveryHoldMs + 6000),
    async records() {
      const found = (await listDeliveries(world.deps, flow)).get(notice.gate) ?? [];
      return found.map(({ to, state }) => [to, state]).sort();
    },
    /** Returns the deliveries that wait, in a queue or in the list of retries. */
    async queue() {
      const waiting = await world.deps.objects.list(dueAttemptObject.partitionKey());
      const queued = world.deliveries.map(({ message }) => ("notice" in message ? message.notice : ""));
      return [...waiting.map(({ sk }) => sk), ...queued].filter((each) => each.includes(notice.id));
    },
  };
}
