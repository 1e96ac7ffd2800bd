import * as z from "zod";

/** `after`: the number of attempts that precede the one for which the message was sent. */
const attempt = { workspace: z.string(), after: z.int() };

/**
 * A message of the delivery queues. It contains ids only, because a queue keeps messages longer than a workspace may live. It may arrive late,
 * repeatedly or in another order, so the record of the delivery decides whether an attempt is due.
 */
export const deliveryMessageSchema = z.discriminatedUnion("kind", [
  /** One recipient of a gate's notice. */
  z.object({
    ...attempt,
    kind: z.literal("notice"),
    notice: z.string(),
    channel: z.enum(["topic", "email", "webhook", "chat"]),
    to: z.string(),
  }),
  /** One address of a mail. */
  z.object({ ...attempt, kind: z.literal("mail"), notice: z.string(), to: z.string() }),
]);
export type DeliveryMessage = z.infer<typeof deliveryMessageSchema>;
export type DeliveryMessageOf<Kind extends DeliveryMessage["kind"]> = Extract<DeliveryMessage, { kind: Kind }>;

/**
 * The queue for a message. `fast` is for first attempts and for receivers that answer quickly; an attempt in it has little time. `slow` is for
 * receivers that do not, so that nothing else waits for them.
 */
export type Lane = "fast" | "slow";

/** Returns the message group: one for each workspace or, for events, each endpoint. */
export function groupOfDelivery(message: DeliveryMessage): string {
  return "endpoint" in message ? `${message.workspace}/${message.endpoint}` : message.workspace;
}

/** An attempt that is due later than a queue can delay its message, as the list of retries stores it. */
export const retrySchema = z.object({ message: deliveryMessageSchema, lane: z.enum(["fast", "slow"]) });
export type Retry = z.infer<typeof retrySchema>;
