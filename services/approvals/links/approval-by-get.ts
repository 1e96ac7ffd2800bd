import type { ObjectTable } from "../../../aws/dynamodb/object-table.ts";
import { keys } from "../../../core/objects/keys.ts";

/** Returns the workspace's setting that makes every `GET` of an approval link count as a decision. */
export async function isApprovalByGetEnabled({ objects }: { objects: Pick<ObjectTable, "get"> }, workspace: string): Promise<boolean> {
  const found = await objects.get(keys.setting(workspace, "approvals"));
  return (found?.value as { every_get_counts?: boolean } | undefined)?.every_get_counts === true;
}
