import { defined } from "../../contract/defined.ts";
import { noticeDeliveryObject } from "../../core/notifications/stored-notice.ts";
import type { ValueOf } from "../../core/objects/define-object.ts";
import type { ObjectKey } from "../../core/objects/write.ts";
import type { DeliveryChange, StoredDelivery } from "../deliveries/deliver-message.ts";
import { MAIL_RETENTION_S } from "../outbox/mail.ts";
import type { Uses } from "../uses.ts";
import { toExpectation } from "./delivery-records.ts";

/** The record of a notice that does not belong to a job. */
export type NoticeRecord = ValueOf<typeof noticeDeliveryObject>;

/** The location of such a record. `sentAtMs`: the time of the notice, from which the expiry of the record is computed. */
export interface NoticeRecordPlace {
  key: ObjectKey;
  sentAtMs: number;
  /** The address, for a mail. */
  to?: string;
}

/** Loads the record of a notice that does not belong to a job. */
export async function loadNoticeRecord(
  { objects }: Uses<"objects">,
  { key }: NoticeRecordPlace,
): Promise<StoredDelivery<NoticeRecord> | undefined> {
  const found = await objects.get(key);
  return found && { record: noticeDeliveryObject.parse(found), version: Number(found.version) };
}

/** Stores a change of such a record, and returns the new record; `undefined` if another process has changed it first. */
export async function storeNoticeRecord(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  { key, sentAtMs, to }: NoticeRecordPlace,
  { progress, version, after, attempt }: DeliveryChange<NoticeRecord>,
): Promise<NoticeRecord | undefined> {
  const { outcome } = attempt ?? {};
  const error = outcome && !outcome.ok ? outcome.error : undefined;
  const value: NoticeRecord = { ...progress, ...defined({ to }), atMs: nowMs(), ...defined({ error }) };
  const expiresAtS = Math.ceil(sentAtMs / 1000) + MAIL_RETENTION_S;
  return (await objects.put({ ...key, value, version: String(version), expiresAtS }, toExpectation(after))) ? value : undefined;
}
