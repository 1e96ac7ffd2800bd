import { v7 as uuidv7 } from "uuid";
import type { Queue } from "../../../aws/sqs/queue.ts";
import type { ScriptLanguage } from "../../../contract/languages.ts";
import { limits } from "../../../contract/limits.ts";
import type { JobKind } from "../../../contract/routes/jobs/job.ts";
import type { RunnableFlow } from "../../../core/flows/version.ts";
import { computeCacheKey, containsFiles } from "../../../core/jobs/cache.ts";
import { type ConcurrencyRule, resolveConcurrency } from "../../../core/jobs/concurrency.ts";
import type { Job, QueuedJob } from "../../../core/jobs/job.ts";
import { isSendable, queueDelayS } from "../../../core/jobs/lifecycle.ts";
import { type Actor, toPermissionedAs } from "../../../core/people/actor.ts";
import { hasReferences } from "../../../core/resources/references.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import { storeValue, type ValueDeps } from "../values/values.ts";
import { type CreateJobDeps, createJobRecord, type IdempotencyKey } from "./create-job-record.ts";

export interface EnqueueDeps extends ValueDeps {
  queue: Queue;
  nowMs: () => number;
}

/** What a caller asks to be run. */
export interface NewJob {
  actor: Actor;
  workspace: string;
  kind: JobKind;
  path?: string | undefined;
  hash?: string | undefined;
  language?: ScriptLanguage | undefined;
  args: Record<string, unknown>;
  /** The arguments are for the script's preprocessor, which makes those of `main`. */
  preprocess?: true | undefined;
  /** Whose rights it has instead of the caller's. */
  onBehalfOf?: { email: string; permissionedAs: string } | undefined;
  /** Of a flow: which version, and where its plan is. */
  flow?: Job["flow"];
  /** A preview's source, and the lock to build it with. */
  code?: { content: string; lock?: string } | { flow: unknown } | undefined;
  timeoutS?: number | undefined;
  /** An earlier result no older than this may stand for the run. */
  cacheTtlS?: number | undefined;
  tag?: string | undefined;
  id?: string | undefined;
  parent?: string | undefined;
  root?: string | undefined;
  /** This call may come again, and starts one job all the same. */
  once?: IdempotencyKey | undefined;
  /** Somebody reads along until then. */
  watchedUntilMs?: number | undefined;
  priority?: number | undefined;
  /** What limits how many of it run at a time. */
  concurrency?: ConcurrencyRule | undefined;
  /** What it leaves is erased so long after its end, unless its caller does that before. */
  eraseAfterS?: number | undefined;
  /** Not before this time. */
  scheduledForMs?: number | undefined;
}

/** What a version says of the jobs that run it. */
export function scriptJobFields({ path, hash, language, timeoutS, tag, priority, concurrency, onBehalfOf, cacheTtlS }: Runnable) {
  return { kind: "script" as const, path, hash, language, timeoutS, tag, priority, concurrency, onBehalfOf, cacheTtlS };
}

/** What a flow's version says of the jobs that run it. */
export function flowJobFields({ path, hash, version, tag, timeoutS, priority, concurrency, onBehalfOf, deleteAfterS }: RunnableFlow) {
  const kind = "flow" as const;
  const flow = { version, execution: 0 };
  return {
    kind,
    path,
    hash,
    flow,
    tag,
    timeoutS: timeoutS ?? limits.flowTimeoutS,
    priority,
    concurrency,
    onBehalfOf,
    eraseAfterS: deleteAfterS,
  };
}

