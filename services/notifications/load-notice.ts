import * as z from "zod";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { mailNoticeSchema } from "../../core/notifications/mail-notice.ts";
import { gateNoticeSchema } from "../../core/notifications/notice.ts";
import { runNoticeSchema } from "../../core/notifications/run-notice.ts";
import { findWorkspace, keys, type ObjectKey } from "../../core/objects/keys.ts";
import { parseObject } from "../../core/objects/parse-object.ts";

const noticeSchema = z.discriminatedUnion("kind", [mailNoticeSchema, runNoticeSchema, gateNoticeSchema]);

/** Loads a notice; `undefined` if the notice or its workspace is gone, and nothing is to be sent. */
export async function loadNotice({ objects }: { objects: Pick<ObjectTable, "batchGet"> }, key: ObjectKey) {
  const [stored, deleted] = await objects.batchGet([key, keys.deletedWorkspace(findWorkspace(key.pk) ?? "")], { consistent: true });
  return stored && !deleted ? parseObject(noticeSchema, stored) : undefined;
}
