import { defined } from "../../contract/defined.ts";
import type { FlowModule, FlowValue } from "../../contract/flows/flow-value.ts";
import type { FlowStatus, ModuleStatus } from "../../contract/routes/flows/flow-status.ts";
import type { Outcome, Progress } from "./journal.ts";

/** An approval request that waits for a decision, in the status of its flow. */
export interface OpenGate {
  id: string;
  kind: "suspend" | "consent";
  /** The number of approvals that are still required. */
  missing: number;
  conditions: NonNullable<FlowStatus["approval_conditions"]>;
}

/** The recorded state of a module: its outcome or its progress, its current job, and the jobs of inner lists. */
export interface ModuleState {
  outcome?: Outcome | undefined;
  progress?: Progress | undefined;
  job?: { id: string; queued: boolean; progress?: number | undefined } | undefined;
  inside?: readonly { job: string; ok: boolean }[] | undefined;
  /** Present while the module waits for approval. */
  gate?: OpenGate | undefined;
  /** Present while a module inside this loop or branch waits for approval. */
  innerGate?: OpenGate | undefined;
}

/** Builds the status of a flow from the states of its top-level modules, its failure module and its preprocessor. */
export function buildFlowStatus(
  { id, ended }: { id: string; ended: boolean },
  value: FlowValue,
  stateOf: (module: string) => ModuleState,
): FlowStatus {
  const modules: ModuleStatus[] = [];
  let current = -1;
  let open = !ended;
  let waitingGate: OpenGate | undefined;
  for (const [index, module] of value.modules.entries()) {
    const of = stateOf(module.id);
    const waits = waitingGate && waitingAt(module.id, waitingGate);
    const openGate = open ? of.gate : undefined;
    const isLast = index === value.modules.length - 1;
    const status =
      waits ??
      (openGate && (isLast || openGate.kind === "consent") ? waitingAt(module.id, openGate) : undefined) ??
      (open && of.innerGate ? waitingAt(module.id, of.innerGate) : undefined) ??
      (openGate ? ({ type: "Success", id: module.id, job: openGate.id } as const) : moduleStatus(id, module, of, open));
    waitingGate = openGate && status.type === "Success" ? openGate : undefined;
    modules.push(status);
    if (status.type !== "WaitingForPriorSteps") current = index;
    // Only the module after a finished module can be running.
    if (of.outcome?.transition !== "next") open = false;
  }
  const beside = (module: FlowModule | null | undefined, name: string): ModuleStatus =>
    module ? moduleStatus(id, module, stateOf(name), false) : { type: "WaitingForPriorSteps", id: name };
  const failed = stateOf(value.modules[current]?.id ?? "").progress?.failed;
  return {
    step: Math.max(current, value.preprocessor_module && current === -1 ? -1 : 0),
    modules,
    failure_module: beside(value.failure_module, "failure"),
    ...(value.preprocessor_module ? { preprocessor_module: beside(value.preprocessor_module, "preprocessor") } : {}),
    ...conditionsOf(value.modules.flatMap((module) => stateOf(module.id).gate ?? stateOf(module.id).innerGate ?? [])[0]),
    ...(failed?.length ? { retry: { fail_count: failed.length, failed_jobs: failed.filter(Boolean) } } : {}),
  };
}

const waitingAt = (id: string, gate: OpenGate): ModuleStatus => ({ type: "WaitingForEvents", id, count: gate.missing, job: gate.id });

function conditionsOf(gate: OpenGate | undefined): Pick<FlowStatus, "approval_conditions"> {
  return gate ? { approval_conditions: gate.conditions } : {};
}

function moduleStatus(
  flow: string,
  { id, value }: FlowModule,
  { outcome, progress, job, inside }: ModuleState,
  open: boolean,
): ModuleStatus {
  const branch = outcome?.branch ?? progress?.branch;
  const chosen =
    branch === undefined
      ? {}
      : { branch_chosen: branch === "default" ? { type: "default" as const } : { type: "branch" as const, branch } };
  if (outcome) {
    const retries = outcome.retries?.filter(Boolean) ?? [];
    const jobs = outcome.jobs ? { flow_jobs: outcome.jobs.map((each) => each ?? flow), flow_jobs_success: outcome.succeeded ?? [] } : {};
    const shared = { id, job: outcome.job ?? flow, ...jobs, ...chosen, ...(retries.length > 0 ? { failed_retries: retries } : {}) };
    if (outcome.state === "failure") return { type: "Failure", ...shared };
    const approvers = outcome.approvers ? { approvers: outcome.approvers } : {};
    return { type: "Success", ...shared, ...(outcome.skipped ? { skipped: true } : {}), ...approvers };
  }
  if (!open || (!progress && !job)) return { type: "WaitingForPriorSteps", id };
  if (job?.queued) return { type: "WaitingForExecutor", id, job: job.id };
  const index = progress?.index ?? 0;
  const jobs = inside ? { flow_jobs: inside.map((each) => each.job), flow_jobs_success: inside.map(({ ok }) => ok) } : {};
  const iterates = value.type === "forloopflow" || value.type === "whileloopflow";
  return {
    type: "InProgress",
    id,
    job: job?.id ?? flow,
    ...defined({ progress: job?.progress }),
    ...(iterates ? { iterator: { index, ...defined({ itered_len: progress?.count }) } } : {}),
    ...(value.type === "branchall" ? { branchall: { branch: index, len: value.branches.length } } : {}),
    ...jobs,
    ...chosen,
  };
}
