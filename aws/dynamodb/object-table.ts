import { randomUUID } from "node:crypto";
import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import {
  $set,
  any,
  BatchPutRequest,
  type Condition,
  ConditionCheck,
  DeleteItemCommand,
  DeleteTransaction,
  Entity,
  item,
  number,
  PutItemCommand,
  PutTransaction,
  QueryCommand,
  string,
  Table,
  UpdateAttributesCommand,
  UpdateTransaction,
} from "dynamodb-toolbox";
import { defined, mapDefined } from "../../contract/defined.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { assertNever } from "../../contract/utilities/assert-never.ts";
import type { Expectation, ObjectChange, ObjectKey, ObjectWrite, StoredObject } from "../../core/objects/write.ts";
import type { ObjectStore, PutRequest } from "../../ports/object-store.ts";
import { documents } from "../sdk/clients.ts";
import { getBatch, getItem } from "./batch.ts";
import { nameAttributes, type StoredItem } from "./stored-names.ts";
import { executeWrite } from "./write-conflict.ts";

const table = new Table({
  documentClient: documents(),
  name: () => requireEnv(env.objectsTable),
  partitionKey: { name: "pk", type: "string" },
  sortKey: { name: "sk", type: "string" },
});

/**
 * The shape of every stored object: its key, its value, which is validated by its schema when it is read, the fields that conditions
 * compare, and its expiry. `core/stored-objects.ts` lists all kinds.
 */
const ObjectEntity = new Entity({
  name: "object",
  table,
  entityAttribute: false,
  timestamps: false,
  schema: item({
    pk: string().key(),
    sk: string().key(),
    value: any().savedAs("v").optional(),
    /** The version that the next writer must name, for example the newest hash of a script. */
    version: string().savedAs("m").optional(),
    /** Set once by the first writer: the child of a script version. */
    next: string().savedAs("x").optional(),
    /** The build state of a version, separate from the value, so that neither writer overwrites the other field. */
    build: any().savedAs("b").optional(),
    /** The author of the version. */
    changed: any().savedAs("c").optional(),
    expiresAtS: number().savedAs("ttl").optional(),
    /** The version of the value's format. Absent: the first one. */
    format: number().savedAs("f").optional(),
  }),
});
const toObject = nameAttributes(ObjectEntity) as (stored: StoredItem) => StoredObject;
/** Callers may pass a complete object. */
const toKey = ({ pk, sk }: ObjectKey) => ({ pk, sk });
type Write = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

function conditionOf(expect: Expectation): Condition<typeof ObjectEntity> {
  const present = { attr: "pk", exists: true } as const;
  if (typeof expect === "object") {
    if ("version" in expect) return { attr: "version", eq: expect.version };
    return {
      or: [
        { attr: "pk", exists: false },
        { attr: "expiresAtS", lte: expect.absentOrExpiredAtS },
      ],
    };
  }
  switch (expect) {
    case "absent":
      return { attr: "pk", exists: false };
    case "present":
      return present;
    case "childless":
      return { and: [present, { attr: "next", exists: false }] };
    case "unversioned":
      return { and: [present, { attr: "version", exists: false }] };
    default:
      return assertNever(expect);
  }
}
const under = (expect: Expectation | undefined) => (expect === undefined ? {} : { condition: conditionOf(expect) });

function paramsOf(part: ObjectWrite): Write {
  switch (part.op) {
    case "put":
      return ObjectEntity.build(PutTransaction).item(part.object).options(under(part.expect)).params();
    case "update": {
      const { pk, sk, next, version, ...whole } = part.change;
      const replaced = Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, $set(value)]));
      const item = { pk, sk, ...defined({ next, version }), ...replaced };
      return ObjectEntity.build(UpdateTransaction).item(item).options(under(part.expect)).params();
    }
    case "remove":
      return ObjectEntity.build(DeleteTransaction).key(part.key).options(under(part.expect)).params();
    case "check":
      return ObjectEntity.build(ConditionCheck).key(part.key).condition(conditionOf(part.expect)).params();
    default:
      return assertNever(part);
  }
}

/** DynamoDB rejects reads of keys that no item can have. Callers choose parts of keys, such as paths, so such an object is absent. */
const isPossibleKey = ({ pk, sk }: ObjectKey) =>
  pk !== "" && sk !== "" && Buffer.byteLength(pk) <= PARTITION_KEY_BYTES && Buffer.byteLength(sk) <= SORT_KEY_BYTES;
const PARTITION_KEY_BYTES = 2048;
const SORT_KEY_BYTES = 1024;

/** Reads one page of a partition. `last` is the sort key of its last item, unless the partition ends with it. */
async function readPage(
  query: { partition: string; range?: { lt: string } | { gt: string } },
  options: { reverse?: boolean; limit?: number },
): Promise<{ objects: StoredObject[]; last: string | undefined }> {
  const { Items, LastEvaluatedKey } = await table
    .build(QueryCommand)
    .query(query)
    .options({ consistent: true, ...options })
    .send();
  const last: unknown = LastEvaluatedKey?.["sk"];
  return {
    objects: (Items ?? []).map(toObject).filter((object) => !expired(object)),
    last: typeof last === "string" ? last : undefined,
  };
}

