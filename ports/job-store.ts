import type { AttemptChange, Child, HeadChange, HeadCondition } from "../aws/dynamodb/job-items.ts";
import type { jobValues } from "../aws/dynamodb/job-values.ts";
import type { JobKind } from "../contract/job-kind.ts";
import type { EntryCondition } from "../core/jobs/lists/list-source.ts";
import type { Job } from "../core/jobs/record/job.ts";
import type { DataOwner } from "../core/jobs/record/retention.ts";
import type { PutRequest, TransactionPart } from "./object-store.ts";

/** An entry of an index: a job, and its position in lists. */
export interface ListEntry {
  id: string;
  sort: string;
}

/** An entry of the index `due`: a job, or a concurrency group. */
export interface DueEntry {
  id: string;
  /** The sort key of its item. */
  ref: string;
  workspace: string;
  dueAtMs: number;
}

/** The position after a page: what the index needs to continue, and the sort key of the last entry that was compared. */
export interface PageEnd {
  key: Record<string, unknown>;
  sort: string;
}

export interface EntryPage {
  entries: ListEntry[];
  /** The number of entries that were compared with the conditions. */
  scanned: number;
  /** Absent after the last page. */
  after: PageEnd | undefined;
}

export interface EntryQuery {
  index: "list" | "path" | "parent" | "ended";
  partition: string;
  /** Sort keys, both inclusive. */
  from?: string;
  to?: string;
  limit: number;
  ascending?: boolean;
  after?: PageEnd;
  /** For the index `list` only: the others contain only keys. */
  where?: readonly EntryCondition[];
}

/** The fields of a removed record that lead to the rest of its job. */
export interface RemovedJob extends DataOwner {
  kind: JobKind;
  /** For a restarted flow: the run whose results it used. */
  restartedFrom?: string | undefined;
}

/** The image of a head in a record of the table's stream. */
export type HeadImage = Record<string, { S?: string | undefined; M?: HeadImage | undefined }>;

/** The records of jobs. Reads are consistent. A record that cannot be read throws `UnreadableRecordError`. */
interface JobRecords {
  /** Creates a job. Returns false if its id exists. */
  create(job: Job, dueAtMs: number | undefined): Promise<boolean>;
  /** Reads a job. `expired` also returns an expired job, for a sweep. */
  get(id: string, options?: { expired?: boolean }): Promise<Job | undefined>;
  /** Reads jobs by id, each once, in the given order. Missing jobs are left out, and so are those that cannot be read, which are reported. */
  batchGet(ids: string[]): Promise<Job[]>;
  /** Reads child items of a job by their references, and the job unless `head` is false, with up to 100 items in one read. */
  getWith(id: string, refs: readonly string[], options?: { head?: boolean }): Promise<{ job: Job | undefined; items: Map<string, Child> }>;
  /** Changes a job if `condition` is true and returns the changed job, or `undefined` if it is false. */
  update(id: string, change: HeadChange, condition: HeadCondition): Promise<Job | undefined>;
  /** Changes a job as `update` does, and puts its new children in the same transaction, so that a reader who sees the change finds them. */
  updateWith(id: string, change: HeadChange, condition: HeadCondition, children: readonly Child[]): Promise<Job | undefined>;
  /** Removes a job that was never claimed. Returns false if it was claimed or is missing. */
  deleteUnclaimed(id: string): Promise<boolean>;
}

/** The child items of jobs: values that are too large for the record, chunks of output, gates, and jobs that wait for a build. */
interface JobChildren {
  /** Replaces a child. The last writer wins, so the content must follow from the reference. */
  putChild(child: Child): Promise<void>;
  /** Writes a child if it does not exist, or still has the version `after`. Returns false if the condition is false. */
  putChildIf(child: Child, after: number | "unversioned" | "absent"): Promise<boolean>;
  /** Writes several items of both tables in calls of at most 25, four at a time. The order is undefined, and a failure leaves a part written. */
  putWith(children: Child[], others: PutRequest[]): Promise<void>;
  /** Reads a child by a consistent read. */
  getChild(parent: string, ref: string): Promise<Child | undefined>;
  /** Reads the children whose references begin with `prefix` by a consistent read, in their order. */
  listChildren(parent: string, prefix: string, limit?: number): Promise<Child[]>;
  /** Deletes a child. A missing one is not an error. */
  deleteItem(parent: string, ref: string): Promise<void>;
}

