import type { ObjectTable } from "../../../aws/dynamodb/object-table.ts";
import { keys } from "../../../core/objects/keys.ts";

/** Whether the workspace wants every `GET` of a link to count, whoever sends it. */
export async function isApprovalByGetEnabled({ objects }: { objects: Pick<ObjectTable, "get"> }, workspace: string): Promise<boolean> {
  const found = await objects.get(keys.setting(workspace, "approvals"));
  return (found?.value as { every_get_counts?: boolean } | undefined)?.every_get_counts === true;
}
