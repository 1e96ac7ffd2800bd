import * as z from "zod";
import { limits } from "../../limits.ts";

/** Senders whose deliveries are identified without naming the field. */
const senders = ["github", "shopify", "standard_webhooks", "stripe"];

/** The field that identifies a delivery: a sender, `header:<name>`, or `body:<path>` with the names of fields separated by dots. */
export const deliveryField = z
  .string()
  .max(200)
  .refine(
    (from) => senders.includes(from) || /^header:[A-Za-z0-9_-]+$/.test(from) || /^body:[^.\s]+(\.[^.\s]+)*$/.test(from),
    `must be ${senders.join(", ")}, header:<name> or body:<path>`,
  );
/** The time for which a delivery is recognised, in seconds. */
export const deliveryTtlS = z.coerce
  .number()
  .int()
  .min(60)
  .max(limits.jobRetentionMs / 1000);

/** The rule by which a route recognises a repeated delivery, which starts nothing and gets the first answer. */
export const deliveryRuleSchema = z.object({ from: deliveryField, ttl: deliveryTtlS.optional() });
export type DeliveryRule = z.output<typeof deliveryRuleSchema>;
