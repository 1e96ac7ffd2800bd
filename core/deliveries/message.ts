import * as z from "zod";
import { noticeChannelNames } from "../../contract/notices/channels.ts";

/** `after`: the number of attempts that precede the one for which the message was sent. */
const attempt = { workspace: z.string(), after: z.int() };

/**
 * A message of the delivery queues. It contains only ids, because a queue may store messages for longer than a workspace exists. It may arrive
 * late, repeatedly or in another order, so the record of the delivery decides whether an attempt is due.
 */
export const deliveryMessageSchema = z.discriminatedUnion("kind", [
  /** One recipient of a gate's notice. */
  z.object({
    ...attempt,
    kind: z.literal("notice"),
    notice: z.string(),
    channel: z.enum(noticeChannelNames),
    to: z.string(),
    message: z.string().optional(),
    person: z.string().optional(),
  }),
  /** One address of a mail. */
  z.object({ ...attempt, kind: z.literal("mail"), notice: z.string(), to: z.string() }),
  /** The notice of a run to one receiver. */
  z.object({ ...attempt, kind: z.literal("run"), notice: z.string() }),
  /** One event for one endpoint. `replay`: the replay that requests a new attempt. */
  z.object({ ...attempt, kind: z.literal("event"), event: z.string(), endpoint: z.string(), replay: z.string().optional() }),
]);
export type DeliveryMessage = z.infer<typeof deliveryMessageSchema>;
export type DeliveryMessageOf<Kind extends DeliveryMessage["kind"]> = Extract<DeliveryMessage, { kind: Kind }>;

/**
 * The queue for a message. `fast` is for first attempts and for receivers that answer quickly; an attempt in it has little time. `slow` is for
 * all other receivers, so that nothing else waits for them.
 */
export type Lane = "fast" | "slow";

/** The deliveries that a replay selects: some of them by id, or those of one endpoint in a range of time (epoch ms). */
export const replaySelectionSchema = z.union([
  z.object({ ids: z.array(z.string()) }),
  z.object({
    endpoint: z.string(),
    afterMs: z.number(),
    beforeMs: z.number(),
    types: z.array(z.string()).optional(),
    state: z.string().optional(),
  }),
]);
export type ReplaySelection = z.infer<typeof replaySelectionSchema>;

/**
 * A message that queues the deliveries of a replay in parts. `from`: the sort key at which it continues. `left`: the maximum number of deliveries
 * that it may still queue.
 */
export const replayMessageSchema = z.object({
  kind: z.literal("replay"),
  workspace: z.string(),
  replay: z.string(),
  selection: replaySelectionSchema,
  from: z.string().optional(),
  left: z.int(),
});
export type ReplayMessage = z.infer<typeof replayMessageSchema>;
/** Every message of the delivery queues. */
export const queueMessageSchema = z.discriminatedUnion("kind", [...deliveryMessageSchema.options, replayMessageSchema]);
export type QueueMessage = z.infer<typeof queueMessageSchema>;

/** Returns the message group: one for each workspace or, for events, each endpoint. */
export function groupOfDelivery(message: QueueMessage): string {
  return "endpoint" in message ? `${message.workspace}/${message.endpoint}` : message.workspace;
}

/** An entry of the list of retries: an attempt that is due later than a queue can delay its message. */
export const retrySchema = z.object({ message: deliveryMessageSchema, lane: z.enum(["fast", "slow"]) });
export type Retry = z.infer<typeof retrySchema>;
