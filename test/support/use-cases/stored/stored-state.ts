import { type AttributeValue, PutItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { EncryptCommand, KMSClient } from "@aws-sdk/client-kms";
import { documents } from "../../../../aws/sdk/clients.ts";
import { INSTANCE } from "../../../../contract/common.ts";
import { env, requireEnv } from "../../../../contract/env.ts";
import type { Definition } from "../../../../statemachines/asl.ts";
import type { Position } from "../aws/state-machine.ts";
import type { World } from "../world.ts";

type Item = Record<string, AttributeValue>;

/** The stored state of a release: the items of both tables and files. */
export interface StoredTables {
  /** The time of the recording. */
  atMs: number;
  workspace: string;
  jobs: Item[];
  objects: Item[];
  files: Record<string, string>;
  /** Data keys in plain text, which KMS keeps wrapped: the key of one engine cannot unwrap those of another one. */
  dataKeys?: StoredDataKey[];
}

/** A data key, wrapped as it is in the table, and in plain text (both base64). */
interface StoredDataKey {
  purpose: Purpose;
  /** The owner of the key. Release 0.2 stored only keys of its workspace. */
  workspace?: string;
  wrapped: string;
  plain: string;
}

/** Flows in the middle of their work, with the positions of their executions, which Step Functions stores. */
export interface StoredState extends StoredTables {
  executions: {
    loop: { job: string; definition: Definition; position: Position };
    approval: { job: string; definition: Definition; next: string };
  };
  queued: string;
  scheduled: string;
  scheduledForMs: number;
}

/** Reads all items of the world's tables. */
export async function readTables(): Promise<Pick<StoredState, "jobs" | "objects">> {
  const scan = async (name: string) => ((await documents().send(new ScanCommand({ TableName: requireEnv(name) }))).Items ?? []) as Item[];
  return { jobs: await scan(env.jobsTable), objects: await scan(env.objectsTable) };
}

/** The partitions that contain wrapped keys, and what the keys are for. */
const KEY_PARTITIONS = {
  RING: "secrets",
  IDTOKENKEY: "secrets",
  LOGINKEY: "secrets",
  LINKS: "links",
  WEBHOOKS: "webhooks",
  ACCOUNTKEY: "accounts",
  ROUTEKEY: "routes",
  CHATKEY: "chats",
} as const;
type Purpose = (typeof KEY_PARTITIONS)[keyof typeof KEY_PARTITIONS];

/** Unwraps the data keys among items of the objects table. */
export async function unwrapDataKeys({ deps }: World, objects: Item[]): Promise<StoredDataKey[]> {
  const unwrap = {
    secrets: deps.dataKeys,
    links: deps.linkKeys,
    webhooks: deps.webhookKeys,
    accounts: deps.accountKeys,
    routes: deps.httpRouteKeys,
    chats: deps.chatKeys,
  };
  const found: StoredDataKey[] = [];
  for (const item of objects) {
    const [kind = "", workspace = INSTANCE] = (item["pk"]?.S ?? "").split("#");
    const purpose = KEY_PARTITIONS[kind as keyof typeof KEY_PARTITIONS];
    if (!purpose) continue;
    const texts = [...JSON.stringify(item["v"]).matchAll(/"S":"([A-Za-z0-9+/=]{60,})"/g)].map(([, text = ""]) => text);
    for (const wrapped of texts) {
      const plain = await unwrap[purpose].unwrap(workspace, wrapped).catch(() => undefined);
      if (plain) found.push({ purpose, workspace, wrapped, plain: plain.toString("base64") });
    }
  }
  return found;
}

/** Wraps a data key with the KMS key of this engine. */
async function wrapDataKey(workspace: string, { purpose, plain }: Pick<StoredDataKey, "purpose" | "plain">): Promise<string> {
  const EncryptionContext = { service: "svc", workspace, ...(purpose === "secrets" ? {} : { purpose }) };
  const KeyId = requireEnv(env.secretsKey);
  const { CiphertextBlob } = await new KMSClient({}).send(
    new EncryptCommand({ KeyId, Plaintext: Buffer.from(plain, "base64"), EncryptionContext }),
  );
  return Buffer.from(CiphertextBlob ?? []).toString("base64");
}

/**
 * Puts stored state into a world's empty tables, and sets the world's clock. Items of the past live another month: a fixture must not expire. State with
 * a time in the future is read at that time.
 */
export async function loadStoredState(world: World, state: StoredTables): Promise<void> {
  const { atMs, workspace, jobs, files, dataKeys = [] } = state;
  let text = JSON.stringify(state.objects);
  for (const key of dataKeys)
    text = text.replaceAll(JSON.stringify(key.wrapped), JSON.stringify(await wrapDataKey(key.workspace ?? workspace, key)));
  const objects = JSON.parse(text) as Item[];
  const ttl = { N: String(Math.ceil(Date.now() / 1000) + 30 * 24 * 3600) };
  const put = async (name: string, items: Item[]) => {
    for (const Item of items) {
      await documents().send(
        new PutItemCommand({ TableName: requireEnv(name), Item: Item["ttl"] && atMs < Date.now() ? { ...Item, ttl } : Item }),
      );
    }
  };
  await Promise.all([put(env.jobsTable, jobs), put(env.objectsTable, objects)]);
  for (const [key, text] of Object.entries(files)) await world.deps.storage.putObject(key, text, "application/json");
  world.clock.nowMs = atMs;
}
