import { approvalSetting } from "../../../core/settings/workspace.ts";
import type { Uses } from "../../uses.ts";

/** Returns the workspace's setting that makes every `GET` of an approval link count as a decision. */
export async function isApprovalByGetEnabled({ objects }: Uses<"objects">, workspace: string): Promise<boolean> {
  const found = await objects.get(approvalSetting.key(workspace));
  return found?.value ? approvalSetting.parse(found).every_get_counts : false;
}
