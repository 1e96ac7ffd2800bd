import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { PromiseCache } from "../../contract/utilities/promise-cache.ts";
import { write } from "../../core/objects/write.ts";
import { EXPORT_KEY_PATH, getRingVersion, type KeyRing, keyRingObject } from "../../core/secrets/key-ring.ts";
import { createExportKey, type DataKey, sealSecret, UnreadableSecretError } from "../../core/secrets/seal.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { commitParts } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";

/** A key ring with its data keys that were already unwrapped. */
interface OpenedKeyRing {
  ring: KeyRing;
  unwrapped: PromiseCache<number, Buffer>;
}
/**
 * Opened rings by workspace, so that jobs cause no KMS calls. A ring is cached as soon as its read starts: concurrent requests
 * share one read and one KMS call.
 */
const cache = new PromiseCache<string, OpenedKeyRing>();

/** Loads the stored ring of a workspace. */
export async function loadKeyRing({ objects }: Uses<"objects">, workspace: string): Promise<KeyRing | undefined> {
  const found = await objects.get(keyRingObject.key(workspace));
  return found ? keyRingObject.parse(found) : undefined;
}

/** Removes a workspace's ring from the cache, so that the next use reads it again. */
export function evictKeyRing(workspace: string): void {
  cache.delete(workspace);
}

/**
 * Creates the ring for the first secret of a workspace. If two writers create one at the same time, both get the ring that was stored.
 * Throws `workspace.notFound`.
 */
async function createKeyRing({ objects, dataKeys }: Uses<"objects" | "dataKeys">, workspace: string): Promise<KeyRing> {
  const { key, wrapped } = await dataKeys.generate(workspace);
  const exportKey = sealSecret({ version: 1, key }, { workspace, path: EXPORT_KEY_PATH }, createExportKey());
  const ring: KeyRing = { current: 1, wrapped: { 1: wrapped }, exportKey };
  await commitParts(objects, [
    { write: write.check(workspaceObject.key(workspace), "present"), refused: new SvcError("workspace.notFound", { workspace }) },
    { write: write.put({ ...keyRingObject.key(workspace), value: ring, version: getRingVersion(ring) }, "absent"), refused: undefined },
  ]);
  return (await loadKeyRing({ objects }, workspace)) ?? ring;
}

function openCachedKeyRing(deps: Uses<"objects" | "dataKeys" | "nowMs">, workspace: string): Promise<OpenedKeyRing> {
  return cache.get(workspace, () => openKeyRing(deps, workspace), { nowMs: deps.nowMs(), forMs: limits.dataKeyCacheMs });
}

async function openKeyRing(deps: Uses<"objects" | "dataKeys">, workspace: string): Promise<OpenedKeyRing> {
  return { ring: await requireKeyRing(deps, workspace), unwrapped: new PromiseCache() };
}

async function loadDataKey(
  { dataKeys }: Uses<"dataKeys">,
  workspace: string,
  { ring, unwrapped }: OpenedKeyRing,
  version: number,
): Promise<Buffer> {
  const wrapped = ring.wrapped[version];
  if (wrapped === undefined) throw new UnreadableSecretError(`The workspace ${workspace} no longer has data key ${version}.`);
  return unwrapped.get(version, () => dataKeys.unwrap(workspace, wrapped));
}

/**
 * Returns the current sealing key, and the ring version that the write of the sealed value must require: after a key rotation the write is
 * refused.
 */
export async function loadSealingKey(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  workspace: string,
): Promise<{ dataKey: DataKey; version: string }> {
  const current = await openCachedKeyRing(deps, workspace);
  const version = current.ring.current;
  return { dataKey: { version, key: await loadDataKey(deps, workspace, current, version) }, version: getRingVersion(current.ring) };
}

/** Returns a data key by its version. If the cached ring lacks the version, the ring is read again. */
export async function loadKeyOfVersion(deps: Uses<"objects" | "dataKeys" | "nowMs">, workspace: string, version: number): Promise<Buffer> {
  const cached = openCachedKeyRing(deps, workspace);
  let ring = await cached;
  if (ring.ring.wrapped[version] === undefined) {
    cache.delete(workspace, cached);
    ring = await openCachedKeyRing(deps, workspace);
  }
  return loadDataKey(deps, workspace, ring, version);
}

/** Loads the key ring of a workspace without the cache, and creates it if there is none. */
export async function requireKeyRing(deps: Uses<"objects" | "dataKeys">, workspace: string): Promise<KeyRing> {
  return (await loadKeyRing(deps, workspace)) ?? (await createKeyRing(deps, workspace));
}
