import { type AttributeValue, PutItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { documents } from "../../../aws/sdk/clients.ts";
import { env, requireEnv } from "../../../contract/env.ts";
import type { Definition } from "../../../statemachines/asl.ts";
import type { Room } from "./room.ts";
import type { Position } from "./state-machine.ts";

type Item = Record<string, AttributeValue>;

/** The stored state of a release: the items of both tables, files, and the positions of executions, which Step Functions stores. */
export interface StoredState {
  /** The time of the recording. */
  atMs: number;
  workspace: string;
  jobs: Item[];
  objects: Item[];
  files: Record<string, string>;
  executions: {
    loop: { job: string; definition: Definition; position: Position };
    approval: { job: string; definition: Definition; next: string };
  };
  queued: string;
  scheduled: string;
  scheduledForMs: number;
}

/** Reads all items of the room's tables. */
export async function readTables(): Promise<Pick<StoredState, "jobs" | "objects">> {
  const scan = async (name: string) => ((await documents().send(new ScanCommand({ TableName: requireEnv(name) }))).Items ?? []) as Item[];
  return { jobs: await scan(env.jobsTable), objects: await scan(env.objectsTable) };
}

/** Puts stored state into a room's empty tables, and sets the room's clock. Items live another month: a fixture must not expire. */
export async function loadStoredState(room: Room, { atMs, jobs, objects, files }: StoredState): Promise<void> {
  const ttl = { N: String(Math.ceil(Date.now() / 1000) + 30 * 24 * 3600) };
  const put = async (name: string, items: Item[]) => {
    for (const Item of items) {
      await documents().send(new PutItemCommand({ TableName: requireEnv(name), Item: Item["ttl"] ? { ...Item, ttl } : Item }));
    }
  };
  await Promise.all([put(env.jobsTable, jobs), put(env.objectsTable, objects)]);
  for (const [key, text] of Object.entries(files)) await room.deps.storage.put(key, text, "application/json");
  room.clock.nowMs = atMs;
}
