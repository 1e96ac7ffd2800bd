import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { DataKeys } from "../../aws/kms/data-keys.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import { EXPORT_KEY_PATH, type KeyRing, keyRingSchema, ringMark } from "../../core/secrets/key-ring.ts";
import { type DataKey, newExportKey, open, seal, sealedWith } from "../../core/secrets/seal.ts";
import { commitParts } from "../outbox/commit-parts.ts";

export interface SealDeps {
  objects: ObjectTable;
  dataKeys: DataKeys;
  nowMs: () => number;
}

/** A ring as it was read, and the data keys of it that were unwrapped so far. */
interface OpenedKeyRing {
  ring: KeyRing;
  unwrapped: Map<number, Promise<Buffer>>;
}
/** Per process and workspace: no job costs a call of KMS. Kept from the moment it is asked for, so that twenty secrets at once are one read and one call. */
const cache = new Map<string, { opened: Promise<OpenedKeyRing>; untilMs: number }>();
const CACHED_MOST = 1000;

/** Loads the ring of a workspace as it is stored now. */
export async function loadKeyRing({ objects }: Pick<SealDeps, "objects">, workspace: string): Promise<KeyRing | undefined> {
  const found = await objects.get(keys.keyRing(workspace));
  return found ? keyRingSchema.parse(found.value) : undefined;
}

export function forgetKeyRing(workspace: string): void {
  cache.delete(workspace);
}

/** Creates the ring for the first secret of a workspace. Of two simultaneous writers one succeeds. Throws `workspace.notFound`. */
async function makeRing({ objects, dataKeys }: SealDeps, workspace: string): Promise<KeyRing> {
  const { key, wrapped } = await dataKeys.generate(workspace);
  const exportKey = seal({ version: 1, key }, { workspace, path: EXPORT_KEY_PATH }, newExportKey());
  const ring: KeyRing = { current: 1, wrapped: { 1: wrapped }, exportKey };
  await commitParts(objects, [
    { write: write.check(keys.workspace(workspace), "present"), refused: new SvcError("workspace.notFound", { workspace }) },
    { write: write.put({ ...keys.keyRing(workspace), value: ring, version: ringMark(ring) }, "absent"), refused: undefined },
  ]);
  return (await loadKeyRing({ objects }, workspace)) ?? ring;
}

function openCachedKeyRing(deps: SealDeps, workspace: string): Promise<OpenedKeyRing> {
  const now = deps.nowMs();
  const known = cache.get(workspace);
  if (known && known.untilMs > now) return known.opened;
  if (cache.size >= CACHED_MOST) cache.clear();
  const fresh = openKeyRing(deps, workspace);
  cache.set(workspace, { opened: fresh, untilMs: now + limits.dataKeyCacheMs });
  fresh.catch(() => forget(workspace, fresh));
  return fresh;
}

async function openKeyRing(deps: SealDeps, workspace: string): Promise<OpenedKeyRing> {
  return { ring: (await loadKeyRing(deps, workspace)) ?? (await makeRing(deps, workspace)), unwrapped: new Map() };
}

/** Removes a ring from the cache, unless another one has replaced it. */
function forget(workspace: string, which: Promise<OpenedKeyRing>): void {
  if (cache.get(workspace)?.opened === which) cache.delete(workspace);
}

function keyOf(
  { dataKeys }: Pick<SealDeps, "dataKeys">,
  workspace: string,
  { ring, unwrapped }: OpenedKeyRing,
  version: number,
): Promise<Buffer> {
  const known = unwrapped.get(version);
  if (known) return known;
  const wrapped = ring.wrapped[version];
  if (wrapped === undefined) throw new Error(`The workspace ${workspace} has no data key ${version} any more.`);
  const key = dataKeys.unwrap(workspace, wrapped);
  unwrapped.set(version, key);
  key.catch(() => unwrapped.delete(version));
  return key;
}

/** Returns the current sealing key and the ring version that the write must require: after a key replacement the write is refused. */
export async function loadSealingKey(deps: SealDeps, workspace: string): Promise<{ dataKey: DataKey; version: string }> {
  const current = await openCachedKeyRing(deps, workspace);
  const version = current.ring.current;
  return { dataKey: { version, key: await keyOf(deps, workspace, current, version) }, version: ringMark(current.ring) };
}

/** Decrypts a secret. If the ring in the cache lacks the secret's key version, the ring is read again. */
export async function unsealValue(deps: SealDeps, workspace: string, path: string, sealed: string): Promise<string> {
  const version = sealedWith(sealed);
  const kept = openCachedKeyRing(deps, workspace);
  let ring = await kept;
  if (ring.ring.wrapped[version] === undefined) {
    forget(workspace, kept);
    ring = await openCachedKeyRing(deps, workspace);
  }
  return open(await keyOf(deps, workspace, ring, version), { workspace, path }, sealed);
}

/** The exportable key as stored now: people change it, and expect the next export to use it. */
export async function loadExportKey(deps: SealDeps, workspace: string): Promise<string> {
  const ring = (await loadKeyRing(deps, workspace)) ?? (await makeRing(deps, workspace));
  return unsealValue(deps, workspace, EXPORT_KEY_PATH, ring.exportKey);
}
