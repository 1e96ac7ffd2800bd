import { createHash } from "node:crypto";
import * as z from "zod";
import { defined } from "../../contract/defined.ts";
import { jobKindSchema } from "../../contract/job-kind.ts";
import { scriptLanguageSchema } from "../../contract/languages.ts";
import { retentionSchema } from "../../contract/retention.ts";
import { concurrencySchema } from "./concurrency.ts";
import { type ValueLocation, valueLocationSchema, valueRefSchema } from "./value-ref.ts";

/** Release 0.1 wrote shorter names. Its queued flows still start and its ended flows are still shown; its running flows are `outdated`. */
function flowFromRelease01(stored: unknown): unknown {
  if (typeof stored !== "object" || stored === null || !("n" in stored)) return stored;
  const { n: execution, machine: stateMachine, ...rest } = stored as Record<string, unknown>;
  return { ...rest, execution, ...defined({ stateMachine }), outdated: true };
}

/** Release 0.1 wrote other names for the step of a job, too. */
function stepFromRelease01(stored: unknown): unknown {
  if (typeof stored !== "object" || stored === null || !("at" in stored)) return stored;
  const { at: path, shared: sharedFolder, ...rest } = stored as Record<string, unknown>;
  return { ...rest, path, ...defined({ sharedFolder }) };
}

const delegationSchema = z.object({ kind: z.enum(["script", "flow"]), path: z.string() });
/** The script or flow that lets its runs act for another user. */
export type Delegation = z.infer<typeof delegationSchema>;

