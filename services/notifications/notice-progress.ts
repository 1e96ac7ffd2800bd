import { defined } from "../../contract/defined.ts";
import { noticeDeliveryObject } from "../../core/notifications/stored-notice.ts";
import type { ValueOf } from "../../core/objects/define-object.ts";
import type { ObjectKey } from "../../core/objects/write.ts";
import type { OpenedDelivery } from "../deliveries/deliver-message.ts";
import { MAIL_RETENTION_S } from "../outbox/mail.ts";
import type { Uses } from "../uses.ts";
import { toExpectation } from "./delivery-records.ts";

/**
 * Loads and stores the delivery progress of a notice that does not belong to a job. `sentAtMs`: the time of the notice, from which the expiry of
 * the record is computed.
 */
export function noticeProgress(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  { key, sentAtMs, to }: { key: ObjectKey; sentAtMs: number; to?: string },
): Pick<OpenedDelivery, "isLoaded" | "load" | "store"> {
  return {
    isLoaded: false,
    async load() {
      const found = await objects.get(key);
      return found && { progress: noticeDeliveryObject.parse(found), version: Number(found.version) };
    },
    store({ progress, version, after, attempt }) {
      const value = {
        ...progress,
        ...defined({ to }),
        atMs: nowMs(),
        ...(attempt?.outcome && !attempt.outcome.ok ? { error: attempt.outcome.error } : {}),
      } satisfies ValueOf<typeof noticeDeliveryObject>;
      const expiresAtS = Math.ceil(sentAtMs / 1000) + MAIL_RETENTION_S;
      return objects.put({ ...key, value, version: String(version), expiresAtS }, toExpectation(after));
    },
  };
}
