import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { FailureNoticeRule, FailureNotices, OwnFailureNotice } from "../../contract/routes/workspaces/failure-notices.ts";
import { toJsonValue } from "../../core/objects/json-value.ts";
import { replaceOwnRule } from "../../core/outcome-handlers/failure-notices.ts";
import type { Access } from "../../core/permissions/access.ts";
import { failureNoticesSetting } from "../../core/settings/workspace.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { replaceSetting, type SettingEdit } from "../settings/replace-setting.ts";
import type { Uses } from "../uses.ts";
import { buildAccessPart } from "./access.ts";

/** Loads the rules by which a workspace reports failures. */
export async function loadFailureNotices(objects: Pick<ObjectStore, "get">, workspace: string): Promise<FailureNoticeRule[]> {
  const found = await objects.get(failureNoticesSetting.key(workspace));
  return found ? failureNoticesSetting.parse(found).rules : [];
}

/**
 * Stores rules. The item of the access rights contains whether recoveries are reported, because every run reads it. Throws
 * `object.versionChanged`, `workspace.notFound` and `access.changedMeanwhile`.
 */
async function storeRules(
  deps: Uses<"objects" | "nowMs">,
  workspace: string,
  change: (before: FailureNoticeRule[]) => FailureNoticeRule[],
  edit: SettingEdit,
): Promise<void> {
  let rules: FailureNoticeRule[] = [];
  const changeRights = (access: Access) => {
    if (rules.some((rule) => rule.on_recovery)) access.recoveryNoticed = true;
    else delete access.recoveryNoticed;
  };
  await replaceSetting(deps, {
    workspace,
    name: "failure_notices",
    edit,
    build: (stored) => {
      rules = change(stored ? failureNoticesSetting.parse(stored).rules : []);
      return rules.length > 0 ? toJsonValue({ rules } satisfies FailureNotices) : undefined;
    },
    buildRights: () => buildAccessPart(deps.objects, workspace, changeRights, "bounded"),
  });
}

/**
 * Replaces the rules by which a workspace reports failures. Throws `object.versionChanged`, `workspace.notFound` and `access.changedMeanwhile`.
 */
export const setFailureNotices = (
  deps: Uses<"objects" | "nowMs">,
  workspace: string,
  { rules }: FailureNotices,
  edit: SettingEdit = {},
): Promise<void> => storeRules(deps, workspace, () => rules, edit);

/**
 * Replaces the rule that names members for one script or flow. Two rules that are set at the same time both remain. Throws `workspace.notFound`,
 * `access.changedMeanwhile`, and `body.shape` if the workspace has too many rules.
 */
export async function setOwnFailureNotice(
  deps: Uses<"objects" | "nowMs">,
  workspace: string,
  path: string,
  notice: OwnFailureNotice,
): Promise<void> {
  const change = (before: FailureNoticeRule[]) => {
    const rules = replaceOwnRule(before, path, notice);
    if (rules.length > Math.max(before.length, limits.failureNoticeRules)) {
      const reason = `the workspace has ${limits.failureNoticeRules} rules already, which are the most. Ask an admin to remove some`;
      throw new SvcError("body.shape", { issues: [{ path: "email", reason }] });
    }
    return rules;
  };
  await storeRules(deps, workspace, change, {});
}
