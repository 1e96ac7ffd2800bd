import { defined, mapDefined } from "../../../contract/defined.ts";
import { SvcError } from "../../../contract/errors.ts";
import type { RunJson } from "../../../contract/routes/approvals/approvals.ts";
import { toIsoTime } from "../../../contract/utilities/iso-time.ts";
import { type Gate, isOpen, listApproverNames } from "../../../core/approvals/gate.ts";
import { argsVisibleTo, getFlowRootId, getWaitState, hasEnded, type Job, PEOPLE } from "../../../core/jobs/record/job.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { loadJson } from "../../jobs/values/values.ts";
import { filterDecidableGates } from "../decisions/consent.ts";
import { mayCreateLinks, maySeeRun } from "../decisions/visibility.ts";
import { loadGatesOfRun } from "../gates/change-gate.ts";
import { createGateLinks } from "../links/create-resume-urls.ts";
import { toDecisionJson } from "./approval-info.ts";
import type { ApprovalPageDeps } from "./flow-for-link-holder.ts";

type Notice = NonNullable<RunJson["gates"][number]["notices"]>[number];

/**
 * Returns a run with its gates, including those of its subflows. An approver who may not see the run gets only the gates that they may
 * decide. Throws `job.notFound` for a caller who may see neither.
 */
export async function buildRunJson(
  deps: ApprovalPageDeps & {
    /** Loads the notices of a flow's gates by gate id, with the state of their delivery. */
    loadDeliveries(flow: string): Promise<ReadonlyMap<string, readonly (Notice & { gate: string })[]>>;
  },
  actor: Actor,
  job: Job,
): Promise<RunJson> {
  const seesRun = maySeeRun(actor, job);
  const createsLinks = mayCreateLinks(actor, job);
  const root = getFlowRootId(job);
  const all = await loadGatesOfRun(deps, root, root === job.id ? undefined : job.id);
  const gates = seesRun ? all : await filterDecidableGates(deps, actor, job, all);
  if (!seesRun && gates.length === 0) throw new SvcError("job.notFound", { id: job.id });
  // Approvers of a ConsentGate see its summary here; other approvers see it on the page, if the flow shows it.
  const inContext = seesRun || gates.some(({ opened }) => opened?.kind === "consent");
  const erased = !inContext || (hasEnded(job) && job.erased);
  const input = erased ? {} : ((await loadJson(deps, job, argsVisibleTo(PEOPLE, job))) as Record<string, unknown>);
  const results = erased ? {} : await deps.gatedFlows.loadResults(job);
  const flows = [...new Set(gates.map(({ flow }) => flow))];
  const notices = new Map((await Promise.all(flows.map((flow) => deps.loadDeliveries(flow)))).flatMap((of) => [...of]));
  const rejected = gates.findLast(({ opened, decision }) => opened?.kind === "consent" && decision && decision.outcome !== "approved");
  const reason = rejected?.decision?.reason ?? (rejected?.decision?.outcome === "expired" ? "timeout" : "");
  return {
    run_id: job.id,
    workspace_id: job.workspace,
    ...defined({ flow_path: job.path }),
    state: getRunState(job, gates),
    triggered_by: job.createdBy,
    created_at: toIsoTime(job.createdAtMs),
    gates: await Promise.all(
      gates
        .filter(({ opened }) => opened)
        .map(async (gate) => ({
          ...toGateJson(gate, (await deps.gatedFlows.loadModule(job, gate.module))?.summary ?? undefined),
          ...(createsLinks && isOpen(gate) && gate.opened.kind === "suspend" ? { links: await createGateLinks(deps, gate) } : {}),
          notices: (notices.get(gate.id) ?? []).map(({ gate: _, ...notice }) => notice),
        })),
    ),
    context: { ...input, ...results, ...(rejected ? { rejection_reason: reason } : {}) },
  };
}

function getRunState(job: Job, gates: readonly Gate[]): RunJson["state"] {
  if (job.state !== "running") return job.state;
  // The gates of nested flows count too; the job itself counts only its own.
  const kinds = gates.filter(isOpen).map(({ opened }) => opened.kind);
  const consents = kinds.filter((kind) => kind === "consent").length;
  return getWaitState({ suspends: kinds.length - consents, consents }) ?? job.state;
}

function toGateJson(gate: Gate, summary: string | undefined): RunJson["gates"][number] {
  const { id, module, opened, decision } = gate;
  if (!opened) throw new Error(`The gate ${id} has not opened.`);
  return {
    gate_id: id,
    module_id: module,
    kind: opened.kind,
    ...(summary ? { summary } : {}),
    ...defined({ message: opened.message }),
    approvers: opened.rules.people ?? [],
    approved_by: listApproverNames(gate),
    required_events: opened.rules.required,
    opened_at: toIsoTime(opened.atMs),
    ...defined({ deadline: mapDefined(opened.deadlineMs, toIsoTime) }),
    ...(decision ? { decision: toDecisionJson(decision) } : {}),
  };
}
