import type { Child } from "../../../aws/dynamodb/job-items.ts";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import type { Restart } from "../../../contract/routes/flows/flow-runs.ts";
import { flowRunRoutes } from "../../../contract/routes/flows/flow-runs.ts";
import { parseReference } from "../../../contract/utilities/reference.ts";
import {
  endFormat,
  listIndices,
  outcomeFormat,
  outcomeRef,
  type Progress,
  parseJournalRef,
  progressFormat,
  progressRef,
  resultOfItem,
} from "../../../core/flows/journal.ts";
import { isContainer, isParallel, ROOT } from "../../../core/flows/scopes.ts";
import { flowVersionObject } from "../../../core/flows/version.ts";
import { childName, childPrefix } from "../../../core/jobs/lists/child-items.ts";
import { type EndedJob, hasEnded, type Job, seesSecretsOf } from "../../../core/jobs/record/job.ts";
import { pickSettings } from "../../../core/jobs/record/run-settings.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { escapeReferences, findReferences } from "../../../core/resources/references.ts";
import { permit } from "../../identity/permit.ts";
import { enqueueJob, type NewJob } from "../../jobs/queue/enqueue.ts";
import { findPreviewPath } from "../../jobs/queue/preview-path.ts";
import { findJob, type JobAddress, type JobCaller } from "../../jobs/read/read.ts";
import { loadJson } from "../../jobs/values/values.ts";
import { loadReferenceFilter } from "../../resources/inherited-references.ts";
import type { Uses } from "../../uses.ts";
import { type LoadedPlan, loadPlan, requireFlowVersion } from "../definitions/load.ts";
import { withoutPassedGates } from "./passed-gates.ts";

/** The flow with which a run continues. */
type RestartedPlan = Pick<LoadedPlan, "value" | "index">;

export const notRestartedError = ({ id }: Job, reason: string) => new SvcError("flow.notRestarted", { id, reason });

/**
 * Queues a new job that continues a flow which has ended, from one of its steps. Journal items that refer to the original job's results of
 * earlier steps are stored with the new job and become its journal when it starts, so a job id that is taken changes no journal. Without a step,
 * the flow continues where it failed. Steps whose approvals do not count for the new run request approval again. Throws `flow.notRestarted`,
 * `flow.versionNotFound`, `job.idTaken`.
 */
export async function restartFlow(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  actor: Actor,
  origin: Job,
  { request, fields }: { request: Restart; fields: Partial<NewJob> },
): Promise<{ id: string }> {
  const { objects } = deps;
  assertRestartable(origin);
  if (origin.redactedArgs) throw notRestartedError(origin, "its arguments contain secrets of the enclosing flow");
  const isPreview = origin.kind !== "flow";
  // A version's code runs with the rights and the name of the version, which the author of a preview may not have.
  if (isPreview && typeof request.flow_version === "number")
    throw notRestartedError(origin, "it is a preview, so it has no other versions: omit flow_version");
  const flowVersion = isPreview ? undefined : (request.flow_version ?? origin.flow.version);
  const flow =
    flowVersion === undefined
      ? undefined
      : requireFlowVersion(await objects.get(flowVersionObject.key(origin.workspace, flowVersion)), flowVersion);
  // The right to run this flow does not include the right to run another flow by its version number.
  if (flow && flow.path !== origin.path) throw notRestartedError(origin, `version ${flowVersion} belongs to another flow`);
  if (flow && flow.build.state !== "ready") throw notRestartedError(origin, `version ${flowVersion} is not ready to run`);
  const plan = await loadPlan(deps, flow?.build.state === "ready" ? flow.build.plan : origin.flow.plan);
  const reused = await loadReusedSteps(deps, actor, origin, { plan, request });
  const reusedSteps = await withoutPassedGates(
    deps,
    actor,
    { origin, plan, namesVersion: typeof request.flow_version === "number" },
    reused,
  );
  const { kind, timeoutS, code } = origin;
  const sentArgs: unknown = await loadJson(deps, origin, origin.args);
  const path = isPreview ? findPreviewPath(actor, origin.workspace, origin.path) : origin.path;
  return enqueueJob(deps, {
    ...fields,
    actor,
    workspace: origin.workspace,
    kind,
    path,
    hash: flow ? flow.hash : origin.hash,
    flow: flowVersion === undefined ? { execution: 0 } : { version: flowVersion, execution: 0 },
    reusedSteps,
    restartedFrom: origin.id,
    ...(code ? { code: (await loadJson(deps, origin, code)) as { flow: unknown } } : {}),
    ...pickSettings("flow", origin),
    // The limit of a subflow's job is what remained of its parent's limit.
    timeoutS: flow ? (flow.timeoutS ?? limits.flowTimeoutS) : timeoutS,
    eraseAfterS: flow ? flow.deleteAfterS : origin.eraseAfterS,
    ...(origin.preprocess === "wanted" ? { preprocess: true as const } : {}),
    onBehalfOf: flow?.onBehalfOf,
    hiddenArgs: flow ? flow.hiddenArgs : origin.hiddenArgs,
    concurrency: flow?.concurrency,
    args: escapeReferences(sentArgs, await loadReferenceFilter(deps, actor, origin, sentArgs)) as Record<string, unknown>,
  });
}

