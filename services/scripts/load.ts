import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Storage } from "../../aws/s3/storage.ts";
import { SvcError } from "../../contract/errors.ts";
import { keys } from "../../core/objects/keys.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { type Runnable, runnableSchema, type StoredVersion } from "../../core/scripts/version.ts";

export interface LoadScriptDeps {
  objects: ObjectTable;
  storage: Storage;
}

/** A script head or version head as read from the table; `undefined` when there is none or it was archived by path. */
export function parseScript(found: StoredObject | undefined): Runnable | undefined {
  return found ? runnableSchema.parse({ ...(found.value as object), build: found.build }) : undefined;
}

/** The newest version at a path. Throws `script.notFound`, for archived ones as well. */
export function requireNewestScript(found: StoredObject | undefined, path: string): Runnable {
  const runnable = parseScript(found);
  if (!runnable || runnable.archived || runnable.deleted) throw new SvcError("script.notFound", { path });
  return runnable;
}

/** Throws `script.versionNotFound`. */
export function requireScriptVersion(found: StoredObject | undefined, hash: string): Runnable {
  const runnable = parseScript(found);
  if (!runnable || runnable.deleted) throw new SvcError("script.versionNotFound", { hash });
  return runnable;
}

/** Where a version's fields stand in S3 when they are too large for an item. */
export const scriptObjectKey = (workspace: string, hash: string) => `scripts/${workspace}/${hash}.json`;

/** A version's fields as they were saved; large ones stand in S3. */
export async function loadScriptVersion({ objects, storage }: LoadScriptDeps, workspace: string, hash: string): Promise<StoredVersion> {
  const found = await objects.get(keys.versionBody(workspace, hash));
  if (!found) throw new SvcError("script.versionNotFound", { hash });
  const { json, s3Key } = found.value as { json?: string; s3Key?: string };
  return JSON.parse(json ?? (await storage.getText(s3Key ?? ""))) as StoredVersion;
}

/** What the build of a version yielded. */
export async function loadBuildResult(
  { objects }: LoadScriptDeps,
  workspace: string,
  hash: string,
): Promise<{ lock?: string; lockErrorLogs?: string }> {
  const found = await objects.get(keys.versionLock(workspace, hash));
  return (found?.value ?? {}) as { lock?: string; lockErrorLogs?: string };
}
