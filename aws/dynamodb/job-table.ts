import { randomUUID } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import {
  $set,
  BatchPutRequest,
  type Condition,
  ConditionCheck,
  DeleteItemCommand,
  DeleteTransaction,
  isExtension,
  PutItemCommand,
  PutTransaction,
  QueryCommand,
  UpdateAttributesCommand,
  UpdateTransaction,
} from "dynamodb-toolbox";
import type { Job } from "../../core/jobs/record/job.ts";
import { parseReadable } from "../../core/records/record-format.ts";
import type { JobStore } from "../../ports/job-store.ts";
import type { PutRequest } from "../../ports/object-store.ts";
import { documents } from "../sdk/clients.ts";
import { getBatch, getItem, putBatch } from "./batch.ts";
import { jobExpiry } from "./job-expiry.ts";
import { jobIndexes } from "./job-indexes.ts";
import {
  type AttemptChange,
  type Child,
  ChildEntity,
  type HeadChange,
  type HeadCondition,
  HeadEntity,
  headKeyOf,
  isLive,
  toChild,
  toHead,
  toHeadItem,
  toJob,
} from "./job-items.ts";
import { jobValues } from "./job-values.ts";
import { jobsTable as table } from "./jobs-client.ts";
import { executeWrite } from "./write-conflict.ts";

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

  /** Reads a job. `expired` also returns an expired job, for a sweep. */
  async get(id: string, { expired = false } = {}): Promise<Job | undefined> {
    const stored = await getItem(table, headKeyOf(id));
    const head = stored && toHeadItem(stored);
    return head && (expired || isLive(head)) ? toJob(head) : undefined;
  },

  /** Reads heads by id, each once, in the given order. Missing heads are left out, and so are heads that cannot be read, which are reported. */
  async batchGet(ids: string[]): Promise<Job[]> {
    const found = new Map<string, Job>();
    // DynamoDB rejects duplicate keys.
    const once = [...new Set(ids)];
    const heads = (await getBatch(table, once.map(headKeyOf))).map(toHeadItem);
    const records = heads.filter(isLive).map((head) => ({ parent: head.id, ref: head.sk, head }));
    for (const [{ parent }, job] of parseReadable(records, ({ head }) => toJob(head))) found.set(parent, job);
    return once.flatMap((id) => found.get(id) ?? []);
  },

  /** Reads child items of a job by their references, and its head unless `head` is false, with up to 100 items in one read. */
  async getWith(id: string, refs: readonly string[], { head = true } = {}): Promise<{ job: Job | undefined; items: Map<string, Child> }> {
    const headKey = headKeyOf(id);
    const once = [...new Set(refs)];
    const keys = [...(head ? [headKey] : []), ...once.map((ref) => ({ pk: id, sk: ref }))];
    const stored = new Map((await getBatch(table, keys)).map((item) => [item["sk"], item]));
    const found = head ? stored.get(headKey.sk) : undefined;
    const headItem = found && toHeadItem(found);
    const job = headItem && isLive(headItem) ? toJob(headItem) : undefined;
    // In the order of the references: DynamoDB returns items in any order.
    const items = new Map<string, Child>();
    for (const ref of once) {
      const child = stored.get(ref);
      if (child) items.set(ref, toChild(child));
    }
    return { job, items };
  },

  /** Changes the head if `condition` is true and returns the changed job, or `undefined` if it is false. */
  async update(id: string, change: HeadChange, condition: HeadCondition): Promise<Job | undefined> {
    try {
      const update = HeadEntity.build(UpdateAttributesCommand)
        .item({ id, ...change })
        .options({ condition, returnValues: "ALL_NEW" })
        .params();
      const { Attributes } = await documents().send(new UpdateCommand(update));
      return Attributes && toJob(toHeadItem(Attributes));
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  },

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
  /** Changes a head as `update` does, and puts its new children with it, so that a reader who sees the change finds them. */
  async updateWith(id: string, change: HeadChange, condition: HeadCondition, children: readonly Child[]): Promise<Job | undefined> {
    if (children.length === 0) return this.update(id, change, condition);
    const TransactItems = [this.updateParams(id, change, condition), ...children.map((child) => this.putChildParams(child))];
    // All attempts share one token, so that an attempt whose success was not received does not fail because of the writes that it has made.
    const ClientRequestToken = randomUUID();
    const refused = await executeWrite(() => documents().send(new TransactWriteCommand({ TransactItems, ClientRequestToken })));
    return refused === undefined ? this.get(id) : undefined;
  },
  /** A condition on a head that is not changed, as one part of a transaction. */
  checkParams(id: string, condition: HeadCondition) {
    return HeadEntity.build(ConditionCheck).key({ id, sk: "job" }).condition(condition).params();
  },

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
    const childWrites = children.map((child) => ChildEntity.build(BatchPutRequest).item(child).params());
    const all = [...childWrites.map((request) => ({ table: table.getName(), request })), ...others];
    for (let start = 0; start < all.length; start += 100) {
      const parts = [0, 25, 50, 75].map((offset) => all.slice(start + offset, start + offset + 25));
      await Promise.all(parts.filter((part) => part.length > 0).map(putBatch));
    }
  },
  async getChild(parent: string, ref: string): Promise<Child | undefined> {
    const stored = await getItem(table, { pk: parent, sk: ref });
    return stored && toChild(stored);
  },
  async listChildren(parent: string, prefix: string, limit?: number): Promise<Child[]> {
    const { Items } = await table
      .build(QueryCommand)
      // An empty prefix is not a valid range.
      .query({ partition: parent, ...(prefix ? { range: { beginsWith: prefix } } : {}) })
      .options({ consistent: true, ...(limit ? { limit } : { maxPages: Number.POSITIVE_INFINITY }) })
      .send();
    return (Items ?? []).map(toChild);
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

  ...jobValues,
  ...jobIndexes,
  ...jobExpiry,
} satisfies JobStore;

async function conditional(send: () => Promise<unknown>): Promise<boolean> {
  try {
    await send();
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