type RestartableJob = EndedJob & { flow: { plan: string } };

/** Throws `flow.notRestarted` for a job that is not a flow, or that has not ended, never started or was erased. */
export function assertRestartable(origin: Job): asserts origin is RestartableJob {
  if (!origin.flow) throw notRestartedError(origin, "it is not a flow");
  if (!hasEnded(origin)) throw notRestartedError(origin, "it has not ended yet");
  if (!origin.flow.plan) throw notRestartedError(origin, "it never started");
  if (origin.erased) throw notRestartedError(origin, "its arguments and results were erased");
}

/**
 * Returns the journal items of a run that a restart with this `plan` reuses: those of the steps before the first one that runs again. Throws
 * `flow.notRestarted`.
 */
export async function loadReusedSteps(
  deps: Uses<"jobs" | "objects" | "storage">,
  actor: Actor,
  origin: EndedJob,
  { plan, request }: { plan: RestartedPlan; request: Omit<Restart, "flow_version"> },
): Promise<Child[]> {
  const outcomes = await deps.jobs.listChildren(origin.id, childPrefix.outcome);
  const from =
    request.step_id === undefined ? await findFailedStep(deps, origin, plan, outcomes) : { ...request, step_id: request.step_id };
  const kept = [...selectReusedItems(origin, plan, outcomes, from), ...(await loadReusedIterations(deps, origin, plan, from))];
  await checkValuesExist(deps, origin, kept);
  await checkListReferences(deps, actor, origin, kept);
  // Steps receive earlier results unmasked, so a restart by another user could reveal secrets. So could a restart by a job of another run tree,
  // which receives the unmasked results of the jobs that it starts.
  const mayPass = origin.email === actor.email && (actor.kind === "person" || seesSecretsOf(actor, origin));
  if (!mayPass && kept.some(containsSecrets)) {
    throw notRestartedError(origin, "the results of its steps contain secrets, so only the user who ran it can restart it");
  }
  return kept;
}

/**
 * Restarts the flow of a job that the caller may read, as `restartFlow` does. Throws `job.notFound`, and `auth.forbidden` for a caller who may
 * not run the flow.
 */
export async function restartRun(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  caller: JobCaller,
  address: JobAddress,
  restart: { request: Restart; fields: Partial<NewJob> },
): Promise<{ id: string }> {
  const { actor } = caller;
  const origin = await findJob(deps, caller, address);
  const route = origin.kind === "flow" ? flowRunRoutes.runFlowByPath : flowRunRoutes.runFlowPreview;
  permit(actor, route, { workspace: address.workspace, path: origin.path });
  return restartFlow(deps, actor, origin, restart);
}