/** Parts of a transaction (`ObjectStore.transactWrite`), each with its condition. They are computed without a request. */
interface JobWrites {
  /** An unconditional put for a batch, for a job that no other process can have written. */
  putRequest(job: Job): PutRequest;
  /** Returns the content of a `Put`. Default condition: the id does not exist. */
  createParams(job: Job, dueAtMs: number | undefined, condition?: HeadCondition): NonNullable<TransactionPart["Put"]>;
  removeParams(id: string, condition: HeadCondition): TransactionPart;
  claimParams(id: string, attempt: AttemptChange, condition: HeadCondition): TransactionPart;
  /** Like `update`, it replaces each field as a whole. */
  updateParams(id: string, change: HeadChange, condition: HeadCondition): TransactionPart;
  /** A condition on a job that is not changed. */
  checkParams(id: string, condition: HeadCondition): TransactionPart;
  /** Writes a child. `after`: the version that it replaces. Without an expectation the last writer wins. */
  putChildParams(child: Child, expect?: "absent" | { after: number }): TransactionPart;
  /** Deletes a child, which may be missing. */
  deleteParams(parent: string, ref: string): TransactionPart;
  /** Deletes a child, which must exist. */
  takeParams(parent: string, ref: string): TransactionPart;
}

/** The indexes by which lists and housekeeping find jobs. They are eventually consistent: the record decides. */
interface JobIndexes {
  /** Reads one page of an index in one partition, newest first unless `ascending`. */
  list(query: EntryQuery): Promise<EntryPage>;
  /** Counts the entries of a partition, of at most `limit` that it compares. `complete` is false if there are more. */
  count(query: EntryQuery): Promise<{ count: number; complete: boolean }>;
  /** Lists the jobs and concurrency groups that are due at `untilMs` (epoch ms) in one shard, earliest first. */
  listDue(shard: number, untilMs: number, limit: number): Promise<DueEntry[]>;
  /** Reads one page of the items that are due at `untilMs` in one shard, earliest first. `after` is absent after the last page. */
  listDuePage(
    shard: number,
    untilMs: number,
    page: { limit: number; after?: Record<string, unknown> | undefined },
  ): Promise<{ entries: DueEntry[]; after: Record<string, unknown> | undefined }>;
  /** Moves an item in the index `due`, also one that cannot be read. Does nothing if it has moved or is gone. */
  postpone(entry: DueEntry, toMs: number): Promise<void>;
  /** Lists the ids of a workspace's jobs that are due at any time in one shard, until at least `most` are found. */
  listDueOf(workspace: string, shard: number, most: number): Promise<string[]>;
}

/** The expiry of records. A restarted flow holds the record of the run whose results it uses. */
interface JobExpiry {
  /** Reads the job from the image of a removed record; `undefined` for another item. */
  parseRemoved(image: HeadImage): RemovedJob | undefined;
  /** Lets a record expire with that of the job `holder` (epoch ms) or later. Returns false if it has expired, or does not exist. Idempotent. */
  holdRecord(id: string, holder: string, untilMs: number): Promise<boolean>;
  /** Ends the hold of a job on a record. Idempotent. */
  releaseRecord(id: string, holder: string): Promise<void>;
  /**
   * Lets a record expire (epoch ms), so that DynamoDB removes it, which costs nothing. Returns the job's kind, or `undefined` if a restarted flow
   * holds the record, if it has expired before, if it does not exist, and if the job is no step but must be one.
   */
  expireRecord(id: string, atMs: number, mustBe?: "step"): Promise<{ id: string; kind: JobKind } | undefined>;
}

/**
 * The jobs: the table `jobs`. Every write of a record states its condition, and a false condition is a return value, not an error. A write of two
 * items is one transaction. Throws `write.collided` if a transaction collides with other writes in every attempt.
 */
export interface JobStore extends JobRecords, JobChildren, JobWrites, JobIndexes, JobExpiry, Readonly<typeof jobValues> {}
