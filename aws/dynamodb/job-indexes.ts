import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { QueryCommand, type QueryCommandInput, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { defined } from "../../contract/defined.ts";
import { jobFields, tableIndexes } from "../../core/jobs/record/fields.ts";
import { buildListKey, computeShard, type EndedJob, type EndState } from "../../core/jobs/record/job.ts";
import type { DueEntry, EntryPage, EntryQuery } from "../../ports/job-store.ts";
import { documents } from "../sdk/clients.ts";
import { jobsTable } from "./jobs-client.ts";

/** Names of attributes in the table. */
const listSort = tableIndexes.list.sortKey.name;
const due = { "#p": tableIndexes.due.partitionKey.name, "#s": tableIndexes.due.sortKey.name } as const;
const workspaceName = jobFields.workspace.stored;

/** The index of the table by which entries are found. Unsuccessful jobs are in the index of due jobs. */
const tableIndexOf = (index: EntryQuery["index"]) => (index === "ended" ? "due" : index);
/** The partition and sort value of unsuccessful jobs in the index `due`, which they enter when nothing is due any more. */
export const endedPartition = (workspace: string, shard: number, state: EndState) => `ended#${workspace}#${shard}#${state}`;
const createdAt = (sort: string) => Number.parseInt(sort, 10);

/** Builds the parameters of a query that does not read jobs. */
function buildQuery({ index, partition, from = "0", to = "9", where = [] }: EntryQuery): QueryCommandInput {
  const { partitionKey, sortKey } = tableIndexes[tableIndexOf(index)];
  const names: Record<string, string> = { "#p": partitionKey.name, "#s": sortKey.name };
  const values: Record<string, unknown> = { ":p": partition };
  [values[":from"], values[":to"]] = index === "ended" ? [createdAt(from), to === "9" ? 1e14 : createdAt(to)] : [from, to];
  const filters = where.map((condition, at) => {
    names[`#f${at}`] = jobFields[condition.field].stored;
    if ("exists" in condition) return condition.exists ? `attribute_exists(#f${at})` : `attribute_not_exists(#f${at})`;
    const prefixes = "startsWith" in condition ? [condition.startsWith] : condition.anyOf;
    const refs = prefixes.map((value, each) => {
      values[`:f${at}x${each}`] = value;
      return `:f${at}x${each}`;
    });
    if ("startsWith" in condition) return `begins_with(#f${at}, ${refs[0]})`;
    return refs.length === 1 ? `#f${at} = ${refs[0]}` : `#f${at} IN (${refs.join(", ")})`;
  });
  return {
    TableName: jobsTable.getName(),
    IndexName: tableIndexOf(index),
    KeyConditionExpression: "#p = :p AND #s BETWEEN :from AND :to",
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ...(filters.length === 0 ? {} : { FilterExpression: filters.join(" AND ") }),
  };
}

const sortOf = (index: EntryQuery["index"], found: Record<string, unknown>) =>
  index === "ended" ? buildListKey(Number(found[due["#s"]]), String(found["pk"])) : String(found[listSort]);

/** The fields that remove a job from the index `due`. A job that did not succeed enters the index of its state. */
export function indexEnded({ id, workspace, createdAtMs }: Pick<EndedJob, "id" | "workspace" | "createdAtMs">, state: EndState) {
  if (state === "succeeded") return undefined;
  return { duePartition: endedPartition(workspace, computeShard(id), state), dueAtMs: createdAtMs };
}

/** The indexes of the table `jobs`, by which lists find jobs. */
export const jobIndexes = {
  /** Reads one page of an index in one partition, newest first unless `ascending`. */
  async list(query: EntryQuery): Promise<EntryPage> {
    const { index, from = "0", to = "9", limit, ascending = false, after } = query;
    // DynamoDB rejects a range whose end precedes its start.
    if (from > to) return { entries: [], scanned: 0, after: undefined };
    const { Items, ScannedCount, LastEvaluatedKey } = await documents().send(
      new QueryCommand({
        ...buildQuery(query),
        Limit: limit,
        ScanIndexForward: ascending,
        ...(after ? { ExclusiveStartKey: after.key } : {}),
      }),
    );
    return {
      entries: (Items ?? []).map((found) => ({ id: String(found["pk"]), sort: sortOf(index, found) })),
      scanned: ScannedCount ?? 0,
      after: LastEvaluatedKey && { key: LastEvaluatedKey, sort: sortOf(index, LastEvaluatedKey) },
    };
  },

  /** Counts the entries of a partition, of at most `limit` that it compares. `complete` is false if there are more. */
  async count(query: EntryQuery): Promise<{ count: number; complete: boolean }> {
    let count = 0;
    let scanned = 0;
    let after: Record<string, unknown> | undefined;
    do {
      const page = await documents().send(
        new QueryCommand({
          ...buildQuery(query),
          Select: "COUNT",
          Limit: query.limit - scanned,
          ...defined({ ExclusiveStartKey: after }),
        }),
      );
      count += page.Count ?? 0;
      scanned += page.ScannedCount ?? 0;
      after = page.LastEvaluatedKey;
    } while (after && scanned < query.limit);
    return { count, complete: after === undefined };
  },

  /** Lists the jobs that are due at `untilMs` in one shard, earliest first. */
  async listDue(shard: number, untilMs: number, limit: number): Promise<DueEntry[]> {
    return (await jobIndexes.listDuePage(shard, untilMs, { limit })).entries;
  },

  /** Reads one page of the items that are due at `untilMs` in one shard, earliest first. `after` is absent after the last page. */
  async listDuePage(
    shard: number,
    untilMs: number,
    { limit, after }: { limit: number; after?: Record<string, unknown> | undefined },
  ): Promise<{ entries: DueEntry[]; after: Record<string, unknown> | undefined }> {
    const { Items, LastEvaluatedKey } = await documents().send(
      new QueryCommand({
        TableName: jobsTable.getName(),
        IndexName: "due",
        KeyConditionExpression: "#p = :p AND #s <= :until",
        ExpressionAttributeNames: due,
        ExpressionAttributeValues: { ":p": `due#${shard}`, ":until": untilMs },
        Limit: limit,
        ...defined({ ExclusiveStartKey: after }),
      }),
    );
    const entries = (Items ?? []).map((found) => ({
      id: String(found["pk"]),
      ref: String(found["sk"]),
      workspace: String(found[workspaceName]),
      dueAtMs: Number(found[due["#s"]]),
    }));
    return { entries, after: LastEvaluatedKey };
  },

  /** Moves an item in the index `due`, even if it cannot be read. Does nothing if it has moved or no longer exists. */
  async postpone({ id, ref, dueAtMs }: DueEntry, toMs: number): Promise<void> {
    try {
      await documents().send(
        new UpdateCommand({
          TableName: jobsTable.getName(),
          Key: { pk: id, sk: ref },
          UpdateExpression: "SET #s = :to",
          ConditionExpression: "#s = :from",
          ExpressionAttributeNames: { "#s": due["#s"] },
          ExpressionAttributeValues: { ":to": toMs, ":from": dueAtMs },
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  },

  /** Lists the ids of a workspace's jobs that are due at any time in one shard, until at least `most` are found. */
  async listDueOf(workspace: string, shard: number, most: number): Promise<string[]> {
    const ids: string[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const page = await documents().send(
        new QueryCommand({
          TableName: jobsTable.getName(),
          IndexName: "due",
          KeyConditionExpression: "#p = :p",
          ExpressionAttributeNames: { "#p": due["#p"], "#w": workspaceName },
          ExpressionAttributeValues: { ":p": `due#${shard}`, ":w": workspace },
          FilterExpression: "#w = :w",
          ...(after ? { ExclusiveStartKey: after } : { Limit: most }),
        }),
      );
      ids.push(...(page.Items ?? []).map((found) => String(found["pk"])));
      after = page.LastEvaluatedKey;
    } while (after && ids.length < most);
    return ids;
  },
};
