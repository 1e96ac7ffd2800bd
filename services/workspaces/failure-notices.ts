import { randomUUID } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { FailureNoticeRule, FailureNotices, OwnFailureNotice } from "../../contract/routes/workspaces/failure-notices.ts";
import { toJsonValue } from "../../core/objects/json-value.ts";
import { type Expectation, unchangedSince, write } from "../../core/objects/write.ts";
import { replaceOwnRule } from "../../core/outcome-handlers/failure-notices.ts";
import { failureNoticesSetting } from "../../core/settings/workspace.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { retryOnConflict } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";
import { changeAccess } from "./access.ts";

/** Loads the rules by which a workspace reports failures. */
export async function loadFailureNotices(objects: Pick<ObjectStore, "get">, workspace: string): Promise<FailureNoticeRule[]> {
  const found = await objects.get(failureNoticesSetting.key(workspace));
  return found ? failureNoticesSetting.parse(found).rules : [];
}

/** Another writer has changed the rules since they were read. */
class RulesChangedError extends Error {}

/**
 * Stores rules. The item of the access rights contains whether recoveries are reported, because every run reads it. Throws `workspace.notFound`,
 * `access.changedMeanwhile` and `RulesChangedError`.
 */
async function storeRules(objects: ObjectStore, workspace: string, rules: FailureNoticeRule[], expected?: Expectation): Promise<void> {
  const key = failureNoticesSetting.key(workspace);
  const value = toJsonValue({ rules } satisfies FailureNotices);
  const also = [
    write.check(workspaceObject.key(workspace), "present"),
    rules.length > 0 ? write.put({ ...key, value, version: randomUUID() }, expected) : write.remove(key, expected),
  ];
  await changeAccess(
    objects,
    workspace,
    (access) => {
      if (rules.some((rule) => rule.on_recovery)) access.recoveryNoticed = true;
      else delete access.recoveryNoticed;
    },
    { by: "bounded", also, refused: (part) => (part === 0 ? new SvcError("workspace.notFound", { workspace }) : new RulesChangedError()) },
  );
}

/** Replaces the rules by which a workspace reports failures. Throws `workspace.notFound` and `access.changedMeanwhile`. */
export const setFailureNotices = ({ objects }: Uses<"objects">, workspace: string, { rules }: FailureNotices): Promise<void> =>
  storeRules(objects, workspace, rules);

/**
 * Replaces the rule that names members for one script or flow. Two rules that are set at the same time both remain. Throws `workspace.notFound`,
 * `access.changedMeanwhile`, and `body.shape` if the workspace has too many rules.
 */
export async function setOwnFailureNotice(
  { objects }: Uses<"objects">,
  workspace: string,
  path: string,
  notice: OwnFailureNotice,
): Promise<void> {
  await retryOnConflict(
    async () => {
      const found = await objects.get(failureNoticesSetting.key(workspace));
      const before = found ? failureNoticesSetting.parse(found).rules : [];
      const rules = replaceOwnRule(before, path, notice);
      if (rules.length > Math.max(before.length, limits.failureNoticeRules)) {
        const reason = `the workspace has ${limits.failureNoticeRules} rules already, which are the most. Ask an admin to remove some`;
        throw new SvcError("body.shape", { issues: [{ path: "email", reason }] });
      }
      if (rules.length === 0 && !found) return { done: undefined };
      try {
        await storeRules(objects, workspace, rules, found ? unchangedSince(found) : "absent");
        return { done: undefined };
      } catch (error) {
        if (error instanceof RulesChangedError) return undefined;
        throw error;
      }
    },
    () => new SvcError("access.changedMeanwhile", {}),
  );
}
