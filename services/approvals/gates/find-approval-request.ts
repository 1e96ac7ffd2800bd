import { SvcError } from "../../../contract/errors.ts";
import type { FlowModule } from "../../../contract/flows/flow-value.ts";
import { type Gate, type GateRules, isOpen, createGate } from "../../../core/approvals/gate.ts";
import { suspendRules } from "../../../core/approvals/rules.ts";
import { asksPeople } from "../../../core/flows/scopes.ts";
import { hasEnded, isFlowJob, type Job } from "../../../core/jobs/job.ts";
import { type GateDeps, loadGateAndJob, loadGatesOfRun } from "./change-gate.ts";

/** A step that asks people, or will. */
export interface ApprovalRequest {
  gate: Gate;
  flow: Job;
  module: FlowModule;
}

export const invalidLinkError = () => new SvcError("approval.link", {});

/** The gate of a step, by the id of the step's job. Throws `approval.link` where there is none, or it is another workspace's. */
export async function findApprovalRequest(deps: GateDeps, workspace: string, id: string): Promise<ApprovalRequest> {
  const { job, gate } = await loadGateAndJob(deps, id);
  const place = gate ?? placeOf(job);
  if (place?.workspace !== workspace) throw invalidLinkError();
  return findApprovalRequestOfGate(deps, gate ?? createGate(place));
}

/** The same of a gate that was read, with a job of its run that was read too, which may be its flow's. */
export async function findApprovalRequestOfGate(deps: GateDeps, gate: Gate, known?: Job): Promise<ApprovalRequest> {
  const flow = known?.id === gate.flow ? known : await deps.jobs.get(gate.flow);
  if (!flow) throw invalidLinkError();
  const module = await deps.gatedFlows.loadModule(flow, gate.module);
  if (!module) throw new SvcError("approval.over", { id: flow.id, state: flow.state });
  if (!asksPeople(module)) throw new SvcError("approval.none", { id: flow.id });
  return { gate, flow, module };
}

/** Where the gate of a step will be, before anybody came to it. */
function placeOf(job: Job | undefined): ReturnType<typeof createGate> | undefined {
  if (!job?.step || job.parent === undefined) return undefined;
  const { id, workspace, parent: flow, root = flow, step, expiresAtMs } = job;
  return createGate({ id, workspace, flow, root, module: step.id, scope: step.scope, at: step.at, expiresAtMs });
}

/**
 * A step that waits now, by the gate's id or a flow's, the earliest first; of a flow that waits no more, the last one that did. Of a run's first flow
 * those of flows inside count too, unless only its `own` are meant.
 */
export async function findApprovalRequestInFlow(
  deps: GateDeps,
  workspace: string,
  id: string,
  { known, own = false }: { known?: Job; own?: boolean } = {},
): Promise<ApprovalRequest> {
  const job = known ?? (await deps.jobs.get(id));
  if (!job || !isFlowJob(job) || job.workspace !== workspace) return findApprovalRequest(deps, workspace, id);
  const gates = await loadGatesOfRun(deps, job.root ?? job.id, own || job.root !== undefined ? job.id : undefined);
  const gate = gates.find(isOpen) ?? gates.at(-1);
  if (!gate) throw hasEnded(job) ? new SvcError("approval.over", { id, state: job.state }) : new SvcError("approval.none", { id });
  return findApprovalRequestOfGate(deps, gate, job);
}

/** Who may decide. Of a step that has not asked yet, as far as that is said without its result; throws `approval.notYet`. */
export function getApprovalRules({ gate, module }: Pick<ApprovalRequest, "gate" | "module">): GateRules {
  if (gate.opened) return gate.opened.rules;
  const { suspend } = module;
  if (!suspend || module.value.type === "consentgate") throw new SvcError("approval.notYet", {});
  const { user_groups_required: groups } = suspend;
  const fixed = groups?.type === "static" ? groups.value : undefined;
  if (groups && !Array.isArray(fixed)) throw new SvcError("approval.notYet", {});
  return suspendRules(suspend, Array.isArray(fixed) ? fixed.map(String) : []);
}

/** Who has started the run, whoever it runs as. */
export const getRunStarter = ({ origin, starter, email }: Job) => origin ?? starter ?? email;
