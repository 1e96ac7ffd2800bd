import { v7 as uuidv7 } from "uuid";
import type { Child } from "../../../aws/dynamodb/job-items.ts";
import { defined } from "../../../contract/defined.ts";
import type { JobKind } from "../../../contract/job-kind.ts";
import { limits } from "../../../contract/limits.ts";
import type { Retention } from "../../../contract/retention.ts";
import type { UnstoredCode } from "../../../core/builds/packages/overrides.ts";
import type { RunnableFlow } from "../../../core/flows/version.ts";
import { computeCacheKey } from "../../../core/jobs/cache.ts";
import { type ConcurrencyRule, resolveConcurrency } from "../../../core/jobs/concurrency.ts";
import { buildArgsPreview } from "../../../core/jobs/record/head-size.ts";
import { findDelegation, type Job, type QueuedJob } from "../../../core/jobs/record/job.ts";
import { isSendable, queueDelayS } from "../../../core/jobs/record/lifecycle.ts";
import { chooseRetention, expiryBeforeEndMs } from "../../../core/jobs/record/retention.ts";
import { pickSettings, type RequestedFields, readRequest } from "../../../core/jobs/record/run-settings.ts";
import { type Actor, toPermissionedAs } from "../../../core/people/actor.ts";
import { hasLateContent } from "../../../core/resources/late-content.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import type { Uses } from "../../uses.ts";
import { holdEarlierRun, releaseEarlierRun } from "../erasure/earlier-run.ts";
import { storeValue } from "../values/values.ts";
import { createJobRecord, type IdempotencyKey } from "./create-job-record.ts";

declare const verified: unique symbol;
/** The parent and the root that a caller may give a new job. Only `resolveLineage` creates it, so that no request sets them unchecked. */
export type Lineage = Readonly<{ parent?: string; root?: string; [verified]: true }>;

/**
 * The request for a job. Every run is requested in this shape, whether a route, a schedule, a trigger or another job starts it. The fields of a job that
 * a request sets are those of the table (`core/jobs/record/fields.ts`).
 */
export interface NewJob extends RequestedFields {
  actor: Actor;
  workspace: string;
  kind: JobKind;
  args: Record<string, unknown>;
  /** The arguments are an event for the script's preprocessor, which returns those of `main`. */
  preprocess?: true | undefined;
  /** The user with whose rights the job runs, instead of the caller's. */
  onBehalfOf?: { email: string; permissionedAs: string } | undefined;
  /** The version of a flow, and the location of its plan. */
  flow?: Job["flow"];
  /** For a restarted flow: the journal items of the steps that do not run again. */
  reusedSteps?: readonly Child[] | undefined;
  /** For a restarted flow: the earlier run, whose results are stored for as long as the new job. */
  restartedFrom?: string | undefined;
  /** The source of a preview, or of a job that only builds. */
  code?: UnstoredCode | undefined;
  id?: string | undefined;
  lineage?: Lineage | undefined;
  /** The key that makes a repeated call return the same job. */
  idempotencyKey?: IdempotencyKey | undefined;
  /** The rule that limits how many of these jobs run at the same time. */
  concurrency?: ConcurrencyRule | undefined;
  /** The job does not start before this time (epoch ms). */
  scheduledForMs?: number | undefined;
  /** The job starts this many seconds after its creation, unless `scheduledForMs` is given. */
  delayS?: number | undefined;
  /** Chosen before for a job whose files are stored already. */
  retention?: Retention | undefined;
}

/** Returns the fields that a script version determines for its jobs. */
export function buildScriptJobFields(version: Runnable) {
  const { path, hash, language, concurrency, onBehalfOf, hiddenArgs } = version;
  return { ...pickSettings("script", version), kind: "script" as const, path, hash, language, concurrency, onBehalfOf, hiddenArgs };
}

/** Returns the fields that a flow version determines for its jobs. */
export function buildFlowJobFields(version: RunnableFlow) {
  const { path, hash, timeoutS = limits.flowTimeoutS, concurrency, onBehalfOf, deleteAfterS: eraseAfterS, hiddenArgs } = version;
  const flow = { version: version.version, execution: 0 };
  const fields = { path, hash, flow, timeoutS, concurrency, onBehalfOf, eraseAfterS, hiddenArgs };
  return { ...pickSettings("flow", version), kind: "flow" as const, ...fields };
}

