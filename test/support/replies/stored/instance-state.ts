import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { s3 } from "../../../../aws/sdk/clients.ts";
import { env, requireEnv } from "../../../../contract/env.ts";
import { readTables, type StoredTables, unwrapDataKeys } from "../../use-cases/stored/stored-state.ts";
import type { Stage } from "../exchange.ts";

/** The state of an instance with an object of each kind, and the values that the replies to its requests left. */
export interface StoredInstance extends StoredTables {
  kept: Record<string, string>;
}

/** Reads the whole state of a stage. Its texts in the bucket contain the name of its workspace in their keys. */
export async function readInstance({ world, kept }: Stage): Promise<StoredInstance> {
  const { deps, workspace, clock } = world;
  const tables = await readTables();
  const { Contents = [] } = await s3().send(new ListObjectsV2Command({ Bucket: requireEnv(env.bucket) }));
  const ofWorkspace = Contents.flatMap(({ Key = "" }) => (Key.split("/").includes(workspace) ? [Key] : []));
  return {
    atMs: clock.nowMs,
    workspace,
    kept,
    ...tables,
    dataKeys: await unwrapDataKeys(world, tables.objects),
    files: Object.fromEntries(await Promise.all(ofWorkspace.map(async (key) => [key, await deps.storage.getObjectText(key)] as const))),
  };
}
