import { limits } from "../../../contract/limits.ts";
import type { QueueMessage } from "../../../core/deliveries/message.ts";
import { deliverByKind } from "../../../functions/deliver/deliver-by-kind.ts";
import { DeliveryHeld, type SendingPorts } from "../../../services/deliveries/deliver-message.ts";
import { sendDueAttempts } from "../../../services/deliveries/send-due-attempts.ts";
import { queueReplay } from "../../../services/events/replay-deliveries.ts";
import type { World, WorldMessage } from "./world.ts";
import { newIsolation } from "./world-jobs.ts";

/** Longer than a claim, as the delivery queues of the stack hide a received message. */
const HIDDEN_MS = limits.deliveryHoldMs + 5000;

/** Function `deliver` as the consumer of the world's delivery queues. */
export class DeliveryConsumer {
  private readonly world: World;
  private readonly ports: SendingPorts;
  private readonly isOwn: (message: QueueMessage) => boolean;

  /** `isOwn` selects the messages, if several tests share the world. */
  constructor(world: World, ports: SendingPorts, isOwn: (message: QueueMessage) => boolean = () => true) {
    this.world = world;
    this.ports = ports;
    this.isOwn = isOwn;
  }

  /** Receives the visible messages at once and handles them one after another. One that fails becomes visible again later. Returns their number. */
  async receive(): Promise<number> {
    const { clock, deliveries } = this.world;
    const visible = deliveries.filter(({ dueMs, message }) => dueMs <= clock.nowMs && this.isOwn(message));
    for (const message of visible) {
      message.receives += 1;
      message.dueMs = clock.nowMs + HIDDEN_MS;
    }
    let failure: unknown;
    for (const message of visible) {
      try {
        await this.handle(message);
      } catch (error) {
        if (!(error instanceof DeliveryHeld)) failure = error;
      }
    }
    // A process that has died handles no other message.
    if (failure !== undefined) throw failure;
    return visible.length;
  }

  /** Handles a message as if it were just received. It leaves the queue unless this fails. */
  async handle(queued: WorldMessage): Promise<void> {
    const { deps, deliveries } = this.world;
    const { message } = queued;
    if (message.kind === "replay") await queueReplay(deps, message);
    else await deliverByKind({ ...deps, ...this.ports }, message, queued);
    const at = deliveries.indexOf(queued);
    if (at >= 0) deliveries.splice(at, 1);
  }

  /** Lets time pass: housekeeping queues what is due, and the visible messages are handled. */
  async pass(ms: number): Promise<void> {
    const { world } = this;
    world.clock.nowMs += ms;
    await sendDueAttempts({ ...world.deps, isolation: newIsolation(world) }, Number.POSITIVE_INFINITY);
    // A message that fails becomes visible again, and the next pass handles it.
    await this.receive().catch(() => undefined);
  }
}
