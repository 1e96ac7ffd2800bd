import * as z from "zod";

/** The kinds of triggers that svc implements. Clients of other servers do not know `aws`. */
export const triggerKindSchema = z.enum(["http", "sqs", "aws", "email"]);
export type TriggerKind = z.output<typeof triggerKindSchema>;
export const triggerKinds = triggerKindSchema.options;

/** The kinds of triggers that clients list without an implementation here: their lists are empty. */
export const missingTriggerKinds = ["websocket", "kafka", "nats", "postgres", "mqtt", "amqp", "gcp", "azure"] as const;
export type MissingTriggerKind = (typeof missingTriggerKinds)[number];

/** `suspended`: messages become jobs that wait until the trigger is enabled. `disabled`: messages are not received. */
export const triggerModeSchema = z.enum(["enabled", "disabled", "suspended"]);
export type TriggerMode = z.output<typeof triggerModeSchema>;