/**
 * The first module that runs again and, for a loop or branches, the first iteration or branch. `onlyFailed` restarts only the failed ones.
 */
type RestartPoint = Omit<Restart, "step_id" | "flow_version"> & { step_id: string; onlyFailed?: boolean };

/**
 * Finds the step from which a flow that did not succeed continues: the first module in its own list that did not finish and, for a loop,
 * the iteration that failed.
 */
async function findFailedStep(
  { jobs }: Uses<"jobs">,
  origin: EndedJob,
  { value }: RestartedPlan,
  outcomes: Child[],
): Promise<RestartPoint> {
  if (origin.state === "succeeded" || origin.state === "skipped")
    throw notRestartedError(origin, "it has not failed, so step_id must name the step to restart from");
  const succeeded = (id: string) => {
    const item = outcomes.find(({ ref }) => ref === outcomeRef(id, ROOT, ""));
    return item !== undefined && outcomeFormat.parse(item).transition === "next";
  };
  const last = value.modules.at(-1);
  // A last module that failed is the flow's failure, even with `continue_on_error`.
  const failed = value.modules.find(({ id }) => !succeeded(id)) ?? last;
  if (!failed) throw notRestartedError(origin, "its flow has no steps");
  const step_id = failed.id;
  if (isParallel(failed)) return { step_id, onlyFailed: true };
  if (!isContainer(failed) || failed.value.type === "branchone") return { step_id };
  const item = await jobs.getChild(origin.id, progressRef(step_id, ROOT, ""));
  const { index = 0, failed: attempts = [] } = item ? progressFormat.parse(item) : {};
  // After a retry, the iterations of earlier attempts must not be reused.
  return { step_id, branch_or_iteration_n: attempts.length > 0 ? 0 : index };
}

/** Throws if the result of an earlier step was erased or is gone. */
async function checkValuesExist({ jobs }: Uses<"jobs">, origin: Job, kept: readonly Child[]): Promise<void> {
  const owners = new Set(kept.flatMap((item) => resultOfItem(item)?.jobId ?? []));
  owners.delete(origin.id);
  const there = new Set((await jobs.batchGet([...owners])).flatMap((job) => (hasEnded(job) && job.erased ? [] : [job.id])));
  if ([...owners].some((id) => !there.has(id))) throw notRestartedError(origin, "the result of an earlier step was erased");
}

/**
 * The items of a loop are arguments of its steps, and are not stored again. Throws if one contains a reference that does not count in the new
 * run.
 */
async function checkListReferences(
  deps: Uses<"jobs" | "objects" | "storage">,
  actor: Actor,
  origin: Job,
  kept: readonly Child[],
): Promise<void> {
  const lists = kept.flatMap((item) => (childName("progress", item.ref) === undefined ? [] : (progressFormat.parse(item).list ?? [])));
  const values = await Promise.all(lists.map(({ jobId, location }) => loadJson(deps, { id: jobId }, location)));
  const references = findReferences(values).flatMap((text) => parseReference(text) ?? []);
  if (references.length === 0) return;
  const isAllowed = await loadReferenceFilter(deps, actor, origin, values);
  if (references.every(isAllowed)) return;
  throw notRestartedError(
    origin,
    "the list of its loop refers to variables or resources that the user who ran it, or your token, may not read",
  );
}

function containsSecrets(item: Child): boolean {
  if (parseJournalRef(item.ref)?.kind === "outcome") return resultOfItem(item)?.redacted !== undefined;
  return childName("progress", item.ref) !== undefined && progressFormat.parse(item).list?.redacted !== undefined;
}

