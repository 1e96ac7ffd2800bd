import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { type FailureNoticeRule, type FailureNotices, failureNoticesSchema } from "../../contract/routes/workspaces/failure-notices.ts";
import { parseJsonValue, toJsonValue } from "../../core/objects/json-value.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import { changeAccess } from "./access.ts";

const NAME = "failure_notices";

/** Loads the rules by which a workspace reports failures. */
export async function loadFailureNotices(objects: Pick<ObjectTable, "get">, workspace: string): Promise<FailureNoticeRule[]> {
  const found = await objects.get(keys.setting(workspace, NAME));
  return found ? parseJsonValue(failureNoticesSchema, found).rules : [];
}

/**
 * Replaces the rules by which a workspace reports failures. The item of the access rights contains whether recoveries are reported, because every run reads
 * it. Throws `workspace.notFound` and `access.changedMeanwhile`.
 */
export async function setFailureNotices({ objects }: { objects: ObjectTable }, workspace: string, notices: FailureNotices): Promise<void> {
  const key = keys.setting(workspace, NAME);
  const also = [
    write.check(keys.workspace(workspace), "present"),
    notices.rules.length > 0 ? write.put({ ...key, value: toJsonValue(notices) }) : write.remove(key),
  ];
  await changeAccess(
    objects,
    workspace,
    (access) => {
      if (notices.rules.some((rule) => rule.on_recovery)) access.recoveryNoticed = true;
      else delete access.recoveryNoticed;
    },
    { also, refused: () => new SvcError("workspace.notFound", { workspace }) },
  );
}
