import type { Child } from "../../../aws/dynamodb/job-items.ts";
import { isSvcError } from "../../../contract/errors.ts";
import type { FlowModule } from "../../../contract/flows/flow-value.ts";
import { type Outcome, outcomeFormat, parseJournalRef } from "../../../core/flows/journal.ts";
import { listNestedModules, mayRequireApproval } from "../../../core/flows/scopes.ts";
import { flowHeadObject, listAllModules, versionTimeMs } from "../../../core/flows/version.ts";
import { childName, childPrefix } from "../../../core/jobs/lists/child-items.ts";
import { getFlowRootId, getRunStarter, type Job, type TreePosition } from "../../../core/jobs/record/job.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import { loadGatesOfRun } from "../../approvals/gates/change-gate.ts";
import { loadScriptVersion, parseScript } from "../../scripts/load.ts";
import type { Uses } from "../../uses.ts";
import { type LoadedPlan, loadPlan, parseFlow } from "../definitions/load.ts";

/** A restart whose earlier approvals are checked. */
export interface RestartedRun {
  origin: Job;
  plan: Pick<LoadedPlan, "value" | "index">;
  /** The request names a version of the flow. */
  namesVersion: boolean;
}

/** Returns the items that a restart reuses, without those of modules in which a gate was passed that must open again: such a module runs again. */
export async function withoutPassedGates(
  deps: Uses<"jobs" | "objects" | "storage">,
  actor: Actor,
  run: RestartedRun,
  reused: Child[],
): Promise<Child[]> {
  const { plan } = run;
  const moduleOf = ({ ref }: Child) => (parseJournalRef(ref)?.id ?? childName("progress", ref) ?? "").split("@", 1).join("");
  const placesOf = (id: string) => [id, ...((plan.index.modules.get(id)?.scope ?? plan.index.scopes.get(id))?.inside ?? [])];
  const tops = new Set(reused.flatMap((item) => placesOf(moduleOf(item))));
  const kept = plan.value.modules.filter(({ id }) => tops.has(id));
  if (kept.length === 0 || (await keepsApprovals(deps, actor, run))) return reused;
  const gated = await findGatedModules(deps, run, kept);
  return reused.filter((item) => !placesOf(moduleOf(item)).some((id) => gated.has(id)));
}

/**
 * Returns whether the approvals of a run count for its restart: the person who started the run continues it after a failure, and the approved
 * code has not changed since the run began.
 */
async function keepsApprovals(deps: Uses<"jobs" | "objects" | "storage">, actor: Actor, run: RestartedRun): Promise<boolean> {
  const { origin, plan, namesVersion } = run;
  if (namesVersion || origin.state !== "failed") return false;
  if (actor.kind !== "person" || actor.email !== getRunStarter(origin)) return false;
  return !(await hasNewerCode(deps, origin, listAllModules(plan.value), new Set()));
}

/** Whether a script or flow that a module names by its path was saved after the run was created. */
async function hasNewerCode(
  deps: Uses<"jobs" | "objects" | "storage">,
  origin: Job,
  modules: readonly FlowModule[],
  seen: Set<string>,
): Promise<boolean> {
  for (const { value } of modules) {
    if ((value.type !== "script" && value.type !== "flow") || (value.type === "script" && value.hash)) continue;
    const name = `${value.type} ${value.path}`;
    if (seen.has(name)) continue;
    seen.add(name);
    const isNewer = value.type === "script" ? isNewerScript(deps, origin, value.path) : isNewerFlow(deps, origin, value.path, seen);
    if (await isNewer) return true;
  }
  return false;
}

async function isNewerScript(deps: Uses<"objects" | "storage">, { workspace, createdAtMs }: Job, path: string): Promise<boolean> {
  const script = parseScript(await deps.objects.get(scriptHeadObject.key(workspace, path)));
  // A step fails without its script, which needs no approval.
  if (!script) return false;
  try {
    return (await loadScriptVersion(deps, workspace, script.hash)).createdAtMs > createdAtMs;
  } catch (error) {
    if (isSvcError(error) && error.code === "script.versionNotFound") return true;
    throw error;
  }
}

async function isNewerFlow(deps: Uses<"jobs" | "objects" | "storage">, origin: Job, path: string, seen: Set<string>): Promise<boolean> {
  const flow = parseFlow(await deps.objects.get(flowHeadObject.key(origin.workspace, path)));
  if (!flow) return false;
  if (flow.build.state !== "ready" || versionTimeMs(flow.version) > origin.createdAtMs) return true;
  const { value } = await loadPlan(deps, flow.build.plan);
  return hasNewerCode(deps, origin, listNestedModules(value.modules), seen);
}

/** Returns the reused modules of the flow's own list in which a gate was passed. */
async function findGatedModules(
  deps: Uses<"jobs">,
  { origin, namesVersion }: RestartedRun,
  reused: readonly FlowModule[],
): Promise<Set<string>> {
  const outcomes = await deps.jobs.listChildren(origin.id, childPrefix.outcome);
  const passed = new Map<string, Outcome[]>();
  for (const item of outcomes) {
    const { id = "" } = parseJournalRef(item.ref) ?? {};
    passed.set(id, [...(passed.get(id) ?? []), outcomeFormat.parse(item)]);
  }
  const nested = await findStepsWithGates(deps, origin);
  const gated = new Set<string>();
  for (const module of reused) {
    const inside = listNestedModules([module]);
    // An earlier restart that reused a loop or branches has no outcomes of the modules inside.
    const isReused = inside.length > 1 && inside.slice(1).every(({ id }) => !passed.has(id));
    for (const each of inside) {
      const ofModule = passed.get(each.id) ?? [];
      const opened = ofModule.some(({ gate }) => gate !== undefined) || nested.has(each.id);
      const unknown = (namesVersion || isReused) && (mayRequireApproval(each) || (isReused && each.value.type === "flow"));
      if (opened || unknown || (await isReusedFlowWithGates(deps, origin, each, ofModule))) gated.add(module.id);
    }
  }
  return gated;
}

/** The modules of a flow whose nested flows have opened gates, at any depth. */
async function findStepsWithGates(deps: Uses<"jobs">, origin: TreePosition): Promise<Set<string>> {
  const found = new Set<string>();
  const gates = await loadGatesOfRun(deps, getFlowRootId(origin));
  for (let id of new Set(gates.map(({ flow }) => flow))) {
    for (;;) {
      const job = id === origin.id ? undefined : await deps.jobs.get(id);
      if (!job?.step || job.parent === undefined) break;
      if (job.parent === origin.id) found.add(job.step.id);
      id = job.parent;
    }
  }
  return found;
}

/** Whether the result of a nested flow is that of an earlier run, in which a gate of the nested flow was passed. */
async function isReusedFlowWithGates(
  deps: Uses<"jobs">,
  origin: Job,
  { value }: FlowModule,
  outcomes: readonly Outcome[],
): Promise<boolean> {
  if (value.type !== "flow") return false;
  for (const { job: id } of outcomes) {
    const job = id === undefined ? undefined : await deps.jobs.get(id);
    // If its job is missing, it is unknown whether it had gates.
    if (!job) return true;
    if (job.parent === origin.id) continue;
    const gates = await loadGatesOfRun(deps, getFlowRootId(job));
    if (gates.some(({ flow }) => flow === job.id) || (await findStepsWithGates(deps, job)).size > 0) return true;
  }
  return false;
}