const base = {
  id: z.uuid(),
  workspace: z.string(),
  kind: jobKindSchema,
  path: z.string().optional(),
  hash: z.string().optional(),
  language: scriptLanguageSchema.optional(),
  createdBy: z.string(),
  email: z.string(),
  /** E-mail address of the user who started it, if it runs on behalf of another user. */
  starter: z.string().optional(),
  /** E-mail address of the user who started the first job of the chain, if a job on behalf of another user started this one. */
  origin: z.string().optional(),
  permissionedAs: z.string(),
  /** If it acts for another user: the script or flow whose newest version must delegate to that user. */
  delegatedBy: delegationSchema.optional(),
  /** The caller was a superadmin: the job's token has exactly its caller's rights. */
  superAdmin: z.boolean(),
  createdAtMs: z.number(),
  scheduledForMs: z.number().optional(),
  parent: z.string().optional(),
  root: z.string().optional(),
  /**
   * For a job that another job started, and its steps: the first job of the run tree. Unlike `root` and `parent`, no caller can choose it, so
   * it determines which jobs may read each other's secrets.
   */
  tree: z.string().optional(),
  /** For a step of a flow that a job started: the outermost flow around the step. Its record contains the approvals of the step. */
  flowRoot: z.string().optional(),
  tag: z.string(),
  trigger: z.string(),
  /** The schedule whose tick it runs. The steps of its flow have it too. */
  schedulePath: z.string().optional(),
  /** The registered claimer that makes the first claim, together with the claimer's writes. Absent after that claim. */
  claimer: z.string().optional(),
  /** The schedule that started this flow gets its next run when the flow has ended. */
  endContinuesSchedule: z.literal(true).optional(),
  /** The path of the trigger that started it. */
  triggerPath: z.string().optional(),
  timeoutS: z.number(),
  /** A job with a priority above 0 uses the high-priority queue. */
  priority: z.number().optional(),
  /** It runs only while it holds a slot of this group. */
  concurrency: concurrencySchema.optional(),
  args: valueLocationSchema,
  /** The redacted arguments, if they contain a secret that an earlier step read. */
  redactedArgs: valueLocationSchema.optional(),
  /** `wanted`: the arguments are for the script's preprocessor. `done`: they are the preprocessor's result, which `main` received. */
  preprocess: z.enum(["wanted", "done"]).optional(),
  /** For the job of a flow: its version and the number of the current execution. */
  flow: z
    .preprocess(
      flowFromRelease01,
      z.object({
        /** The version of the flow, the key of its plan in S3, and the name of its state machine. */
        version: z.number().optional(),
        plan: z.string().optional(),
        stateMachine: z.string().optional(),
        /** The number of the current execution. Older executions change nothing. */
        execution: z.number(),
        /** The number of flows around it. */
        depth: z.number().optional(),
        /** Consecutive executions without a newly finished step, and the number of finished steps when the last one started. */
        stalls: z.number().optional(),
        steps: z.number().optional(),
        /** For a restarted flow that has not begun: the journal items of the steps that do not run again. */
        reusedSteps: valueLocationSchema.optional(),
        /** For a restarted flow: the run whose results it uses. */
        restartedFrom: z.string().optional(),
        /** Release 0.1 started it: its executions cannot continue. */
        outdated: z.literal(true).optional(),
      }),
    )
    .optional(),
  /** For a flow with early return: the result that synchronous callers receive before it ends. */
  earlyReturn: valueRefSchema.optional(),
  /** For a step of a flow: its module, its position (core/flows/journal.ts), the path of the flow, and its shared folder. */
  step: z
    .preprocess(
      stepFromRelease01,
      z.object({ id: z.string(), scope: z.string(), path: z.string(), flow: z.string().optional(), sharedFolder: z.string().optional() }),
    )
    .optional(),
  /** For a flow: the number of its steps that wait for approvals and for consent. */
  suspends: z.number().optional(),
  /** For a flow: the machine waits until this time, and nothing else runs in the flow. */
  sleepsUntilMs: z.number().optional(),
  consents: z.number().optional(),
  /** Source of a preview. */
  code: valueLocationSchema.optional(),
  /** The number of started attempts, and the number of attempts that were lost with their worker. */
  attempt: z.number(),
  losses: z.number(),
  /** The number of times that it was put back because AWS refused a call. */
  delays: z.number().optional(),
  cancel: z.object({ by: z.string(), reason: z.string() }).optional(),
  /** A reader follows the output until then, so the runner sends output quickly. */
  watchedUntilMs: z.number().optional(),
  /** Characters (UTF-16 units) of output stored so far, of all attempts. */
  logChars: z.number(),
  memPeakKb: z.number().optional(),
  /** Progress in percent, as reported by the job. */
  progress: z.number().optional(),
  /** Maximum age and key of a cached result that may be used. The key is absent while only a worker can compute it. */
  cacheTtlS: z.number().optional(),
  cacheKey: z.string().optional(),
  /** The number of times that it received secrets, which its output must not show (services/secrets/masks.ts). */
  masks: z.number().optional(),
  /** The time at which it received the first secret of its arguments. A repeated attempt creates no second audit entry. */
  secretsAtMs: z.number().optional(),
  lastPingMs: z.number().optional(),
  /** Seconds after its end when its data is erased, whether or not a caller waited for it. */
  eraseAfterS: z.number().optional(),
  /** It is a handler, or a handler has started it: its end calls no handler. */
  isHandler: z.literal(true).optional(),
  /** The workspace had a success handler when the job was created. The end of a job that runs for longer checks again. */
  successHandled: z.literal(true).optional(),
  /** For a flow: the data of its steps is erased after its end, of some steps or of all. */
  erasesSteps: z.enum(["some", "all"]).optional(),
  retention: retentionSchema,
  expiresAtMs: z.number(),
};
const started = { startedAtMs: z.number(), worker: z.string().optional() };
const ended = {
  startedAtMs: z.number().optional(),
  worker: z.string().optional(),
  endedAtMs: z.number(),
  result: valueLocationSchema,
  /** The redacted result, if it contains a secret that the job read. */
  redactedResult: valueLocationSchema.optional(),
  /** The job whose cached result this job uses. */
  cachedFrom: z.string().optional(),
  /** Arguments, logs and result were erased on request. */
  erased: z.boolean(),
  /** The time at which they will be erased. */
  eraseAtMs: z.number().optional(),
  /** Why what runs for an ended flow is stopped. Housekeeping removes it after it has verified that everything was stopped. */
  stopping: z.object({ by: z.string(), reason: z.string() }).optional(),
  /** Handlers may follow the end of the job, and a worker has not started them yet. */
  followUp: z.literal(true).optional(),
  /** For the run of a schedule, until its handlers are started: the runs that ended in a row, up to this one. */
  outcomeCount: z
    .object({ failures: z.number(), successes: z.number(), failed: z.object({ job: z.string(), startedAtMs: z.number() }).optional() })
    .optional(),
};

export const runningJobSchema = z.object({
  ...base,
  ...started,
  state: z.literal("running"),
  nonce: z.string(),
  leaseUntilMs: z.number(),
});
export const jobSchema = z.discriminatedUnion("state", [
  z.object({ ...base, state: z.literal("queued") }),
  runningJobSchema,
  z.object({ ...base, ...ended, state: z.literal("succeeded") }),
  z.object({ ...base, ...ended, state: z.literal("failed") }),
  z.object({ ...base, ...ended, state: z.literal("canceled") }),
  z.object({ ...base, ...ended, state: z.literal("skipped") }),
]);
export type Job = z.infer<typeof jobSchema>;
export type QueuedJob = Extract<Job, { state: "queued" }>;
export type RunningJob = Extract<Job, { state: "running" }>;
export type EndedJob = Extract<Job, { endedAtMs: number }>;
export type EndState = EndedJob["state"];

/** Returns whether a job has ended. */
export function hasEnded(job: Job): job is EndedJob {
  return job.state !== "queued" && job.state !== "running";
}

/** Returns whether a job has ended without failing; a flow that stopped early or was skipped has too. */
export const isSuccess = ({ state }: Pick<EndedJob, "state">) => state === "succeeded" || state === "skipped";

