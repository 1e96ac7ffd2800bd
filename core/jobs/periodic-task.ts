import * as z from "zod";
import { defineObject } from "../objects/define-object.ts";
import type { StoredObject } from "../objects/write.ts";

const failedItemSchema = z.object({
  task: z.string(),
  item: z.string(),
  failures: z.number(),
  firstAtMs: z.number(),
  lastAtMs: z.number(),
  /** The item is not processed before this time. */
  nextMs: z.number(),
  error: z.string(),
});
/** An item of a periodic task that failed: the number of failures, the reason, and the time of the next attempt (epoch ms). */
export type FailedItem = z.infer<typeof failedItemSchema>;

export const failedItemObject = defineObject({
  name: "failed item",
  partition: "HOUSEKEEPING",
  sort: (task: string, item: string) => `failed#${task}#${item}`.slice(0, 500),
  belongsTo: "none",
  schema: failedItemSchema,
});

/** The position at which a periodic task continues in the next tick. */
export const taskCursorObject = defineObject({
  name: "place of a task",
  partition: "CURSORS",
  sort: (task: string) => task,
  belongsTo: "none",
  schema: z.unknown(),
});

/** Returns the position of a task, or `undefined` if none is stored or an earlier version stored it in another form: the task begins again. */
export const getCursor = <T>(schema: z.ZodType<T>, stored: StoredObject | undefined): T | undefined =>
  stored && schema.safeParse(taskCursorObject.parse(stored)).data;
