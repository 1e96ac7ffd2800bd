import { randomBytes, randomUUID } from "node:crypto";
import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import {
  any,
  boolean,
  type Condition,
  DeleteItemCommand,
  Entity,
  GetItemCommand,
  item,
  number,
  PutItemCommand,
  PutTransaction,
  string,
} from "dynamodb-toolbox";
import { defined } from "../../contract/defined.ts";
import { limits } from "../../contract/limits.ts";
import { type Group, groupSchema, isEmptyGroup } from "../../core/jobs/concurrency.ts";
import { computeShard } from "../../core/jobs/record/job.ts";
import type { ConcurrencyStore, FoundGroup } from "../../ports/concurrency-store.ts";
import { documents } from "../sdk/clients.ts";
import { jobsTable as table } from "./jobs-client.ts";
import { executeWrite } from "./write-conflict.ts";

const GroupEntity = new Entity({
  name: "group",
  table,
  entityAttribute: false,
  timestamps: false,
  schema: item({
    id: string().key().savedAs("pk"),
    sk: string().key().default("group"),
    workspace: string().savedAs("ws"),
    /** Changes with each write. A writer must name the version that it has read. */
    version: string().savedAs("m"),
    slots: any().savedAs("sl"),
    waiting: boolean().savedAs("w"),
    timerMs: number().savedAs("t").optional(),
    duePartition: string().savedAs("dp").optional(),
    dueAtMs: number().savedAs("ds").optional(),
    expiresAtS: number().savedAs("ttl"),
  }),
});

type Part = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

const as = ({ version }: FoundGroup) => ({
  condition: (version === undefined ? { attr: "id", exists: false } : { attr: "version", eq: version }) as Condition<typeof GroupEntity>,
});

function itemOf({ id, workspace }: FoundGroup, group: Group) {
  const { slots, waiting, timerMs, dueAtMs } = group;
  return {
    id,
    workspace,
    version: randomBytes(9).toString("base64"),
    slots,
    waiting,
    ...defined({ timerMs }),
    ...(dueAtMs === undefined ? {} : { dueAtMs, duePartition: `due#${computeShard(id)}` }),
    // Each start and end writes the item, so an item of this age has no slot that counts.
    expiresAtS: Math.ceil((Date.now() + limits.concurrencyWindowS * 1000 + limits.jobRetentionMs) / 1000),
  };
}

/** Concurrency groups. Each write is conditional on the version that was read. It returns false if another writer was first. */
export const concurrencyTable = {
  async get(id: string, workspace: string): Promise<FoundGroup> {
    const { Item } = await GroupEntity.build(GetItemCommand).key({ id }).options({ consistent: true }).send();
    if (!Item) return { id, workspace, group: { slots: [], waiting: false } };
    return { id, workspace: Item.workspace, version: Item.version, group: groupSchema.parse(Item) };
  },

  /** Replaces a group. An empty group is deleted. Returns false if another writer was first. */
  async replace(found: FoundGroup, group: Group): Promise<boolean> {
    if (isEmptyGroup(group) && found.version === undefined) return true;
    const send = isEmptyGroup(group)
      ? () => GroupEntity.build(DeleteItemCommand).key({ id: found.id, sk: "group" }).options(as(found)).send()
      : () => GroupEntity.build(PutItemCommand).item(itemOf(found, group)).options(as(found)).send();
    return (await executeWrite(send)) === undefined;
  },

  /** Replaces a group together with other writes to the table, all or nothing. Returns false if a condition is false. */
  async replaceWith(found: FoundGroup, group: Group, parts: Part[]): Promise<boolean> {
    const groupWrite = GroupEntity.build(PutTransaction).item(itemOf(found, group)).options(as(found)).params() as Part;
    // All attempts share one token, so that an attempt whose success was not received does not fail because of the writes that it has made.
    const request = { TransactItems: [groupWrite, ...parts], ClientRequestToken: randomUUID() };
    return (await executeWrite(() => documents().send(new TransactWriteCommand(request)))) === undefined;
  },
} satisfies ConcurrencyStore;