/** Returns the outcomes of the modules before the step, and of modules inside them, because later modules may refer to them. */
function selectReusedItems(origin: Job, { value, index }: RestartedPlan, items: Child[], { step_id: step }: RestartPoint): Child[] {
  const at = value.modules.findIndex(({ id }) => id === step);
  if (at < 0) throw notRestartedError(origin, `its flow has no step ${step} at the top level`);
  const before = new Set(value.modules.slice(0, at).map(({ id }) => id));
  const found = new Map(items.map((item) => [item.ref, item]));
  for (const id of before) {
    const item = found.get(outcomeRef(id, ROOT, ""));
    if (!item || outcomeFormat.parse(item).transition !== "next") throw notRestartedError(origin, `the earlier step ${id} did not finish`);
  }
  return items.filter(({ ref }) => {
    const { id = "", path = "" } = parseJournalRef(ref) ?? {};
    const scope = index.modules.get(id)?.scope;
    return scope !== undefined && listIndices(path).length === 0 && [id, ...scope.inside].some((each) => before.has(each));
  });
}

/** Returns, for a loop or branches, the results of the iterations or branches that do not run again, and the list of the loop. */
async function loadReusedIterations(
  { jobs }: Uses<"jobs">,
  origin: Job,
  { index }: RestartedPlan,
  { step_id: step, branch_or_iteration_n: from, onlyFailed }: RestartPoint,
): Promise<Child[]> {
  if (!from && !onlyFailed) return [];
  const module = index.modules.get(step)?.module;
  const type = module?.value.type;
  if (type !== "forloopflow" && type !== "whileloopflow" && type !== "branchall")
    throw notRestartedError(origin, `the step ${step} is neither a loop nor a branchall`);
  const item = await jobs.getChild(origin.id, progressRef(step, ROOT, ""));
  const progress: Progress = item ? progressFormat.parse(item) : {};
  const { list, count, width, index: reached = 0, failed = [] } = progress;
  if (from && (!item || from > reached + 1)) throw notRestartedError(origin, `the step ${step} did not reach iteration or branch ${from}`);
  if (failed.length > 0) {
    if (onlyFailed) return [];
    throw notRestartedError(origin, `the step ${step} was retried, so it can only restart at its first iteration or branch`);
  }
  if (!item) return [];
  const began: Progress = { list, count, width, index: from ?? 0 };
  const inside = (await jobs.listChildren(origin.id, "")).flatMap((each) => {
    const { kind, id = "", failureOf: name = id, path = "" } = parseJournalRef(each.ref) ?? {};
    const scope = index.modules.get(name)?.scope ?? index.scopes.get(name);
    if (!kind || !scope?.inside.includes(step)) return [];
    const number = type === "branchall" ? branchNumber(scope, step) : (listIndices(path)[0] ?? Number.POSITIVE_INFINITY);
    return [{ item: each, kind, number, scope, id }];
  });
  const succeeded = new Set<number>();
  for (const { item: each, kind, number, scope, id } of inside) {
    if (scope.of?.module.id !== step) continue;
    const isLast = kind === "outcome" && scope.modules.at(-1)?.id === id;
    if (isLast ? outcomeFormat.parse(each).transition === "next" : kind === "listEnd" && endFormat.parse(each).reason === "stopped")
      succeeded.add(number);
  }
  const isTaken = (number: number) => (onlyFailed ? succeeded.has(number) : number < (from ?? 0));
  return [...inside.filter(({ number }) => isTaken(number)).map(({ item: each }) => each), { ...item, json: progressFormat.toJson(began) }];
}

/** Returns the number of the branch of a module that a list is, or is part of. */
function branchNumber(scope: NonNullable<ReturnType<LoadedPlan["index"]["scopes"]["get"]>>, module: string): number {
  for (let each: typeof scope | undefined = scope; each; each = each.of?.scope) {
    if (each.of?.module.id === module) return Number(each.name.slice(module.length + 1));
  }
  return Number.POSITIVE_INFINITY;
}
