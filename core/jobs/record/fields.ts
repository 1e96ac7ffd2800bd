import * as z from "zod";
import type { Defined } from "../../../contract/defined.ts";
import { jobKindSchema } from "../../../contract/job-kind.ts";
import { scriptLanguageSchema } from "../../../contract/languages.ts";
import { retentionSchema } from "../../../contract/retention.ts";
import type { NewFlow } from "../../../contract/routes/flows/flows.ts";
import type { JobJson } from "../../../contract/routes/jobs/job.ts";
import type { PayloadQuery, PreviewQuery } from "../../../contract/routes/jobs/runs.ts";
import type { NewScript } from "../../../contract/routes/stored/script.ts";
import { toIsoTime } from "../../../contract/utilities/iso-time.ts";
import { concurrencySchema } from "../concurrency.ts";
import { valueLocationSchema, valueRefSchema } from "./value-ref.ts";

/** The names under which callers and authors set a field of a job, if they can. */
interface RequestNames {
  /** The parameter of the routes that run something. */
  query?: keyof PayloadQuery | keyof PreviewQuery;
  /** The settings of a script and of a flow, which hold for all runs of their versions. */
  script?: keyof NewScript;
  flow?: keyof NewFlow;
  /** The value that sets nothing. */
  unset?: number;
}

/** A field of a job. A row without `seenBy` does not compile. */
export type JobField = {
  /** The attribute of the table. DynamoDB bills an update by the size of the whole item, so names are short. */
  stored: string;
  schema: z.ZodType;
  /** The request for a new job sets it, and `prepareJob` stores it. */
  request?: RequestNames;
  /** The version of a script or flow determines it, as it determines its settings. A schedule's job that waits gets the values of the newest version. */
  fromVersion?: true;
  /** The jobs that have it. Absent: all. `started`: a running job, and an ended one unless it ended before it started. */
  when?: "started" | "running" | "ended";
} & (
  | {
      /** No reply about the job depends on it. */
      seenBy: "internal";
    }
  | {
      /** Those who may see the job. */
      seenBy: "readers";
      /** Its name in the job's JSON, if its value is shown as it is or as `show` returns it. `services/jobs/read/read.ts` computes the other fields. */
      json?: keyof JobJson;
      show?(value: unknown): unknown;
    }
);
export type JobFields = Readonly<Record<string, JobField>>;

const flowSchema = z.object({
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
});

const stepSchema = z.object({
  id: z.string(),
  scope: z.string(),
  path: z.string(),
  flow: z.string().optional(),
  sharedFolder: z.string().optional(),
});

/** The script or flow that lets its runs act for another user. */
const delegationSchema = z.object({ kind: z.enum(["script", "flow"]), path: z.string() });
export type Delegation = z.infer<typeof delegationSchema>;

const endedStates = ["succeeded", "failed", "canceled", "skipped"] as const;
export const jobStates = ["queued", "running", ...endedStates] as const;

const text = z.string().optional();
const count = z.number().optional();
const mark = z.literal(true).optional();

/** The first fields of the job's JSON, in their order. */
export const identityFields = {
  id: { stored: "pk", schema: z.uuid(), seenBy: "readers", json: "id" },
  workspace: { stored: "ws", schema: z.string(), seenBy: "readers", json: "workspace_id" },
  parent: { stored: "parent", schema: text, seenBy: "readers", json: "parent_job" },
  root: { stored: "root", schema: text, seenBy: "readers", json: "root_job" },
  createdBy: { stored: "by", schema: z.string(), seenBy: "readers", json: "created_by" },
  createdAtMs: { stored: "created", schema: z.number(), seenBy: "readers", json: "created_at", show: toIsoTime },
  path: { stored: "path", schema: text, seenBy: "readers", json: "script_path", request: {} },
  hash: { stored: "hash", schema: text, seenBy: "readers", json: "script_hash", request: {}, fromVersion: true },
} as const satisfies JobFields;

/** The fields that the JSON shows after the values of the job and its cancellation. */
export const originFields = {
  kind: { stored: "kind", schema: jobKindSchema, seenBy: "readers", json: "job_kind" },
  trigger: { stored: "trigger", schema: z.string(), seenBy: "readers", json: "trigger_kind", request: {} },
  /** The schedule whose tick it runs. The steps of its flow have it too. */
  schedulePath: { stored: "sch", schema: text, seenBy: "readers", json: "schedule_path", request: {} },
  /** The path of the trigger that started it. */
  triggerPath: { stored: "tp", schema: text, seenBy: "readers", json: "trigger_path", request: {} },
  permissionedAs: { stored: "pa", schema: z.string(), seenBy: "readers", json: "permissioned_as", fromVersion: true },
  email: { stored: "em", schema: z.string(), seenBy: "readers", json: "email", fromVersion: true },
} as const satisfies JobFields;