/** A job's record with its large values kept, not stored itself yet. */
export async function prepareJob({ nowMs, ...keeping }: EnqueueDeps, asked: NewJob): Promise<QueuedJob> {
  const createdAtMs = nowMs();
  const { actor } = asked;
  const keptFromMs = Math.max(createdAtMs, asked.scheduledForMs ?? 0);
  const owner = {
    id: asked.id ?? uuidv7(),
    workspace: asked.workspace,
    expiresAtMs: keptFromMs + lastsMs(asked.kind) + limits.jobRetentionMs,
  };
  const [args, code] = await Promise.all([
    storeValue(keeping, owner, "args", JSON.stringify(asked.args)),
    asked.code === undefined ? undefined : storeValue(keeping, owner, "code", JSON.stringify(asked.code)),
  ]);
  const job: QueuedJob = {
    ...owner,
    state: "queued",
    kind: asked.kind,
    ...(asked.path === undefined ? {} : { path: asked.path }),
    ...(asked.hash === undefined ? {} : { hash: asked.hash }),
    ...(asked.language === undefined ? {} : { language: asked.language }),
    createdBy: actor.username,
    ...identityOf(asked),
    createdAtMs,
    ...(asked.scheduledForMs !== undefined && asked.scheduledForMs > createdAtMs ? { scheduledForMs: asked.scheduledForMs } : {}),
    ...(asked.parent === undefined ? {} : { parent: asked.parent }),
    ...(asked.root === undefined ? {} : { root: asked.root }),
    ...(asked.eraseAfterS === undefined ? {} : { eraseAfterS: asked.eraseAfterS }),
    ...(asked.watchedUntilMs === undefined ? {} : { watchedUntilMs: asked.watchedUntilMs }),
    tag: asked.tag ?? asked.language ?? "default",
    trigger: "webhook",
    timeoutS: asked.timeoutS ?? limits.defaultTimeoutS,
    ...(asked.priority ? { priority: asked.priority } : {}),
    ...(asked.concurrency ? { concurrency: resolveConcurrency(asked.concurrency, asked.workspace, asked.path ?? "", asked.args) } : {}),
    args,
    ...(asked.flow ? { flow: asked.flow } : {}),
    ...(asked.preprocess ? { preprocess: "wanted" as const } : {}),
    ...(code === undefined ? {} : { code }),
    attempt: 0,
    losses: 0,
    logChars: 0,
  };
  return asked.cacheTtlS ? { ...job, cacheTtlS: asked.cacheTtlS, ...keyOf(job, asked.args) } : job;
}

/** What belongs to a flow is there for as long as the flow may last. */
const lastsMs = (kind: JobKind) => (kind === "flow" || kind === "flowpreview" ? limits.flowTimeoutS * 1000 : 0);

/** What references and files hold is known when the job runs, and only to a worker. */
function keyOf(job: QueuedJob, args: Record<string, unknown>): { cacheKey?: string } {
  return needsWorker(args) ? {} : { cacheKey: computeCacheKey(job, { args }) };
}
const needsWorker = (args: unknown) => hasReferences(args) || containsFiles(args);

/** On behalf of somebody else a run has their rights in the workspace, and never those of a superadmin. */
function identityOf({ actor, onBehalfOf }: NewJob) {
  const first = actor.kind === "job" ? actor.startedBy?.at(-1) : undefined;
  const origin = first === undefined ? {} : { origin: first };
  if (!onBehalfOf || onBehalfOf.email === actor.email) {
    return { email: actor.email, permissionedAs: toPermissionedAs(actor), superAdmin: actor.superAdmin, ...origin };
  }
  return { ...onBehalfOf, superAdmin: false, starter: actor.email, ...origin };
}

/** Sends a queued job's message. One that must wait for longer than a queue holds it back is housekeeping's to send. */
export async function sendJob({ queue, nowMs }: Pick<EnqueueDeps, "queue" | "nowMs">, job: Job): Promise<void> {
  if (!isSendable(job.scheduledForMs, nowMs())) return;
  await queue.send(job, queueDelayS(job.scheduledForMs, nowMs()));
}

/**
 * Records a job, then sends it. When sending fails the record goes, unless somebody has claimed it, and the caller gets the error;
 * when this process dies in between, housekeeping finds the record by its due time. Answers the job that runs: with `once` it may
 * be one that an equal call has started. Throws `job.idTaken` and `idempotency.reused`.
 */
export async function enqueueJob(deps: EnqueueDeps & CreateJobDeps, asked: NewJob): Promise<{ id: string }> {
  const { jobs, objects } = deps;
  const { once } = asked;
  const job = await prepareJob(deps, asked);
  const other = await createJobRecord(deps, job, once);
  if (other) return other;
  try {
    await sendJob(deps, job);
  } catch (error) {
    // When the message went out all the same and somebody has taken the job, it is accepted.
    if (await jobs.removeUnclaimed(job.id)) {
      if (once) await objects.remove(once.key);
      throw error;
    }
  }
  return job;
}
