import {
  any,
  boolean,
  type Condition,
  Entity,
  type FormattedItem,
  item,
  number,
  string,
  type UpdateAttributesInput,
} from "dynamodb-toolbox";
import { buildListKey, computeShard, hasEnded, type Job, jobSchema, type RunningJob } from "../../core/jobs/job.ts";
import { UnreadableRecordError } from "../../core/records/record-format.ts";
import { indexEnded } from "./job-indexes.ts";
import { jobsTable as table } from "./jobs-client.ts";
import { nameAttributes } from "./stored-names.ts";

const HEAD = "job";

/**
 * The head item. DynamoDB bills an update by the size of the whole item, names of attributes included, which must stay under 1 KB. That is why stored names
 * are short. This entity maps them, so that the names are spelled out everywhere else.
 */
export const HeadEntity = new Entity({
  name: "job",
  table,
  entityAttribute: false,
  timestamps: false,
  schema: item({
    id: string().key().savedAs("pk"),
    sk: string().key().default(HEAD),
    workspace: string().savedAs("ws"),
    kind: string(),
    path: string().optional(),
    hash: string().optional(),
    language: string().savedAs("lang").optional(),
    state: string().savedAs("s"),
    createdBy: string().savedAs("by"),
    email: string().savedAs("em"),
    starter: string().savedAs("sr").optional(),
    origin: string().savedAs("og").optional(),
    permissionedAs: string().savedAs("pa"),
    delegatedBy: any().savedAs("db").optional(),
    superAdmin: boolean().savedAs("sa"),
    createdAtMs: number().savedAs("created"),
    scheduledForMs: number().savedAs("sf").optional(),
    startedAtMs: number().savedAs("st").optional(),
    endedAtMs: number().savedAs("en").optional(),
    parent: string().optional(),
    root: string().optional(),
    tree: string().savedAs("rt").optional(),
    flowRoot: string().savedAs("fr").optional(),
    tag: string(),
    trigger: string(),
    schedulePath: string().savedAs("sch").optional(),
    claimer: string().savedAs("cl").optional(),
    endContinuesSchedule: boolean().savedAs("ec").optional(),
    triggerPath: string().savedAs("tp").optional(),
    timeoutS: number().savedAs("to"),
    priority: number().savedAs("py").optional(),
    concurrency: any().savedAs("cc").optional(),
    args: any().savedAs("a"),
    redactedArgs: any().savedAs("as").optional(),
    preprocess: string().savedAs("pre").optional(),
    flow: any().savedAs("fl").optional(),
    step: any().savedAs("step").optional(),
    suspends: number().savedAs("su").optional(),
    consents: number().savedAs("cs").optional(),
    earlyReturn: any().savedAs("ey").optional(),
    code: any().savedAs("co").optional(),
    result: any().savedAs("r").optional(),
    attempt: number().savedAs("at"),
    losses: number().savedAs("lo"),
    delays: number().savedAs("dl").optional(),
    nonce: string().savedAs("n").optional(),
    leaseUntilMs: number().savedAs("lu").optional(),
    worker: string().savedAs("wk").optional(),
    cancel: any().savedAs("c").optional(),
    watchedUntilMs: number().savedAs("wu").optional(),
    sleepsUntilMs: number().savedAs("sp").optional(),
    logChars: number().savedAs("lc"),
    masks: number().savedAs("mk").optional(),
    secretsAtMs: number().savedAs("sm").optional(),
    redactedResult: any().savedAs("rs").optional(),
    cacheTtlS: number().savedAs("ct").optional(),
    cacheKey: string().savedAs("ck").optional(),
    cachedFrom: string().savedAs("cf").optional(),
    memPeakKb: number().savedAs("mp").optional(),
    progress: number().savedAs("pr").optional(),
    lastPingMs: number().savedAs("pg").optional(),
    erased: boolean().savedAs("er").optional(),
    eraseAtMs: number().savedAs("ea").optional(),
    eraseAfterS: number().savedAs("es").optional(),
    erasesSteps: string().savedAs("ex").optional(),
    stopping: any().savedAs("sg").optional(),
    isHandler: boolean().savedAs("hd").optional(),
    successHandled: boolean().savedAs("sh").optional(),
    outcomeCount: any().savedAs("oc").optional(),
    followUp: boolean().savedAs("fu").optional(),
    retention: string().savedAs("rn").optional(),
    expiresAtS: number().savedAs("ttl"),
    listPartition: string().savedAs("lp"),
    listSort: string().savedAs("ls"),
    pathPartition: string().savedAs("pp").optional(),
    duePartition: string().savedAs("dp").optional(),
    dueAtMs: number().savedAs("ds").optional(),
  }),
});
export type HeadItem = FormattedItem<typeof HeadEntity>;
export const toHeadItem = nameAttributes(HeadEntity);
/** The stored key of a job's head. */
export const headKeyOf = (id: string) => ({ pk: id, sk: HEAD });
export type HeadChange = Omit<UpdateAttributesInput<typeof HeadEntity>, "id" | "sk">;
/** The fields that claiming a job changes. */
export type AttemptChange = Pick<RunningJob, "state" | "nonce" | "leaseUntilMs" | "startedAtMs" | "worker" | "attempt">;
export type HeadCondition = Condition<typeof HeadEntity>;

/** Values too large for the head, chunks of output, and jobs that wait for a build: children of a job or of a version. */
export const ChildEntity = new Entity({
  name: "child",
  table,
  entityAttribute: false,
  timestamps: false,
  schema: item({
    parent: string().key().savedAs("pk"),
    ref: string().key().savedAs("sk"),
    json: string().savedAs("j").optional(),
    /** Output, or its key in S3, and its length in characters. */
    text: string().savedAs("t").optional(),
    s3Key: string().savedAs("k").optional(),
    chars: number().savedAs("n").optional(),
    /** The number of changes, for items whose writers must name the version that they have read. */
    version: number().savedAs("v").optional(),
    expiresAtS: number().savedAs("ttl"),
  }),
});
export type Child = FormattedItem<typeof ChildEntity>;
export const toChild = nameAttributes(ChildEntity);

/** Throws `UnreadableRecordError`. */
export function toJob(head: HeadItem): Job {
  const { expiresAtS, ...fields } = head;
  const erased = head.endedAtMs === undefined ? {} : { erased: head.erased ?? false };
  const job = jobSchema.safeParse({ ...fields, ...erased, expiresAtMs: expiresAtS * 1000 });
  if (!job.success) throw new UnreadableRecordError({ parent: head.id, ref: head.sk }, { cause: job.error });
  return job.data;
}

/** DynamoDB removes expired items late, so they are ignored. */
export const isLive = ({ expiresAtS }: HeadItem) => expiresAtS * 1000 > Date.now();

/** The fields by which housekeeping finds a job that is due. */
export const dueAt = (id: string, atMs: number) => ({ duePartition: `due#${computeShard(id)}`, dueAtMs: atMs });

export function toHead(job: Job, dueAtMs: number | undefined) {
  const { expiresAtMs, retention, ...fields } = job;
  const shard = computeShard(job.id);
  return {
    ...fields,
    ...(retention === "short" ? {} : { retention }),
    expiresAtS: Math.ceil(expiresAtMs / 1000),
    listPartition: `${job.workspace}#${shard}`,
    listSort: buildListKey(job.createdAtMs, job.id),
    ...(job.path === undefined ? {} : { pathPartition: `${job.workspace}#${shard}#${job.path}` }),
    ...(dueAtMs === undefined ? hasEnded(job) && indexEnded(job, job.state) : dueAt(job.id, dueAtMs)),
  };
}