/** The fields that the JSON shows after the step of a flow. A new field of the JSON belongs here. */
export const runFields = {
  language: {
    stored: "lang",
    schema: scriptLanguageSchema.optional(),
    seenBy: "readers",
    json: "language",
    request: {},
    fromVersion: true,
  },
  tag: { stored: "tag", schema: z.string(), seenBy: "readers", json: "tag", request: { query: "tag", script: "tag", flow: "tag" } },
  /** The labels that its script or flow had when it was created, by which lists find it. */
  labels: {
    stored: "lb",
    schema: z.array(z.string()).optional(),
    seenBy: "readers",
    json: "labels",
    request: { script: "labels", flow: "labels" },
  },
  /** `wanted`: the arguments are for the script's preprocessor. `done`: they are the preprocessor's result, which `main` received. */
  preprocess: {
    stored: "pre",
    schema: z.enum(["wanted", "done"]).optional(),
    seenBy: "readers",
    json: "preprocessed",
    show: (stage: "wanted" | "done") => stage === "done",
  },
  /** A job with a priority above 0 uses the high-priority queue. */
  priority: {
    stored: "py",
    schema: count,
    seenBy: "readers",
    json: "priority",
    request: { script: "priority", flow: "priority", unset: 0 },
  },
  memPeakKb: { stored: "mp", schema: count, seenBy: "readers", json: "mem_peak" },
} as const satisfies JobFields;