/** The table `objects`, which stores everything except jobs. A write that collides with others in every attempt throws `write.collided`. */
export const objectTable = {
  async get(key: ObjectKey, { consistent = true } = {}): Promise<StoredObject | undefined> {
    if (!isPossibleKey(key)) return undefined;
    const stored = await getItem(table, toKey(key), { consistent });
    const object = stored && toObject(stored);
    return object && !expired(object) ? object : undefined;
  },

  /** Reads several items in one call and returns them in the given order. */
  async batchGet(keys: ObjectKey[], { consistent = false } = {}): Promise<(StoredObject | undefined)[]> {
    const found = new Map<string, StoredObject>();
    // DynamoDB refuses duplicate keys.
    const once = [...new Map(keys.map((key) => [`${key.pk}\n${key.sk}`, key])).values()].filter(isPossibleKey);
    for (const object of (await getBatch(table, once.map(toKey), { consistent })).map(toObject)) {
      if (!expired(object)) found.set(`${object.pk}\n${object.sk}`, object);
    }
    return keys.map(({ pk, sk }) => found.get(`${pk}\n${sk}`));
  },

  async list(
    pk: string,
    {
      beginsWith = "",
      between,
      newestFirst = false,
      limit = Number.POSITIVE_INFINITY,
    }: { beginsWith?: string; between?: [string, string]; newestFirst?: boolean; limit?: number } = {},
  ): Promise<StoredObject[]> {
    // DynamoDB refuses a range that ends before it begins.
    if (between && between[0] > between[1]) return [];
    const { Items } = await table
      .build(QueryCommand)
      .query({ partition: pk, ...(between ? { range: { between } } : beginsWith ? { range: { beginsWith } } : {}) })
      .options({
        consistent: true,
        reverse: newestFirst,
        ...(Number.isFinite(limit) ? { limit } : { maxPages: Number.POSITIVE_INFINITY }),
      })
      .send();
    return (Items ?? []).map(toObject).filter((object) => !expired(object));
  },

  /**
   * Reads up to `limit` items of a partition, backwards by sort key from `before`. Returns the `before` of the next page unless this is the
   * last one. A page may be short, because expired items are left out.
   */
  async listPage(
    pk: string,
    { before, limit }: { before: string | undefined; limit: number },
  ): Promise<{ objects: StoredObject[]; before?: string }> {
    const { objects, last } = await readPage(
      { partition: pk, ...defined({ range: mapDefined(before, (lt) => ({ lt })) }) },
      { reverse: true, limit },
    );
    return { objects, ...defined({ before: last }) };
  },

  /** Reads up to `limit` items of a partition, or 1 MB, by sort key from `after`. Returns the `after` of the next read unless this is the last one. */
  async listAfter(
    pk: string,
    { after, limit }: { after: string | undefined; limit?: number | undefined },
  ): Promise<{ objects: StoredObject[]; after?: string }> {
    const { objects, last } = await readPage(
      { partition: pk, ...defined({ range: mapDefined(after, (gt) => ({ gt })) }) },
      defined({ limit }),
    );
    return { objects, ...defined({ after: last }) };
  },

  /** An unconditional put, for a batch together with another table (`jobTable.putWith`). */
  putRequest(object: StoredObject): PutRequest {
    return { table: table.getName(), request: ObjectEntity.build(BatchPutRequest).item(object).params() };
  },

  /** Writes an object. Returns false if the condition is false. */
  async put(object: StoredObject, expect?: Expectation): Promise<boolean> {
    return holds(() => ObjectEntity.build(PutItemCommand).item(object).options(under(expect)).send());
  },
  async update(change: ObjectChange, expect?: Expectation): Promise<boolean> {
    return holds(() => ObjectEntity.build(UpdateAttributesCommand).item(change).options(under(expect)).send());
  },
  /** Deletes an object. Nothing is deleted if the condition is false. */
  async deleteItem(key: ObjectKey, expect?: Expectation): Promise<void> {
    await executeWrite(() => ObjectEntity.build(DeleteItemCommand).key(toKey(key)).options(under(expect)).send());
  },

  /**
   * Executes a transaction; `raw` is a part for another table. Returns the index of the first part whose condition is false, or `undefined`
   * if everything was written.
   */
  async transactWrite(parts: (ObjectWrite | { raw: Write })[]): Promise<number | undefined> {
    const TransactItems = parts.map((part) => ("raw" in part ? part.raw : paramsOf(part)));
    // All attempts share one token, so that an attempt whose success was not received does not fail because of the writes that it has made.
    const ClientRequestToken = randomUUID();
    return executeWrite(() => documents().send(new TransactWriteCommand({ TransactItems, ClientRequestToken })));
  },
} satisfies ObjectStore;

/** TTL deletes late, and the local engine never deletes, so expired items are ignored. */
function expired(object: StoredObject): boolean {
  return object.expiresAtS !== undefined && object.expiresAtS * 1000 <= Date.now();
}

async function holds(send: () => Promise<unknown>): Promise<boolean> {
  return (await executeWrite(send)) === undefined;
}