/** Returns whether data of a job is erased after its end. */
export const willBeErased = ({ eraseAfterS, erasesSteps }: Pick<Job, "eraseAfterS" | "erasesSteps">): boolean =>
  eraseAfterS !== undefined || erasesSteps !== undefined;

/** Returns the e-mail address of the person who started the run, even if it runs on behalf of another user. */
export const getRunStarter = ({ origin, starter, email }: Pick<Job, "origin" | "starter" | "email">): string => origin ?? starter ?? email;

/** Returns the start of a job that has ended, in epoch ms. A job that ended before it started has the time of its end. */
export const getStartMs = ({ startedAtMs, endedAtMs }: EndedJob): number => startedAtMs ?? endedAtMs;

/** Returns the time at which a queued job is due, in epoch ms: at once unless it was scheduled. */
export const getScheduledMs = ({ scheduledForMs, createdAtMs }: Pick<Job, "scheduledForMs" | "createdAtMs">): number =>
  scheduledForMs ?? createdAtMs;

/** Returns the id of the outermost job to which a job belongs: its own if it has no parent. */
export const getRootId = ({ id, root, parent }: Pick<Job, "id" | "root" | "parent">): string => root ?? parent ?? id;

/** Returns the id of the first job of the run tree to which a job belongs. */
export const getTreeId = ({ id, tree, step, root, parent }: Pick<Job, "id" | "tree" | "step" | "root" | "parent">): string =>
  tree ?? (step ? (root ?? parent ?? id) : id);

/** Returns the id of the run to which a flow's approvals belong: the outermost flow that runs it as a step, or the flow itself. */
export const getFlowRootId = ({ id, tree, step, root, flowRoot }: Pick<Job, "id" | "tree" | "step" | "root" | "flowRoot">): string =>
  flowRoot ?? (tree !== undefined && step === undefined ? id : (root ?? id));

/** Returns whether a job is the job of a flow. */
export const isFlowJob = ({ kind }: Pick<Job, "kind">) => kind === "flow" || kind === "flowpreview" || kind === "singlestepflow";

/** Returns whether the path of a job is that of a flow. A script with retries runs as the only step of a flow. */
export const hasFlowPath = (job: Pick<Job, "kind">) => isFlowJob(job) && job.kind !== "singlestepflow";

/** Returns the script or flow by which a job acts for another user. An earlier release did not record it. */
export function findDelegation(job: Pick<Job, "delegatedBy" | "starter" | "step" | "path" | "kind">): Delegation | undefined {
  const { delegatedBy, starter, step, path } = job;
  if (delegatedBy || starter === undefined || step || path === undefined) return delegatedBy;
  return { kind: hasFlowPath(job) ? "flow" : "script", path };
}

/** The state of a running flow that waits: consent takes precedence over approvals. `undefined` if it does not wait. */
export function getWaitState({
  suspends = 0,
  consents = 0,
}: Pick<Job, "suspends" | "consents">): "suspended" | "awaiting_approval" | undefined {
  if (consents > 0) return "awaiting_approval";
  return suspends > 0 ? "suspended" : undefined;
}

/** The reader of a value: a person, or a running job with the first job of its run tree. */
export type ValueReader = { kind: "person" } | { kind: "job"; jobId: string; tree?: string };

/** A reader who may be any person. */
export const PEOPLE = { kind: "person" } as const;

/** Returns whether a reader receives values with their secrets: a job of the same run tree does. */
export const seesSecretsOf = (reader: ValueReader, job: Job): boolean =>
  reader.kind === "job" && getTreeId(job) === (reader.tree ?? reader.jobId);

/** Returns the location of the result for a reader: jobs of the same run tree receive the stored result; all others receive the redacted one. */
export function resultVisibleTo(reader: ValueReader, job: EndedJob): ValueLocation {
  return seesSecretsOf(reader, job) ? job.result : (job.redactedResult ?? job.result);
}

/** Returns the location of the arguments for a reader: jobs of the same run tree receive the stored ones; all others receive the redacted ones. */
export function argsVisibleTo(reader: ValueReader, job: Job): ValueLocation {
  return seesSecretsOf(reader, job) ? job.args : (job.redactedArgs ?? job.args);
}

/** The number of shards of the list and due indexes. */
export const SHARDS = 4;
/** Returns the partitions of the index `list` that contain the jobs of a workspace, one for each shard. */
export const buildListPartitions = (workspace: string): string[] => Array.from({ length: SHARDS }, (_, shard) => `${workspace}#${shard}`);
/** Returns the shard of a job in the list and due indexes. */
export function computeShard(jobId: string): number {
  return createHash("md5").update(jobId).digest().readUInt8(0) % SHARDS;
}

/** Builds the sort key of a job in lists: creation time, then id, so that all pages have the same order. */
export function buildListKey(createdAtMs: number, jobId: string): string {
  return `${String(createdAtMs).padStart(14, "0")}#${jobId}`;
}
