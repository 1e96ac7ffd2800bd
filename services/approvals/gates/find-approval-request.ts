import { SvcError } from "../../../contract/errors.ts";
import type { FlowModule } from "../../../contract/flows/flow-value.ts";
import { createGate, type Gate, isOpen } from "../../../core/approvals/gate.ts";
import { type GateRules, readRequiredGroups, toSuspendRules } from "../../../core/approvals/rules.ts";
import { mayRequireApproval } from "../../../core/flows/scopes.ts";
import { getFlowRootId, hasEnded, isFlowJob, type Job } from "../../../core/jobs/record/job.ts";
import type { Uses } from "../../uses.ts";
import { type GateWithFlow, loadGateAndJob, loadGatesOfRun } from "./change-gate.ts";

/** A step that requests approval now, or will do so. */
export interface ApprovalRequest extends GateWithFlow {
  module: FlowModule;
}

/** Returns the error for a link that is incomplete or invalid. */
export const invalidLinkError = () => new SvcError("approval.link", {});

/** Finds the gate of a step by the id of the step's job. Throws `approval.link` if it does not exist in the workspace. */
export async function findApprovalRequest(deps: Uses<"gatedFlows" | "jobs">, workspace: string, id: string): Promise<ApprovalRequest> {
  const { job, gate } = await loadGateAndJob(deps, id);
  const location = gate ?? futureGateOf(job);
  if (location?.workspace !== workspace) throw invalidLinkError();
  return findApprovalRequestOfGate(deps, gate ?? createGate(location));
}

/** Finds the request of a loaded gate. `loaded` is a loaded job of the run; it saves a read if it is the flow's. */
export async function findApprovalRequestOfGate(deps: Uses<"gatedFlows" | "jobs">, gate: Gate, loaded?: Job): Promise<ApprovalRequest> {
  const flow = loaded?.id === gate.flow ? loaded : await deps.jobs.get(gate.flow);
  if (!flow) throw invalidLinkError();
  const module = await deps.gatedFlows.loadModule(flow, gate.module);
  if (!module) throw new SvcError("approval.over", { id: flow.id, state: flow.state });
  if (!mayRequireApproval(module)) throw new SvcError("approval.none", { id: flow.id });
  return { gate, flow, module };
}

/** Returns the gate that a step will have, before its first event. */
function futureGateOf(job: Job | undefined): Gate | undefined {
  if (!job?.step || job.parent === undefined) return undefined;
  const { id, workspace, parent: flow, step, retention, expiresAtMs } = job;
  const root = getFlowRootId(job);
  return createGate({ id, workspace, flow, root, module: step.id, scope: step.scope, path: step.path, retention, expiresAtMs });
}

/**
 * Finds the request of a step that waits now, by the gate's id or a flow's, the earliest first; if none waits, the last one that did. For
 * the id of a run, steps of its subflows count too, unless `onlyOwn` is set. Throws `approval.link`, `approval.none`,
 * `approval.over`.
 */
export async function findApprovalRequestInFlow(
  deps: Uses<"gatedFlows" | "jobs">,
  workspace: string,
  id: string,
  { knownJob, onlyOwn = false }: { knownJob?: Job; onlyOwn?: boolean } = {},
): Promise<ApprovalRequest> {
  const job = knownJob ?? (await deps.jobs.get(id));
  if (!job || !isFlowJob(job) || job.workspace !== workspace) return findApprovalRequest(deps, workspace, id);
  const root = getFlowRootId(job);
  const gates = await loadGatesOfRun(deps, root, onlyOwn || root !== id ? id : undefined);
  const gate = gates.find(isOpen) ?? gates.at(-1);
  if (!gate) throw hasEnded(job) ? new SvcError("approval.over", { id, state: job.state }) : new SvcError("approval.none", { id });
  return findApprovalRequestOfGate(deps, gate, job);
}

/** Returns the rules of a gate. For a step that has not opened its gate they are derived without its result. Throws `approval.notYet`. */
export function getApprovalRules({ gate, module }: Pick<ApprovalRequest, "gate" | "module">): GateRules {
  if (gate.opened) return gate.opened.rules;
  const { suspend } = module;
  if (!suspend || module.value.type === "consentgate") throw new SvcError("approval.notYet", {});
  const { user_groups_required: groups } = suspend;
  const fixed = readRequiredGroups(suspend, groups?.type === "static" ? groups.value : undefined);
  if (!fixed.groups) throw new SvcError("approval.notYet", {});
  return toSuspendRules(suspend, fixed.groups);
}
