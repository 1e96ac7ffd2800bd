import { defined, mapDefined } from "../../../contract/defined.ts";
import { limits } from "../../../contract/limits.ts";
import type { PendingApprovalJson } from "../../../contract/routes/approvals/approvals.ts";
import { toIsoTime } from "../../../contract/utilities/iso-time.ts";
import { type Gate, isGateLate, isOpen, type OpenedGate } from "../../../core/approvals/gate.ts";
import { pendingGateObject } from "../../../core/approvals/pending-gate.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import type { WorkspaceCaller } from "../../../core/people/actor.ts";
import type { Uses } from "../../uses.ts";
import { approverFrom } from "../decisions/approver.ts";
import { authorizeDecision } from "../decisions/authorize-decision.ts";
import { mayResumeFlow } from "../decisions/visibility.ts";
import { loadReadableGate } from "../gates/change-gate.ts";

/** The number of gates in one read. */
const AT_ONCE = 50;

type ShownGate = Gate & { opened: OpenedGate };

/**
 * Lists open gates of a workspace that the caller may decide, the oldest first. It continues until it has found `limits.pendingListed` or read
 * `maxRead` gates, so that many gates of one flow do not hide others. `before` continues the list, also in the result. Removes entries of flows
 * that have ended.
 */
export async function listPendingApprovals(
  deps: Uses<"gatedFlows" | "jobs" | "objects" | "nowMs" | "baseUrl">,
  caller: WorkspaceCaller,
  { before: start }: { before?: string | undefined },
  maxRead: number = limits.pendingRead,
) {
  const { pk } = pendingGateObject.key(caller.workspace, "");
  const found: PendingApprovalJson[] = [];
  let before = start;
  for (let read = 0; read < maxRead && found.length < limits.pendingListed; read += AT_ONCE) {
    const page = await deps.objects.listPage(pk, { before, limit: Math.min(AT_ONCE, maxRead - read) });
    found.push(
      ...(await findDecidable(
        deps,
        caller,
        page.objects.map(({ sk }) => sk),
      )),
    );
    before = page.before;
    if (before === undefined) break;
  }
  return { approvals: found.sort((a, b) => a.opened_at.localeCompare(b.opened_at)), ...defined({ before }) };
}

/** Returns those of the gates that the caller may decide now. */
async function findDecidable(
  deps: Uses<"gatedFlows" | "jobs" | "objects" | "nowMs" | "baseUrl">,
  { actor, workspace }: WorkspaceCaller,
  ids: readonly string[],
): Promise<PendingApprovalJson[]> {
  const { jobs, objects, nowMs, baseUrl } = deps;
  const who = approverFrom(actor, workspace);
  const gates = await Promise.all(ids.map((id) => loadReadableGate(deps, id)));
  const open = gates.flatMap((gate) => (gate && isOpen(gate) ? [gate] : []));
  const flows = new Map((await jobs.batchGet(open.map(({ flow }) => flow))).map((flow) => [flow.id, flow]));
  const found: PendingApprovalJson[] = [];
  for (const gate of open) {
    const flow = flows.get(gate.flow);
    if (flow?.state !== "running") {
      await objects.deleteItem(pendingGateObject.key(workspace, gate.id));
      continue;
    }
    if (isGateLate(gate, nowMs())) continue;
    const accessPath = { by: "account" as const, mayStop: mayResumeFlow(actor, flow) };
    if ((await authorizeDecision(deps, { rules: gate.opened.rules, gate, flow }, who, accessPath)) !== "yes") continue;
    found.push(toPendingApproval(gate, flow, { baseUrl, summary: (await deps.gatedFlows.loadModule(flow, gate.module))?.summary }));
  }
  return found;
}

const toPendingApproval = (
  gate: ShownGate,
  flow: Job,
  { baseUrl, summary }: { baseUrl: string; summary?: string | null | undefined },
): PendingApprovalJson => ({
  gate_id: gate.id,
  run_id: gate.root,
  flow_id: flow.id,
  ...defined({ flow_path: flow.path }),
  module_id: gate.module,
  kind: gate.opened.kind,
  ...(summary ? { summary } : {}),
  requested_by: flow.createdBy,
  opened_at: toIsoTime(gate.opened.atMs),
  ...defined({ deadline: mapDefined(gate.opened.deadlineMs, toIsoTime) }),
  page: `${baseUrl}/approve/${gate.workspace}/${gate.id}`,
});
