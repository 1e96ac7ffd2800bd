import { isSvcError } from "../../../contract/errors.ts";
import { type FlowValue, storedFlowValueSchema } from "../../../contract/flows/flow-value.ts";
import type { ExecutionJson, FlowStatus } from "../../../contract/routes/flows/flow-status.ts";
import { countMissingApprovals, type Gate, isOpen, type OpenedGate } from "../../../core/approvals/gate.ts";
import { toApprovalConditions } from "../../../core/approvals/rules.ts";
import { buildFlowStatus, type ModuleState, type OpenGate } from "../../../core/flows/flow-status.ts";
import { insidePath, iterationPath, outcomeRef, progressRef } from "../../../core/flows/journal.ts";
import { bodyScope, branchScope, indexFlow, isContainer, listBodyModules, mayRequireApproval, ROOT } from "../../../core/flows/scopes.ts";
import { getWaitState, hasEnded, isFlowJob, type Job } from "../../../core/jobs/record/job.ts";
import { loadGate, loadGatesOfRun } from "../../approvals/gates/change-gate.ts";
import { loadJobJson } from "../../jobs/read/read.ts";
import { loadJson } from "../../jobs/values/values.ts";
import type { Uses } from "../../uses.ts";
import { findPlan, loadFlow } from "../definitions/load.ts";
import { findOutcome, findProgress, type JournalItems, readJournal } from "../runtime/journal.ts";
import { computeStepJobId } from "../runtime/step-job-id.ts";
import { loadUserStates } from "../runtime/user-states.ts";

/** The number of a running loop's iterations whose jobs are listed. */
const MAX_ITERATIONS = 90;

/** Loads the fields of a flow's job that other jobs do not have; empty for other jobs. */
export async function loadFlowFields(
  deps: Uses<"jobs" | "objects" | "storage" | "executions">,
  job: Job,
  { code = false } = {},
): Promise<{ flow_status?: FlowStatus; raw_flow?: FlowValue; execution?: ExecutionJson }> {
  if (!isFlowJob(job)) return {};
  const value = await loadFlowValueOfJob(deps, job, code);
  // The flow was erased or deleted, so only its existence is known.
  const status = value ? await loadStatus(deps, job, value) : buildFlowStatus({ id: job.id, ended: true }, { modules: [] }, () => ({}));
  return { flow_status: status, ...(code && value ? { raw_flow: value } : {}), ...executionField(deps, job) };
}

/** Returns a job with its arguments and result, and, for a flow, its status. */
export async function loadFullJobJson(
  deps: Uses<"jobs" | "objects" | "storage" | "executions">,
  job: Job,
  { logs, code }: { logs: boolean; code: boolean },
): Promise<object> {
  const parts = { args: true, result: true, logs, code };
  const [json, flow] = await Promise.all([loadJobJson(deps, job, parts), loadFlowFields(deps, job, { code })]);
  return { ...json, ...flow };
}

/** The number of earlier executions whose ARNs are listed. */
const MAX_EARLIER = 100;

/** The machine is recorded when the first execution starts. */
function executionField({ executions }: Uses<"executions">, { id, flow }: Job): { execution?: ExecutionJson } {
  if (flow?.stateMachine === undefined) return {};
  const { stateMachine: machine, execution } = flow;
  const shown = (number: number) => executions.describeExecution({ machine, job: id, execution: number });
  const { arn, url } = shown(execution);
  const first = Math.max(0, execution - MAX_EARLIER);
  const earlier = Array.from({ length: execution - first }, (_, index) => shown(first + index).arn);
  return { execution: { arn, ...(url ? { console_url: url } : {}), earlier } };
}

/**
 * Loads the flow that a job runs, also before its execution has begun. With `code`, it is the flow as sent; otherwise inline scripts may be
 * empty.
 */
export async function loadFlowValueOfJob(
  deps: Uses<"jobs" | "objects" | "storage">,
  job: Job,
  code: boolean,
): Promise<FlowValue | undefined> {
  const { flow } = job;
  if (hasEnded(job) && job.erased) return undefined;
  if (flow?.plan && !code) return (await findPlan(deps, flow.plan))?.value;
  if (job.code) return storedFlowValueSchema.parse(((await loadJson(deps, job, job.code)) as { flow: unknown }).flow);
  try {
    return storedFlowValueSchema.parse((await loadFlow(deps, job.workspace, flow?.version ?? 0)).sent.value);
  } catch (error) {
    if (isSvcError(error) && error.code === "flow.versionNotFound") return undefined;
    throw error;
  }
}