/** The fields that the JSON shows in another form or not at all. */
const otherFields = {
  state: { stored: "s", schema: z.enum(jobStates), seenBy: "readers" },
  /** E-mail address of the user who started it, if it runs on behalf of another user. */
  starter: { stored: "sr", schema: text, seenBy: "internal", fromVersion: true },
  /** E-mail address of the user who started the first job of the chain, if a job on behalf of another user started this one. */
  origin: { stored: "og", schema: text, seenBy: "internal" },
  /** If it acts for another user: the script or flow whose newest version must delegate to that user. */
  delegatedBy: { stored: "db", schema: delegationSchema.optional(), seenBy: "internal", fromVersion: true },
  /** The caller was a superadmin: the job's token has exactly its caller's rights. */
  superAdmin: { stored: "sa", schema: z.boolean(), seenBy: "internal", fromVersion: true },
  scheduledForMs: { stored: "sf", schema: count, seenBy: "readers" },
  /**
   * For a job that another job started, and its steps: the first job of the run tree. Unlike `root` and `parent`, no caller can choose it, so
   * it determines which jobs may read each other's secrets.
   */
  tree: { stored: "rt", schema: text, seenBy: "internal" },
  /** For a step of a flow that a job started: the outermost flow around the step. Its record contains the approvals of the step. */
  flowRoot: { stored: "fr", schema: text, seenBy: "internal" },
  /** The registered claimer that makes the first claim, together with the claimer's writes. Absent after that claim. */
  claimer: { stored: "cl", schema: text, seenBy: "internal", request: {} },
  /** The schedule that started this flow gets its next run when the flow has ended. */
  endContinuesSchedule: { stored: "ec", schema: mark, seenBy: "internal" },
  timeoutS: { stored: "to", schema: z.number(), seenBy: "internal", request: { query: "timeout", script: "timeout", flow: "timeout" } },
  /** It runs only while it holds a slot of this group. */
  concurrency: { stored: "cc", schema: concurrencySchema.optional(), seenBy: "internal" },
  args: { stored: "a", schema: valueLocationSchema, seenBy: "readers" },
  /** The redacted arguments, if they contain a secret that an earlier step read. */
  redactedArgs: { stored: "as", schema: valueLocationSchema.optional(), seenBy: "readers" },
  /**
   * The arguments whose values no preview shows, because the schema of the version marks them. Absent if they are not known: then the arguments have no
   * preview.
   */
  hiddenArgs: { stored: "ha", schema: z.array(z.string()).optional(), seenBy: "readers", request: {}, fromVersion: true },
  /** The beginning of the arguments that people see, if these are not in the head. */
  argsPreview: { stored: "ap", schema: text, seenBy: "readers" },
  /** For the job of a flow: its version and the number of the current execution. */
  flow: { stored: "fl", schema: flowSchema.optional(), seenBy: "internal", fromVersion: true },
  /** For a flow with early return: the result that synchronous callers receive before it ends. */
  earlyReturn: { stored: "ey", schema: valueRefSchema.optional(), seenBy: "internal" },
  /** For a step of a flow: its module, its position (core/flows/journal.ts), the path of the flow, and its shared folder. */
  step: { stored: "step", schema: stepSchema.optional(), seenBy: "readers" },
  /** For a flow: the number of its steps that wait for approvals and for consent. */
  suspends: { stored: "su", schema: count, seenBy: "readers" },
  consents: { stored: "cs", schema: count, seenBy: "readers" },
  /** For a flow: the number of its open requests for a decision that have messages in chats. */
  chats: { stored: "ch", schema: count, seenBy: "internal" },
  /** For a flow: the machine waits until this time, and nothing else runs in the flow. */
  sleepsUntilMs: { stored: "sp", schema: count, seenBy: "internal" },
  /** Source of a preview. */
  code: { stored: "co", schema: valueLocationSchema.optional(), seenBy: "readers" },
  /** The number of started attempts, and the number of attempts that were lost with their worker. */
  attempt: { stored: "at", schema: z.number(), seenBy: "internal" },
  losses: { stored: "lo", schema: z.number(), seenBy: "internal" },
  /** The number of times that it was put back because AWS refused a call. */
  delays: { stored: "dl", schema: count, seenBy: "internal" },
  startedAtMs: { stored: "st", schema: z.number(), when: "started", seenBy: "readers" },
  worker: { stored: "wk", schema: text, when: "started", seenBy: "readers" },
  nonce: { stored: "n", schema: z.string(), when: "running", seenBy: "internal" },
  leaseUntilMs: { stored: "lu", schema: z.number(), when: "running", seenBy: "internal" },
  cancel: { stored: "c", schema: z.object({ by: z.string(), reason: z.string() }).optional(), seenBy: "readers" },
  /** A reader follows the output until then, so the runner sends output quickly. */
  watchedUntilMs: { stored: "wu", schema: count, seenBy: "internal", request: {} },
  /** Characters (UTF-16 units) of output stored so far, of all attempts. */
  logChars: { stored: "lc", schema: z.number(), seenBy: "readers" },
  /** Progress in percent, as reported by the job. */
  progress: { stored: "pr", schema: count, seenBy: "readers" },
  /** Maximum age and key of a cached result that may be used. The key is absent while only a worker can compute it. */
  cacheTtlS: { stored: "ct", schema: count, seenBy: "internal", request: { query: "cache_ttl", script: "cache_ttl", unset: 0 } },
  cacheKey: { stored: "ck", schema: text, seenBy: "internal", fromVersion: true },
  /** The number of times that it received secrets, which its output must not show (services/secrets/masks.ts). */
  masks: { stored: "mk", schema: count, seenBy: "internal" },
  /** The time at which it received the first secret of its arguments, so that a repeated attempt creates no second audit entry. */
  secretsAtMs: { stored: "sm", schema: count, seenBy: "internal" },
  lastPingMs: { stored: "pg", schema: count, seenBy: "readers" },
  /** Seconds after its end when its data is erased, whether or not a caller waited for it. */
  eraseAfterS: { stored: "es", schema: count, seenBy: "internal", request: {}, fromVersion: true },
  /** It is a handler, or a handler has started it: its end calls no handler. */
  isHandler: { stored: "hd", schema: mark, seenBy: "internal" },
  /** The workspace had a success handler when the job was created. The end of a job that runs for longer checks again. */
  successHandled: { stored: "sh", schema: mark, seenBy: "internal" },
  /** For a flow: the data of its steps is erased after its end, of some steps or of all. */
  erasesSteps: { stored: "ex", schema: z.enum(["some", "all"]).optional(), seenBy: "internal" },
  retention: { stored: "rn", schema: retentionSchema, seenBy: "internal" },
  /** The attribute contains seconds, because DynamoDB removes the item by it. */
  expiresAtMs: { stored: "ttl", schema: z.number(), seenBy: "internal" },
  endedAtMs: { stored: "en", schema: z.number(), when: "ended", seenBy: "readers" },
  result: { stored: "r", schema: valueLocationSchema, when: "ended", seenBy: "readers" },
  /** The redacted result, if it contains a secret that the job read. */
  redactedResult: { stored: "rs", schema: valueLocationSchema.optional(), when: "ended", seenBy: "readers" },
  /** The beginning of the result that people see, if this is not in the head. */
  resultPreview: { stored: "rp", schema: text, when: "ended", seenBy: "readers" },
  /** The job whose cached result this job uses. */
  cachedFrom: { stored: "cf", schema: text, when: "ended", seenBy: "readers" },
  /** Arguments, logs and result were erased on request. */
  erased: { stored: "er", schema: z.boolean(), when: "ended", seenBy: "readers" },
  /** The time at which they will be erased. */
  eraseAtMs: { stored: "ea", schema: count, when: "ended", seenBy: "internal" },
  /**
   * The reason for stopping the jobs that still run for an ended flow. Housekeeping removes it after it has verified that everything was stopped.
   */
  stopping: { stored: "sg", schema: z.object({ by: z.string(), reason: z.string() }).optional(), when: "ended", seenBy: "internal" },
  /** Outcome handlers may follow the end of the job, and a worker has not started them yet. */
  followUp: { stored: "fu", schema: mark, when: "ended", seenBy: "internal" },
  /** For the run of a schedule, until its handlers are started: the counts of consecutive ends, up to this run. */
  outcomeCount: {
    stored: "oc",
    schema: z
      .object({ failures: z.number(), successes: z.number(), failed: z.object({ job: z.string(), startedAtMs: z.number() }).optional() })
      .optional(),
    when: "ended",
    seenBy: "internal",
  },
} as const satisfies JobFields;

