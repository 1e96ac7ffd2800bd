import type { ObjectTable } from "../../../aws/dynamodb/object-table.ts";
import { approvalSettingsSchema } from "../../../contract/routes/workspaces/setting-schemas.ts";
import { keys } from "../../../core/objects/keys.ts";
import { parseObject } from "../../../core/objects/parse-object.ts";

/** Returns the workspace's setting that makes every `GET` of an approval link count as a decision. */
export async function isApprovalByGetEnabled({ objects }: { objects: Pick<ObjectTable, "get"> }, workspace: string): Promise<boolean> {
  const found = await objects.get(keys.setting(workspace, "approvals"));
  return found?.value ? parseObject(approvalSettingsSchema, found).every_get_counts : false;
}
