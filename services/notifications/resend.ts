import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { isOpen } from "../../core/approvals/gate.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import type { ApprovalRequest } from "../approvals/gates/find-approval-request.ts";
import { noticePart } from "./enqueue.ts";

interface Collaborators {
  objects: Pick<ObjectTable, "transact">;
  nowMs: () => number;
}

/**
 * Has everybody who may decide told once more. Throws `approval.noticeOver` where the flow does not wait, `approval.noticeAgain` when it was done
 * a moment ago. A decision in the same moment does not stop it: the page says then what was decided.
 */
export async function resend({ objects, nowMs }: Collaborators, { gate, flow, module }: ApprovalRequest): Promise<void> {
  if (!isOpen(gate) || flow.state !== "running") throw new SvcError("approval.noticeOver", {});
  const atMs = nowMs();
  const again = { ...keys.noticeAgain(gate.workspace, gate.id), expiresAtS: Math.ceil((atMs + limits.noticeAgainMs) / 1000) };
  const refused = await objects.transact([
    write.put(again, { absentOrExpiredAtS: Math.floor(atMs / 1000) }),
    noticePart(atMs, gate, flow, module, "reminded"),
  ]);
  if (refused !== undefined) throw new SvcError("approval.noticeAgain", { seconds: limits.noticeAgainMs / 1000 });
}
