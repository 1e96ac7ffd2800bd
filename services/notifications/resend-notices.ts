import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { isOpen } from "../../core/approvals/gate.ts";
import { noticeAgainObject } from "../../core/notifications/stored-notice.ts";
import { write } from "../../core/objects/write.ts";
import { loadGate } from "../approvals/gates/change-gate.ts";
import type { ApprovalRequest } from "../approvals/gates/find-approval-request.ts";
import { findApprovalRequestOfGate } from "../approvals/gates/find-approval-request.ts";
import { loadRequestContent } from "../approvals/gates/load-request-content.ts";
import { findJob, type JobCaller } from "../jobs/read/read.ts";
import { buildNoticeWrite } from "../outbox/notice.ts";
import type { Uses } from "../uses.ts";

/**
 * Notifies all approvers of an open gate again. Throws `approval.noticeOver` if the flow does not wait for it, and `approval.noticeAgain` if a
 * reminder was sent within the last `limits.noticeAgainMs`. A decision at the same time does not stop the reminder: the page then shows the decision.
 */
async function resendNotices(deps: Uses<"gatedFlows" | "jobs" | "objects" | "storage" | "nowMs">, request: ApprovalRequest): Promise<void> {
  const { objects, nowMs } = deps;
  const { gate, flow } = request;
  if (!isOpen(gate) || flow.state !== "running") throw new SvcError("approval.noticeOver", {});
  const atMs = nowMs();
  const again = { ...noticeAgainObject.key(gate.workspace, gate.id), expiresAtS: Math.ceil((atMs + limits.noticeAgainMs) / 1000) };
  const refused = await objects.transactWrite([
    write.put(again, { absentOrExpiredAtS: Math.floor(atMs / 1000) }),
    buildNoticeWrite(atMs, "reminded", request, await loadRequestContent(deps, request)),
  ]);
  if (refused === undefined) return;
  const untilS = (await objects.get(again))?.expiresAtS ?? 0;
  throw new SvcError("approval.noticeAgain", {
    seconds: limits.noticeAgainMs / 1000,
    retryAfterS: Math.max(1, untilS - Math.floor(atMs / 1000)),
  });
}

/** Notifies the approvers of the gate with this id again, as `resendNotices` does. Throws `job.notFound` also for a caller who may not see the flow. */
export async function resendNoticesOfGate(
  deps: Uses<"gatedFlows" | "jobs" | "objects" | "storage" | "nowMs">,
  caller: JobCaller,
  { workspace, id }: { workspace: string; id: string },
): Promise<void> {
  const gate = await loadGate(deps, id);
  if (gate?.workspace !== workspace) throw new SvcError("job.notFound", { id });
  const flow = await findJob(deps, caller, { workspace, id: gate.flow });
  await resendNotices(deps, await findApprovalRequestOfGate(deps, gate, flow));
}
