import { type Attempt, sentAttempt } from "../../../core/deliveries/attempt.ts";
import type { EventDelivery } from "../../../core/deliveries/event-delivery.ts";
import { eventDeliveryObject } from "../../../core/deliveries/event-delivery.ts";
import { outboxEventObject } from "../../../core/events/outbox-event.ts";
import type { SendingPorts } from "../../../services/deliveries/deliver-message.ts";
import { sendDeliveries } from "../../../services/deliveries/queue-attempts.ts";
import { dispatchEvent } from "../../../services/events/dispatch-event.ts";
import { buildEventWrite } from "../../../services/outbox/event.ts";
import { countWrite } from "./failing-writes.ts";
import type { World } from "./world.ts";
import { DeliveryConsumer } from "./world-deliveries.ts";
import { addWorkspace } from "./world-jobs.ts";

/** A request to a receiver. */
interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
  answerMs: number;
}

/** A new workspace with function `deliver`, whose receivers are recorded. `next`: the outcomes of the next attempts; an attempt takes `tookMs`. */
export async function newEventWorld(shared: World, workspace = `w-${crypto.randomUUID().slice(0, 8)}`) {
  const world: World = { ...shared, workspace };
  await addWorkspace(world);
  const posts: Post[] = [];
  const next: Attempt[] = [];
  const receiver = { tookMs: 0 };
  const webhooks = {
    post: (url: string, headers: Record<string, string>, body: string, { answerMs }: { answerMs: number }) =>
      countWrite("Send", async () => {
        posts.push({ url, headers, body, answerMs });
        world.clock.nowMs += receiver.tookMs;
        return next.shift() ?? sentAttempt;
      }),
  };
  const ports = { ...world.deps, webhooks } as unknown as SendingPorts;
  const consumer = new DeliveryConsumer(world, ports, (message) => message.workspace === workspace);
  return {
    ...world,
    posts,
    next,
    receiver,
    consumer,
    /** Writes the event of a change, and returns its id. */
    async change(path = "f/t/a", type: "CreateVariable" | "UpdateVariable" = "CreateVariable"): Promise<string> {
      const event = { type, workspace, by: "ann", atMs: world.clock.nowMs, data: { path, is_secret: false } };
      const { id, write } = buildEventWrite(event);
      await world.deps.objects.transactWrite([write]);
      return id;
    },
    /** Dispatches an event, as the stream brings it. */
    dispatch: async (event: string) => sendDeliveries(world.deps, await dispatchEvent(world.deps, outboxEventObject.key(workspace, event))),
    /** Makes a change, dispatches its event and handles the messages. */
    async deliver(path?: string): Promise<string> {
      const event = await this.change(path);
      await this.dispatch(event);
      await consumer.receive();
      return event;
    },
    async records(): Promise<EventDelivery[]> {
      return (await world.deps.objects.list(eventDeliveryObject.partitionKey(workspace))).map(({ value }) => value as EventDelivery);
    },
  };
}
export type EventWorld = Awaited<ReturnType<typeof newEventWorld>>;
