import { noticeObject } from "../../core/notifications/stored-notice.ts";
import type { ObjectKey } from "../../core/objects/write.ts";
import { deletedWorkspaceObject } from "../../core/workspaces/deleted.ts";
import type { Uses } from "../uses.ts";

/** Loads a notice; `undefined` if the notice or its workspace is gone, and there is nothing to send. */
export async function loadNotice({ objects }: Uses<"objects">, key: ObjectKey) {
  const [stored, deleted] = await objects.batchGet([key, deletedWorkspaceObject.key(noticeObject.workspaceOf(key) ?? "")], {
    consistent: true,
  });
  return stored && !deleted ? noticeObject.parse(stored) : undefined;
}
