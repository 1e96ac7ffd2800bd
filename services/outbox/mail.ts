import { v7 as uuidv7 } from "uuid";
import type { MailNotice } from "../../core/notifications/mail-notice.ts";
import { noticeObject } from "../../core/notifications/stored-notice.ts";
import { type ObjectWrite, write } from "../../core/objects/write.ts";

/** The retention of a mail and of the records of its deliveries, in seconds. */
export const MAIL_RETENTION_S = 30 * 24 * 3600;

/**
 * Builds a mail as a part of a change's transaction. Function `deliver` sends it once to each address of `people` (`workspace` may be `INSTANCE`), and
 * repeats failed attempts.
 */
export function buildMailWrite(mail: Omit<MailNotice, "kind" | "id">): ObjectWrite {
  const value: MailNotice = { ...mail, kind: "mail", id: uuidv7() };
  return write.put({ ...noticeObject.key(mail.workspace, value.id), value, expiresAtS: Math.ceil(mail.atMs / 1000) + MAIL_RETENTION_S });
}