async function loadStatus(deps: Uses<"jobs">, job: Job, value: FlowValue): Promise<FlowStatus> {
  const beside = [value.failure_module, value.preprocessor_module].flatMap((module) => module ?? []);
  const all = [...value.modules, ...beside];
  const refs = all.flatMap(({ id }) => [outcomeRef(id, ROOT, ""), progressRef(id, ROOT, "")]);
  const items = await loadItems(deps, job, refs);
  const statesById = new Map<string, ModuleState>(
    all.map(({ id }) => [id, { outcome: findOutcome(items, id, ROOT, ""), progress: findProgress(items, id, ROOT, "") }]),
  );
  const open = hasEnded(job) ? undefined : value.modules.find(({ id }) => !statesById.get(id)?.outcome);
  const of = open && statesById.get(open.id);
  if (open && of) {
    const attempt = of.progress?.failed?.length ?? 0;
    if (mayRequireApproval(open)) of.gate = await loadOpenGate(deps, computeStepJobId(job.id, open.id, ROOT, "", attempt));
    if (isContainer(open)) {
      of.innerGate = of.gate ? undefined : await findInnerGate(deps, job, value, open.id);
      const path = insidePath(open.id, "", attempt);
      const count = open.value.type === "branchall" ? open.value.branches.length : (of.progress?.index ?? -1) + 1;
      const places = Array.from({ length: Math.min(count, MAX_ITERATIONS) }, (_, index) =>
        open.value.type === "branchall"
          ? { last: open.value.branches[index]?.modules.at(-1)?.id ?? "", scope: branchScope(open.id, index), path }
          : { last: listBodyModules(open).at(-1)?.id ?? "", scope: bodyScope(open.id), path: iterationPath(path, index) },
      );
      const inner = await loadItems(
        deps,
        job,
        places.map((position) => outcomeRef(position.last, position.scope, position.path)),
      );
      of.inside = places.flatMap((position) => {
        const outcome = findOutcome(inner, position.last, position.scope, position.path);
        return outcome?.job ? [{ job: outcome.job, ok: outcome.state === "success" }] : [];
      });
    } else {
      const child = await deps.jobs.get(computeStepJobId(job.id, open.id, ROOT, "", attempt));
      if (child) of.job = { id: child.id, queued: child.state === "queued", progress: child.progress };
    }
  }
  return {
    ...buildFlowStatus({ id: job.id, ended: hasEnded(job) }, value, (id) => statesById.get(id) ?? {}),
    ...(await loadUserStates(deps, job)),
  };
}

/**
 * Finds the earliest open gate of the modules inside a loop or branch, at any depth. Their flow's job counts its open gates. A module's status
 * names one job and the events that this job's URLs can still deliver, so the other gates follow when this one is decided.
 */
async function findInnerGate(deps: Uses<"jobs">, job: Job, value: FlowValue, container: string): Promise<OpenGate | undefined> {
  if (!getWaitState(job)) return undefined;
  const { modules } = indexFlow(value);
  const gates = await loadGatesOfRun(deps, job.root ?? job.id, job.id);
  const inner = gates.filter(isOpen).find(({ module }) => modules.get(module)?.scope.inside[0] === container);
  return inner && toOpenGate(inner);
}

async function loadOpenGate(deps: Uses<"jobs">, id: string): Promise<OpenGate | undefined> {
  const gate = await loadGate(deps, id);
  return gate && isOpen(gate) ? toOpenGate(gate) : undefined;
}

const toOpenGate = (gate: Gate & { opened: OpenedGate }): OpenGate => ({
  id: gate.id,
  kind: gate.opened.kind,
  missing: countMissingApprovals(gate),
  conditions: toApprovalConditions(gate.opened.rules),
});

async function loadItems({ jobs }: Uses<"jobs">, { id }: Job, refs: string[]): Promise<JournalItems> {
  return readJournal({ jobs }, { id }, refs);
}
