import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import {
  $add,
  $get,
  $remove,
  $set,
  any,
  BatchGetCommand,
  BatchGetRequest,
  BatchPutRequest,
  boolean,
  type Condition,
  ConditionCheck,
  DeleteItemCommand,
  DeleteTransaction,
  Entity,
  type FormattedItem,
  GetItemCommand,
  isExtension,
  item,
  number,
  PutItemCommand,
  PutTransaction,
  QueryCommand,
  string,
  UpdateAttributesCommand,
  type UpdateAttributesInput,
  UpdateTransaction,
} from "dynamodb-toolbox";
import {
  buildListKey,
  computeShard,
  type EndedJob,
  type EndState,
  hasEnded,
  type Job,
  jobSchema,
  type RunningJob,
} from "../../core/jobs/job.ts";
import { parseReadable, UnreadableRecordError } from "../../core/records/record-format.ts";
import { getBatch, type PutRequest, putBatch } from "./batch.ts";
import { jobExpiry } from "./job-expiry.ts";
import { indexEnded, jobIndexes } from "./job-indexes.ts";
import { jobsTable as table } from "./jobs-client.ts";
import { executeWrite } from "./write-conflict.ts";

/**
 * The head item. DynamoDB bills an update by the size of the whole item, names of attributes included, which must stay under 1 KB. That is why stored names
 * are short. This entity maps them, so that the names are spelled out everywhere else.
 */
