import * as z from "zod";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { progressSchema } from "../../core/deliveries/claim.ts";
import type { ObjectKey } from "../../core/objects/keys.ts";
import { parseObject } from "../../core/objects/parse-object.ts";
import type { OpenedDelivery } from "../deliveries/deliver-message.ts";
import { MAIL_RETENTION_S } from "../outbox/mail.ts";
import { toExpectation } from "./delivery-records.ts";

/** `to`: the address of a mail. */
const recordSchema = z.object({ ...progressSchema.shape, to: z.string().optional(), atMs: z.number(), error: z.string().optional() });

/** Loads and stores the progress of the delivery of a notice that is no part of a job. `sentAtMs`: the time of the notice, whose record expires. */
export function noticeProgress(
  { objects, nowMs }: { objects: ObjectTable; nowMs: () => number },
  { key, sentAtMs, to }: { key: ObjectKey; sentAtMs: number; to?: string },
): Pick<OpenedDelivery, "isLoaded" | "load" | "store"> {
  return {
    isLoaded: false,
    async load() {
      const found = await objects.get(key);
      return found && { progress: parseObject(recordSchema, found), version: Number(found.version) };
    },
    store({ progress, version, after, attempt }) {
      const value = {
        ...progress,
        ...(to === undefined ? {} : { to }),
        atMs: nowMs(),
        ...(attempt?.outcome && !attempt.outcome.ok ? { error: attempt.outcome.error } : {}),
      } satisfies z.infer<typeof recordSchema>;
      const expiresAtS = Math.ceil(sentAtMs / 1000) + MAIL_RETENTION_S;
      return objects.put({ ...key, value, version: String(version), expiresAtS }, toExpectation(after));
    },
  };
}
