import { SvcError } from "../../contract/errors.ts";
import { readStoredBody } from "../../core/objects/stored-body.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import {
  type Runnable,
  type StoredVersion,
  scriptBodyObject,
  scriptHeadObject,
  scriptLockObject,
  scriptVersionObject,
} from "../../core/scripts/version.ts";
import { type ObjectCaller, permit } from "../identity/permit.ts";
import type { PathKind } from "../objects/path-kind.ts";
import type { Uses } from "../uses.ts";

/** Returns a stored script head or version head; `undefined` if there is none. Throws `UnreadableRecordError`. */
export function parseScript(found: StoredObject | undefined): Runnable | undefined {
  return found && (scriptHeadObject.holds(found) ? scriptHeadObject : scriptVersionObject).parse(found);
}

/** The heads of scripts without their builds, which are a separate field of the item. Routes have checked the right to change them. */
export const scriptKind: PathKind<Omit<Runnable, "build">> = {
  key: scriptHeadObject.key,
  parse: (stored) => {
    const { build: _, ...script } = scriptHeadObject.parse(stored);
    return script;
  },
  permissions: "script",
  save: undefined,
  isArchived: ({ archived, deleted }) => archived || deleted,
  exists: (path) => new SvcError("script.pathTaken", { path }),
  notFound: (path) => new SvcError("script.notFound", { path }),
  changed: (path) => new SvcError("script.changedMeanwhile", { path }),
  buildCopies: undefined,
};

/** Returns the newest version at a path. Throws `script.notFound`, also for an archived script. */
export function requireNewestScript(found: StoredObject | undefined, path: string): Runnable {
  const runnable = parseScript(found);
  if (!runnable || runnable.archived || runnable.deleted) throw new SvcError("script.notFound", { path });
  return runnable;
}

/** Returns a stored version. Throws `script.versionNotFound`. */
export function requireScriptVersion(found: StoredObject | undefined, hash: string): Runnable {
  const runnable = parseScript(found);
  if (!runnable || runnable.deleted) throw new SvcError("script.versionNotFound", { hash });
  return runnable;
}

/** Checks the caller's right to a version, which depends on the version's path. Throws `script.versionNotFound` and `auth.forbidden`. */
export function permitScriptVersion({ actor, action, workspace }: ObjectCaller, { path, hash }: Pick<Runnable, "path" | "hash">): void {
  permit(actor, action, { workspace, path }, () => new SvcError("script.versionNotFound", { hash }));
}

/** Returns a version for which the caller may perform the action. Throws `script.versionNotFound` and `auth.forbidden`. */
export async function findPermittedScript({ objects }: Uses<"objects">, caller: ObjectCaller, hash: string): Promise<Runnable> {
  const version = requireScriptVersion(await objects.get(scriptVersionObject.key(caller.workspace, hash)), hash);
  permitScriptVersion(caller, version);
  return version;
}

/** The S3 key of a version's fields that are too large for an item. */
export const scriptObjectKey = (workspace: string, hash: string) => `scripts/${workspace}/${hash}.json`;

/** The S3 key of an uploaded bundle. Equal bundles of a workspace are one object. */
export const bundleObjectKey = (workspace: string, sha256: string) => `scripts/${workspace}/bundles/${sha256}`;

/** Loads a version's fields as they were saved, from its item or from S3. Throws `script.versionNotFound` and `UnreadableRecordError`. */
export async function loadScriptVersion(
  { objects, storage }: Uses<"objects" | "storage">,
  workspace: string,
  hash: string,
): Promise<StoredVersion> {
  const found = await objects.get(scriptBodyObject.key(workspace, hash));
  if (!found) throw new SvcError("script.versionNotFound", { hash });
  return (await readStoredBody(found, (s3Key) => storage.getObjectText(s3Key))) as StoredVersion;
}

/** Loads the lock, or the error log, that the build of a version produced. */
export async function loadBuildResult(
  { objects }: Uses<"objects">,
  workspace: string,
  hash: string,
): Promise<{ lock?: string; lockErrorLogs?: string }> {
  const found = await objects.get(scriptLockObject.key(workspace, hash));
  return (found?.value ?? {}) as { lock?: string; lockErrorLogs?: string };
}