const HeadEntity = new Entity({
  name: "job",
  table,
  entityAttribute: false,
  timestamps: false,
  schema: item({
    id: string().key().savedAs("pk"),
    sk: string().key().default("job"),
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
type HeadItem = FormattedItem<typeof HeadEntity>;
export type HeadChange = Omit<UpdateAttributesInput<typeof HeadEntity>, "id" | "sk">;
/** The fields that claiming a job changes. */
type AttemptChange = Pick<RunningJob, "state" | "nonce" | "leaseUntilMs" | "startedAtMs" | "worker" | "attempt">;
type HeadCondition = Condition<typeof HeadEntity>;

/** Values too large for the head, chunks of output, and jobs that wait for a build: children of a job or of a version. */
const ChildEntity = new Entity({
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

/** Throws `UnreadableRecordError`. */
function toJob(head: HeadItem): Job {
  const { expiresAtS, ...fields } = head;
  const erased = head.endedAtMs === undefined ? {} : { erased: head.erased ?? false };
  const job = jobSchema.safeParse({ ...fields, ...erased, expiresAtMs: expiresAtS * 1000 });
  if (!job.success) throw new UnreadableRecordError({ parent: head.id, ref: head.sk }, { cause: job.error });
  return job.data;
}

/** DynamoDB removes expired items late, so they are ignored. */
const isLive = ({ expiresAtS }: HeadItem) => expiresAtS * 1000 > Date.now();

/** The fields by which housekeeping finds a job that is due. */
const dueAt = (id: string, atMs: number) => ({ duePartition: `due#${computeShard(id)}`, dueAtMs: atMs });

function toHead(job: Job, dueAtMs: number | undefined) {
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

/** The table `jobs`. Every write states its condition. A failed condition is a return value, not an error. */
export const jobTable = {
  /** Creates a job. Returns false if its id exists. */
  async create(job: Job, dueAtMs: number | undefined): Promise<boolean> {
    return conditional(() =>
      HeadEntity.build(PutItemCommand)
        .item(toHead(job, dueAtMs))
        .options({ condition: { attr: "id", exists: false } })
        .send(),
    );
  },

  /** An unconditional put of a head, for a job that no other process can have written. */
  putRequest(job: Job): PutRequest {
    return { table: table.getName(), request: HeadEntity.build(BatchPutRequest).item(toHead(job, undefined)).params() };
  },

  /** The same put as one part of a transaction. */
  createParams(job: Job, dueAtMs: number | undefined, condition: HeadCondition = { attr: "id", exists: false }) {
    return HeadEntity.build(PutItemCommand).item(toHead(job, dueAtMs)).options({ condition }).params();
  },
  /** A removal as one part of a transaction. */
  removeParams: (id: string, condition: HeadCondition) =>
    HeadEntity.build(DeleteTransaction).key({ id, sk: "job" }).options({ condition }).params(),
  /** The condition that a claimer has not made the first claim of a job yet. */
  isUnclaimed: {
    and: [
      { attr: "state", eq: "queued" },
      { attr: "claimer", exists: true },
    ],
  } as HeadCondition,

  /** Reads a job. `expired` also returns an expired job, for a sweep. */
  async get(id: string, { expired = false } = {}): Promise<Job | undefined> {
    const { Item } = await HeadEntity.build(GetItemCommand).key({ id }).options({ consistent: true }).send();
    return Item && (expired || isLive(Item)) ? toJob(Item) : undefined;
  },

  /** Reads heads by id, each once, in the given order. Missing heads are left out, and so are heads that cannot be read, which are reported. */
  async batchGet(ids: string[]): Promise<Job[]> {
    const found = new Map<string, Job>();
    // DynamoDB rejects duplicate keys.
    const once = [...new Set(ids)];
    for (let start = 0; start < once.length; start += 100) {
      const requests = once.slice(start, start + 100).map((id) => HeadEntity.build(BatchGetRequest).key({ id, sk: "job" }));
      const read = await getBatch(
        table
          .build(BatchGetCommand)
          .requests(...requests)
          .options({ consistent: true }),
      );
      const heads = (read as (HeadItem | undefined)[]).filter((head) => head !== undefined);
      const records = heads.filter(isLive).map((head) => ({ parent: head.id, ref: head.sk, head }));
      for (const [{ parent }, job] of parseReadable(records, ({ head }) => toJob(head))) found.set(parent, job);
    }
    return once.flatMap((id) => found.get(id) ?? []);
  },

  /** Reads child items of a job by their references, and its head unless `head` is false, with up to 100 items in one read. */
  async getWith(id: string, refs: readonly string[], { head = true } = {}): Promise<{ job: Job | undefined; items: Map<string, Child> }> {
    let job: Job | undefined;
    const items = new Map<string, Child>();
    const once = [...new Set(refs)];
    for (let start = 0; start === 0 || start <= once.length; start += 99) {
      const requests = [
        ...(start === 0 && head ? [HeadEntity.build(BatchGetRequest).key({ id, sk: "job" })] : []),
        ...once.slice(start, start + 99).map((ref) => ChildEntity.build(BatchGetRequest).key({ parent: id, ref })),
      ];
      if (requests.length === 0) break;
      const read = await getBatch(
        table
          .build(BatchGetCommand)
          .requests(...requests)
          .options({ consistent: true }),
      );
      for (const found of read as (HeadItem | Child | undefined)[]) {
        if (!found) continue;
        if ("ref" in found) items.set(found.ref, found);
        else if (isLive(found)) job = toJob(found);
      }
    }
    return { job, items };
  },

  /** Changes the head if `condition` is true and returns the changed job, or `undefined` if it is false. */
  async update(id: string, change: HeadChange, condition: HeadCondition): Promise<Job | undefined> {
    try {
      const { Attributes } = await HeadEntity.build(UpdateAttributesCommand)
        .item({ id, ...change })
        .options({ condition, returnValues: "ALL_NEW" })
        .send();
      return Attributes ? toJob(Attributes as HeadItem) : undefined;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  },

  /** Sets `secretsAtMs` unless it is already set. */
  firstSecretsAt: (atMs: number) => $get("secretsAtMs", atMs),
  /** A claim as one part of a transaction. */
  claimParams(id: string, attempt: AttemptChange, condition: HeadCondition) {
    return HeadEntity.build(UpdateTransaction)
      .item({ id, ...attempt })
      .options({ condition })
      .params();
  },

  /** A change as one part of a transaction. Like `update`, it replaces each field as a whole. */
  updateParams(id: string, change: HeadChange, condition: HeadCondition) {
    const replaced = Object.entries(change).map(([name, value]) => [
      name,
      typeof value === "object" && !isExtension(value) ? $set(value) : value,
    ]);
    return HeadEntity.build(UpdateTransaction)
      .item({ id, ...(Object.fromEntries(replaced) as HeadChange) })
      .options({ condition })
      .params();
  },
  /** A condition on a head that is not changed, as one part of a transaction. */
  checkParams(id: string, condition: HeadCondition) {
    return HeadEntity.build(ConditionCheck).key({ id, sk: "job" }).condition(condition).params();
  },

  /** Values that increment or decrement a counter. */
  oneMore: $add(1),
  oneLess: $add(-1),

  /** A value that removes an attribute. */
  removed: $remove(),
  dueAt,

  /** The fields that are removed when a job ends. */
  cleared: { nonce: $remove(), leaseUntilMs: $remove(), watchedUntilMs: $remove() },
  /** The change of a job that has ended in a state and for which nothing is due. */
  noLongerDue: (job: Pick<EndedJob, "id" | "workspace" | "createdAtMs">, state: EndState) =>
    indexEnded(job, state) ?? { duePartition: $remove(), dueAtMs: $remove() },

  async putChild(child: Child): Promise<void> {
    await ChildEntity.build(PutItemCommand).item(child).send();
  },
  /** Writes a child item if it does not exist, or still has the version `after`. Returns false if the condition is false. */
  async putChildIf(child: Child, after: number | "unversioned" | "absent"): Promise<boolean> {
    const unversioned = { attr: "version", exists: false } as const;
    const condition: Condition<typeof ChildEntity> =
      after === "absent"
        ? { attr: "parent", exists: false }
        : after === "unversioned"
          ? { and: [{ attr: "parent", exists: true }, unversioned] }
          : { attr: "version", eq: after };
    const refused = await executeWrite(() => ChildEntity.build(PutItemCommand).item(child).options({ condition }).send());
    return refused === undefined;
  },
  /** Writes a child item as one part of a transaction. `after`: the version that it replaces. */
  putChildParams(child: Child, expect?: "absent" | { after: number }) {
    if (expect === undefined) return ChildEntity.build(PutTransaction).item(child).params();
    const condition = expect === "absent" ? ({ attr: "parent", exists: false } as const) : ({ attr: "version", eq: expect.after } as const);
    return ChildEntity.build(PutTransaction).item(child).options({ condition }).params();
  },
  /** Writes several items of both tables in calls of at most 25, four at a time. The order is undefined. */
  async putWith(children: Child[], others: PutRequest[]): Promise<void> {
    const own = children.map((child) => ChildEntity.build(BatchPutRequest).item(child).params());
    const all = [...own.map((request) => ({ table: table.getName(), request })), ...others];
    for (let start = 0; start < all.length; start += 100) {
      const parts = [0, 25, 50, 75].map((offset) => all.slice(start + offset, start + offset + 25));
      await Promise.all(parts.filter((part) => part.length > 0).map(putBatch));
    }
  },
  async getChild(parent: string, ref: string): Promise<Child | undefined> {
    const { Item } = await ChildEntity.build(GetItemCommand).key({ parent, ref }).options({ consistent: true }).send();
    return Item;
  },
  async listChildren(parent: string, prefix: string, limit?: number): Promise<Child[]> {
    const { Items } = await table
      .build(QueryCommand)
      // An empty prefix is not a valid range.
      .query({ partition: parent, ...(prefix ? { range: { beginsWith: prefix } } : {}) })
      .entities(ChildEntity)
      .options({ consistent: true, entityAttrFilter: false, ...(limit ? { limit } : { maxPages: Number.POSITIVE_INFINITY }) })
      .send();
    return Items ?? [];
  },
  async deleteItem(parent: string, ref: string): Promise<void> {
    await ChildEntity.build(DeleteItemCommand).key({ parent, ref }).send();
  },
  deleteParams(parent: string, ref: string) {
    return ChildEntity.build(DeleteTransaction).key({ parent, ref }).params();
  },
  /** Deletes an item that must exist, as one part of a transaction. */
  takeParams(parent: string, ref: string) {
    return ChildEntity.build(DeleteTransaction)
      .key({ parent, ref })
      .options({ condition: { attr: "parent", exists: true } })
      .params();
  },

  /** Removes a job that was never claimed. Returns false if it was claimed. */
  async deleteUnclaimed(id: string): Promise<boolean> {
    const condition: HeadCondition = {
      and: [
        { attr: "state", eq: "queued" },
        { attr: "attempt", eq: 0 },
      ],
    };
    return conditional(() => HeadEntity.build(DeleteItemCommand).key({ id, sk: "job" }).options({ condition }).send());
  },

  ...jobIndexes,
  ...jobExpiry,
};
export type JobTable = typeof jobTable;

async function conditional(send: () => Promise<unknown>): Promise<boolean> {
  try {
    await send();
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
