import { v7 as uuidv7 } from "uuid";
import type { ObjectTable } from "../../aws/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { GateNotice } from "../../core/approvals/notice.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";

interface Collaborators {
  objects: Pick<ObjectTable, "get" | "transact">;
  nowMs: () => number;
}

/** What a notice says of its gate, whatever it is about. */
export type NoticedGate = Omit<GateNotice, "id" | "what" | "decision" | "atMs">;

/**
 * Has everybody who may decide told once more. Throws `approval.noticeOver` once the gate waits no longer, `approval.noticeAgain` when it was done a
 * moment ago. A decision in the same moment does not stop it: the page says then what was decided.
 */
export async function resend({ objects, nowMs }: Collaborators, gate: NoticedGate): Promise<void> {
  const { workspace, gate: id } = gate;
  if (!(await objects.get(keys.pendingGate(workspace, id)))) throw new SvcError("approval.noticeOver", {});
  const atMs = nowMs();
  const notice: GateNotice = { ...gate, id: uuidv7({ msecs: atMs }), what: "reminded", atMs };
  const again = keys.noticeAgain(workspace, id);
  const refused = await objects.transact([
    write.put({ ...again, expiresAtS: Math.ceil((atMs + limits.noticeAgainMs) / 1000) }, { absentOrExpiredAtS: Math.floor(atMs / 1000) }),
    write.put({ ...keys.notice(workspace, notice.id), value: notice, expiresAtS: Math.ceil((atMs + limits.jobRetentionMs) / 1000) }),
  ]);
  if (refused !== undefined) throw new SvcError("approval.noticeAgain", { seconds: limits.noticeAgainMs / 1000 });
}