/** Stores the large values of a new job and returns its record, which is not stored yet. */
export async function prepareJob({ nowMs, ...keeping }: Uses<"jobs" | "storage" | "queue" | "nowMs">, request: NewJob): Promise<QueuedJob> {
  const createdAtMs = nowMs();
  const { actor } = request;
  const { kind, delayS } = request;
  const scheduledForMs = request.scheduledForMs ?? (delayS ? createdAtMs + delayS * 1000 : undefined);
  const retention = request.retention ?? chooseRetention({ kind, createdAtMs, scheduledForMs });
  const owner = {
    id: request.id ?? uuidv7(),
    workspace: request.workspace,
    retention,
    expiresAtMs: expiryBeforeEndMs(retention, { createdAtMs, scheduledForMs }),
  };
  const { reusedSteps: steps, restartedFrom } = request;
  const [args, code, reusedSteps] = await Promise.all([
    storeValue(keeping, owner, "args", JSON.stringify(request.args)),
    request.code === undefined ? undefined : storeValue(keeping, owner, "code", JSON.stringify(request.code)),
    steps?.length ? storeValue(keeping, owner, "reusedSteps", JSON.stringify(steps)) : undefined,
  ]);
  const job: QueuedJob = {
    ...owner,
    state: "queued",
    kind: request.kind,
    ...readRequest(request),
    createdBy: actor.username,
    ...identityFields(request),
    createdAtMs,
    ...(scheduledForMs !== undefined && scheduledForMs > createdAtMs ? { scheduledForMs } : {}),
    ...request.lineage,
    ...(actor.kind === "job" ? { tree: actor.tree ?? actor.jobId, ...(actor.isHandler ? { isHandler: true } : {}) } : {}),
    ...(actor.successHandled ? { successHandled: true } : {}),
    tag: request.tag ?? request.language ?? "default",
    trigger: request.trigger ?? "webhook",
    timeoutS: request.timeoutS ?? limits.defaultTimeoutS,
    ...(request.concurrency
      ? { concurrency: resolveConcurrency(request.concurrency, request.workspace, request.path ?? "", request.args) }
      : {}),
    args,
    ...(request.flow ? { flow: { ...request.flow, ...defined({ reusedSteps }), ...(restartedFrom ? { restartedFrom } : {}) } } : {}),
    ...(request.preprocess ? { preprocess: "wanted" as const } : {}),
    ...defined({ code }),
    attempt: 0,
    losses: 0,
    logChars: 0,
  };
  const previewed = { ...job, ...buildPreviewFields(job, request) };
  return job.cacheTtlS === undefined ? previewed : { ...previewed, ...cacheKeyFields(job, request.args) };
}

/** A preview has no schema, so none of its arguments is marked. */
function buildPreviewFields(job: QueuedJob, { hash, hiddenArgs = hash === undefined ? [] : undefined, args, preprocess }: NewJob) {
  if (hiddenArgs === undefined) return {};
  // The preprocessor's result has a preview, not the event that it receives.
  return { hiddenArgs, ...(preprocess ? {} : buildArgsPreview({ ...job, hiddenArgs }, job.args, args)) };
}

function cacheKeyFields(job: QueuedJob, args: Record<string, unknown>): { cacheKey?: string } {
  const cacheKey = hasLateContent(args) ? undefined : computeCacheKey(job, { args });
  return cacheKey === undefined ? {} : { cacheKey };
}

/** A run on behalf of another user has that user's rights in the workspace, but never those of a superadmin. */
function identityFields({ actor, onBehalfOf, kind, path }: NewJob) {
  const first = actor.kind === "job" ? actor.startedBy?.at(-1) : undefined;
  const origin = first === undefined ? {} : { origin: first };
  if (!onBehalfOf || onBehalfOf.email === actor.email) {
    const { email, superAdmin } = actor;
    const inherited = actor.kind === "job" && actor.delegatedBy ? { delegatedBy: actor.delegatedBy } : {};
    return { email, permissionedAs: toPermissionedAs(actor), superAdmin, ...origin, ...inherited };
  }
  const starter = actor.email;
  const delegatedBy = findDelegation({ kind, path, starter });
  return { ...onBehalfOf, superAdmin: false, starter, ...origin, ...defined({ delegatedBy }) };
}

/** Sends a queued job's message. If the job is scheduled later than a queue can delay a message, housekeeping sends it. */
export async function sendJob({ queue, nowMs }: Uses<"queue" | "nowMs">, job: Job): Promise<void> {
  if (!isSendable(job.scheduledForMs, nowMs())) return;
  await queue.sendMessage(job, queueDelayS(job.scheduledForMs, nowMs()));
}

/**
 * Records a job, then sends its message. If sending fails, the error is thrown, and the record is removed unless a worker has claimed it. With an
 * idempotency key the record remains, because an equal call may have been answered with its id. If this process dies in between, housekeeping
 * finds the record by its due time. Returns the job; with an idempotency key, it may be one that an equal call has started. Throws `job.idTaken`
 * and `idempotency.reused`.
 */
export async function enqueueJob(deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">, request: NewJob): Promise<{ id: string }> {
  const { idempotencyKey } = request;
  const job = await prepareJob(deps, request);
  const other = await createJobRecord(deps, job, idempotencyKey);
  if (other) return other;
  try {
    await holdEarlierRun(deps, job);
    await sendJob(deps, job);
  } catch (error) {
    // If a worker has claimed the job, the message was sent despite the error.
    if (idempotencyKey && (!idempotencyKey.ofStream || idempotencyKey.also)) throw error;
    if (await deps.jobs.deleteUnclaimed(job.id)) {
      await releaseEarlierRun(deps, { id: job.id, restartedFrom: job.flow?.restartedFrom });
      throw error;
    }
  }
  return job;
}
