import * as z from "zod";
import { noticeChannelNames } from "../../contract/notices/channels.ts";
import { defineObject, inQueue, sortableMs } from "../objects/define-object.ts";
import { type Retry, retrySchema } from "./message.ts";

/** The shape in which earlier releases stored an attempt of a notice. They counted it when it started. */
const oldRetrySchema = z
  .object({
    workspace: z.string(),
    notice: z.string(),
    channel: z.enum(noticeChannelNames),
    to: z.string(),
    attempts: z.int(),
  })
  .transform(({ attempts, ...part }): Retry => ({ message: { kind: "notice", ...part, after: attempts }, lane: "slow" }));

/** An attempt of a delivery that is due later than a queue can delay it, sorted by its time. `nth`: the name of the delivery among those of `id`. */
export const dueAttemptObject = defineObject({
  name: "due attempt",
  partition: "RETRIES",
  sort: (atMs: number, workspace: string, id: string, nth: string) => `${sortableMs(atMs)}#${workspace}#${id}#${nth}`,
  ...inQueue(1),
  schema: z.union([retrySchema, oldRetrySchema]),
});