/** All fields of a job. Its schema, its item in the table, the indexes of the table and its JSON derive from them. */
export const jobFields = { ...identityFields, ...originFields, ...runFields, ...otherFields };
export type JobFieldName = keyof typeof jobFields;

const listSort = { name: "ls", type: "string" } as const;

/**
 * The indexes of the table, and the fields that their entries contain besides the keys. The order of the fields is that of the deployed table,
 * because CloudFormation cannot change the projection of an index (docs/decisions/0153-the-fields-of-a-job-are-listed-once.md).
 */
export const tableIndexes = {
  list: {
    partitionKey: { name: "lp", type: "string" },
    sortKey: listSort,
    fields: ["workspace", "path", "hash", "kind", "language", "createdBy", "parent", "root", "step", "tag", "trigger", "createdAtMs"],
  },
  path: { partitionKey: { name: "pp", type: "string" }, sortKey: listSort },
  /** Both attributes are those of the first release, so DynamoDB adds the stored jobs itself. */
  parent: { partitionKey: { name: jobFields.parent.stored, type: "string" }, sortKey: listSort },
  due: { partitionKey: { name: "dp", type: "string" }, sortKey: { name: "ds", type: "number" }, fields: ["workspace"] },
} as const satisfies Record<string, TableIndex>;
type IndexKey = { name: string; type: "string" | "number" };
export interface TableIndex {
  partitionKey: IndexKey;
  sortKey: IndexKey;
  fields?: readonly JobFieldName[];
}

type When<F> = F extends { when: infer W } ? W : "always";
type ShapeOf<W> = { [K in JobFieldName as When<(typeof jobFields)[K]> extends W ? K : never]: (typeof jobFields)[K]["schema"] };

/** Returns the schemas of the fields that exist in some state of a job. */
export function shapeOf<W extends "always" | NonNullable<JobField["when"]>>(when: W): ShapeOf<W> {
  const fields = Object.entries<JobField>(jobFields).filter(([, field]) => (field.when ?? "always") === when);
  return Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])) as ShapeOf<W>;
}

export type Value<F> = F extends { schema: infer S extends z.ZodType } ? z.output<S> : never;
type Shown<F> = F extends { show: (value: never) => infer R } ? R | Extract<Value<F>, undefined> : Value<F>;
type ShownFields<G> = { [K in keyof G as G[K] extends { json: infer N extends string } ? N : never]: Shown<G[K]> };

type ShownRow = { json: string; show?(value: unknown): unknown };

/** Returns a function that returns the fields of a group as the JSON of a job shows them. Absent fields are left out. */
export function createShow<G extends Readonly<Record<string, ShownRow>>>(group: G) {
  const rows = Object.entries<ShownRow>(group);
  return (job: { [K in keyof G]?: Value<G[K]> }) => {
    const shown: Record<string, unknown> = {};
    for (const [name, { json, show }] of rows) {
      const value = job[name];
      if (value !== undefined) shown[json] = show ? show(value) : value;
    }
    return shown as Defined<ShownFields<G>>;
  };
}
