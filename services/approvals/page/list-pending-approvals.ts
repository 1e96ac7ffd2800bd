import { toIsoTime } from "../../../contract/iso-time.ts";
import { isGateLate, isOpen } from "../../../core/approvals/gate.ts";
import { keys } from "../../../core/objects/keys.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { approverFrom } from "../decisions/approver.ts";
import { authorizeDecision } from "../decisions/authorize-decision.ts";
import { mayResumeFlow } from "../decisions/visibility.ts";
import { type GateDeps, loadReadableGate } from "../gates/change-gate.ts";

/** Gates read at a time. */
const AT_ONCE = 25;
const MAX_LISTED = 1000;

/** Lists the open gates of a workspace that the caller may decide, the oldest first. Removes entries of flows that have ended. */
export async function listPendingApprovals(deps: GateDeps & { baseUrl: string }, actor: Actor, workspace: string) {
  const { jobs, objects, nowMs, baseUrl } = deps;
  const who = approverFrom(actor, workspace);
  const waiting = await objects.list(keys.pendingGate(workspace, "").pk, { limit: MAX_LISTED });
  const found = [];
  for (let start = 0; start < waiting.length; start += AT_ONCE) {
    const gates = await Promise.all(waiting.slice(start, start + AT_ONCE).map(({ sk }) => loadReadableGate(deps, sk)));
    const open = gates.flatMap((gate) => (gate && isOpen(gate) ? [gate] : []));
    const flows = new Map((await jobs.batchGet(open.map(({ flow }) => flow))).map((flow) => [flow.id, flow]));
    for (const gate of open) {
      const flow = flows.get(gate.flow);
      if (flow?.state !== "running") {
        await objects.deleteItem(keys.pendingGate(workspace, gate.id));
        continue;
      }
      if (isGateLate(gate, nowMs())) continue;
      const way = { link: false, mayStop: mayResumeFlow(actor, flow) };
      if ((await authorizeDecision(deps, { rules: gate.opened.rules, gate, flow }, who, way)) !== "yes") continue;
      found.push({
        gate_id: gate.id,
        run_id: gate.root,
        flow_id: flow.id,
        ...(flow.path === undefined ? {} : { flow_path: flow.path }),
        module_id: gate.module,
        kind: gate.opened.kind,
        requested_by: flow.createdBy,
        opened_at: toIsoTime(gate.opened.atMs),
        ...(gate.opened.deadlineMs === undefined ? {} : { deadline: toIsoTime(gate.opened.deadlineMs) }),
        page: `${baseUrl}/approve/${workspace}/${gate.id}`,
      });
    }
  }
  return found.sort((a, b) => a.opened_at.localeCompare(b.opened_at));
}
