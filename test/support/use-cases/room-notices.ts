import { randomUUID } from "node:crypto";
import { limits } from "../../../contract/limits.ts";
import { type Attempt, type DeliverCall, sentAttempt } from "../../../core/notifications/delivery.ts";
import type { GateNotice } from "../../../core/notifications/notice.ts";
import { keys } from "../../../core/objects/keys.ts";
import { deliverNotice } from "../../../services/notifications/deliver-notice.ts";
import { deliverDuePart } from "../../../services/notifications/deliver-part.ts";
import { listDeliveries } from "../../../services/notifications/delivery-records.ts";
import { retryDueNotices } from "../../../services/notifications/retry-due-notices.ts";
import { countWrite } from "./failing-writes.ts";
import type { Room } from "./room.ts";
import { addJob, newIsolation } from "./room-jobs.ts";

/** The addresses of the approvers. */
export const mails = ["kim@example.com", "lee@example.com"];

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
  const key = keys.notice(room.workspace, notice.id);
  await Promise.all([
    room.deps.objects.put({ ...key, value: notice }),
    room.deps.objects.put({ ...keys.pendingGate(room.workspace, notice.gate), value: { flow } }),
  ]);
  const sent: string[] = [];
  const calls: DeliverCall[] = [];
  const answers = { next: [] as Attempt[] };
  const send = (to: string) =>
    countWrite("Send", async () => {
      sent.push(to);
      return answers.next.shift() ?? sentAttempt;
    });
  const deps = {
    ...room.deps,
    topic: { publish: () => send("topic") },
    mail: { sendEmail: (to: string) => send(to) },
    webhooks: { post: (address: string) => send(address) },
    functions: { startDelivery: (call: DeliverCall) => countWrite("Invoke", async () => void calls.push(call)) },
  } as unknown as Parameters<typeof deliverNotice>[0];
  return {
    id: notice.id,
    flow,
    sent,
    answers,
    read: () => deliverNotice(deps, key),
    /** Handles the recorded calls of function `deliver`. */
    async handleCalls(): Promise<void> {
      for (let call = calls.shift(); call; call = calls.shift()) for (const sk of call.due) await deliverDuePart(deps, sk);
    },
    async tick(): Promise<void> {
      room.clock.nowMs += limits.deliveryHoldMs + 1000;
      await retryDueNotices({ ...deps, isolation: newIsolation(room) }, Number.POSITIVE_INFINITY);
      await this.handleCalls();
    },
    async records() {
      const found = (await listDeliveries(room.deps, flow)).get(notice.gate) ?? [];
      return found.map(({ to, state }) => [to, state]).sort();
    },
    queue: async () => (await room.deps.objects.list(keys.retry(0, "", "", "").pk)).filter(({ sk }) => sk.includes(notice.id)),
  };
}
