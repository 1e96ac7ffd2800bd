import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { noticeObject } from "../../core/notifications/stored-notice.ts";
import type { ObjectKey } from "../../core/objects/write.ts";
import { deletedWorkspaceObject } from "../../core/workspaces/deleted.ts";

/** Loads a notice; `undefined` if the notice or its workspace is gone, and there is nothing to send. */
export async function loadNotice({ objects }: { objects: Pick<ObjectTable, "batchGet"> }, key: ObjectKey) {
  const [stored, deleted] = await objects.batchGet([key, deletedWorkspaceObject.key(noticeObject.workspaceOf(key) ?? "")], {
    consistent: true,
  });
  return stored && !deleted ? noticeObject.parse(stored) : undefined;
}
