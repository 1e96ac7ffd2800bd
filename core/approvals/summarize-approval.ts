import { defined, mapDefined } from "../../contract/defined.ts";
import type { OutlineStepJson } from "../../contract/routes/jobs/run-details.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { countMissingApprovals, type Gate, listApproverNames } from "./gate.ts";

interface ApprovalReader {
  /** Nothing runs in the flow any more. */
  flowEnded: boolean;
  /** Whether the reader learns who may decide. The holder of a link does not. */
  namesApprovers: boolean;
}

/** Summarizes the approval of a step for the outline of its flow; `undefined` before the step has requested it. */
export function summarizeApproval(
  gate: Pick<Gate, "opened" | "events" | "decision">,
  { flowEnded, namesApprovers }: ApprovalReader,
): OutlineStepJson["approval"] {
  const { opened, decision } = gate;
  if (!opened) return undefined;
  const approvers = decision?.outcome === "rejected" ? [decision.approver ?? "anonymous"] : listApproverNames(gate);
  const times = { opened_at: toIsoTime(opened.atMs), ...defined({ decided_at: mapDefined(decision?.atMs, toIsoTime) }) };
  if (decision || flowEnded) return { state: decision?.outcome ?? "open", approvers, ...times };
  const { people, signedIn, notStarter } = opened.rules;
  const mayDecide = { ...defined({ people }), user_auth_required: signedIn, self_approval_disabled: notStarter };
  const missing = countMissingApprovals(gate);
  return { state: "open", approvers, ...times, missing, ...(namesApprovers ? { may_decide: mayDecide } : {}) };
}
