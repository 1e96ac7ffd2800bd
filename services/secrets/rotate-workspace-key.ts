import pMap from "p-map";
import { defined, mapDefined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import type { KeyRotationJson } from "../../contract/routes/workspaces/key-rotation.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { replaceUnchanged } from "../../core/objects/version.ts";
import { write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import {
  beginRotation,
  continueRotation,
  EXPORT_KEY_PATH,
  endRotation,
  getRingVersion,
  type KeyRing,
  keyRingObject,
} from "../../core/secrets/key-ring.ts";
import { createExportNonce, readKeyVersion, sealSecret } from "../../core/secrets/seal.ts";
import { type StoredVariable, variableObject } from "../../core/variables/variable.ts";
import { commitParts, retryOnConflict } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";
import { evictKeyRing, loadKeyRing, loadSealingKey } from "./key-ring.ts";
import { loadExportKey, unsealValue } from "./unseal.ts";

/** The time for the parts of one call. The API ends a request after 29 s. */
const CALL_MS = 15_000;
/** The secrets that are sealed between two writes of the progress, and at the same time. */
const PART = 64;
const AT_ONCE = 16;

const rotatingError = () => new SvcError("encryptionKey.rotating", {});

/** The number of secrets that a rotation has sealed again, and of all that it seals. */
interface RotationProgress {
  done: number;
  total: number;
  hasEnded: boolean;
}

/**
 * Makes `newKey` the exportable key, and begins to reseal every secret under a new data key. Secrets remain readable throughout, because the ring
 * retains the old data keys and each value names its own. Writers that sealed with the old key are refused by the ring's version and seal again.
 * Without time for all secrets, `continueKeyRotation` seals the others; if the process dies, so does a call with the same key. Throws
 * `encryptionKey.rotating` during another rotation, and `workspace.notFound`.
 */
export async function rotateWorkspaceKey(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  caller: WorkspaceCaller,
  newKey: string,
  { reseal = true } = {},
): Promise<RotationProgress> {
  const { workspace } = caller;
  // Creates the ring of a workspace that has no secrets yet.
  await loadExportKey(deps, workspace);
  if (!reseal) {
    await setExportKey(deps, workspace, newKey);
    return { done: 0, total: 0, hasEnded: true };
  }
  return sealParts(deps, caller, await beginKeyRotation(deps, caller, newKey));
}

/**
 * Reseals secrets of a rotation that has not ended. Without such a rotation, and while another process continues it, nothing changes. Throws
 * `workspace.notFound`.
 */
export async function continueKeyRotation(deps: Uses<"objects" | "dataKeys" | "nowMs">, caller: WorkspaceCaller): Promise<void> {
  const ring = await requireStoredRing(deps, caller.workspace);
  if (ring.rotatingUntilMs === undefined || ring.rotatingUntilMs > deps.nowMs()) return;
  const taken = await storeStep(deps, caller, ring);
  if (taken) await sealParts(deps, caller, taken);
}

/** Reseals secrets part by part, and writes the progress after each part. `taken` is the ring that this process has stored. */
async function sealParts(deps: Uses<"objects" | "dataKeys" | "nowMs">, caller: WorkspaceCaller, taken: KeyRing): Promise<RotationProgress> {
  const { workspace } = caller;
  const untilMs = deps.nowMs() + CALL_MS;
  const old = await listOldSecrets(deps, workspace, taken.current);
  let ring: KeyRing | undefined = await storeStep(deps, caller, taken, { left: old.length });
  let sealed = 0;
  while (ring && sealed < old.length) {
    await pMap(old.slice(sealed, sealed + PART), (path) => resealSecret(deps, caller, path), { concurrency: AT_ONCE });
    sealed += PART;
    const left = Math.max(0, old.length - sealed);
    const isReleased = left > 0 && deps.nowMs() >= untilMs;
    ring = await storeStep(deps, caller, ring, { left, isReleased });
    if (ring && isReleased) return { done: ring.rotation?.done ?? 0, total: ring.rotation?.total ?? 0, hasEnded: false };
  }
  // Otherwise another rotation has begun, because this one had no progress for a minute. It seals these secrets too.
  if (ring) await storeKeyRing(deps, workspace, endRotation(ring), getRingVersion(ring));
  evictKeyRing(workspace);
  const { total = 0 } = ring?.rotation ?? {};
  return { done: total, total, hasEnded: ring !== undefined };
}

/** Stores the next step of a rotation, and returns its ring; `undefined` if another process was first. */
async function storeStep(
  deps: Uses<"objects" | "nowMs">,
  { actor, workspace }: WorkspaceCaller,
  ring: KeyRing,
  step: { left?: number; isReleased?: boolean } = {},
): Promise<KeyRing | undefined> {
  const next = continueRotation(ring, { ...step, by: actor.username, atMs: deps.nowMs() });
  const isStored = await storeKeyRing(deps, workspace, next, getRingVersion(ring));
  evictKeyRing(workspace);
  return isStored ? next : undefined;
}

/** Returns the state of the rotation. One without progress for a minute was interrupted. Throws `workspace.notFound`. */
export async function getKeyRotation(deps: Uses<"objects" | "nowMs">, workspace: string): Promise<KeyRotationJson> {
  const ring = await loadKeyRing(deps, workspace);
  if (ring?.rotatingUntilMs === undefined) return { state: "none", done: 0, total: 0 };
  const { done = 0, total = 0, by, startedAtMs } = ring.rotation ?? {};
  const state = ring.rotatingUntilMs > deps.nowMs() ? "running" : "interrupted";
  return { state, done, total, ...defined({ started_by: by, started_at: mapDefined(startedAtMs, toIsoTime) }) };
}

/** Replaces only the exportable key. No stored value is sealed with it, so only later exports change. */
async function setExportKey(deps: Uses<"objects" | "dataKeys" | "nowMs">, workspace: string, newKey: string): Promise<void> {
  await retryOnConflict(async () => {
    evictKeyRing(workspace);
    const { dataKey, version } = await loadSealingKey(deps, workspace);
    const ring = await loadIdleKeyRing(deps, workspace);
    const exportKey = sealSecret(dataKey, { workspace, path: EXPORT_KEY_PATH }, newKey);
    return (await storeKeyRing(deps, workspace, { ...ring, exportKey }, version)) ? { done: undefined } : undefined;
  }, rotatingError);
}

/** Adds the new data key to the ring, which is the current one from then on, and returns the ring. */
async function beginKeyRotation(deps: Uses<"objects" | "dataKeys" | "nowMs">, caller: WorkspaceCaller, newKey: string): Promise<KeyRing> {
  const { actor, workspace } = caller;
  const { key, wrapped } = await deps.dataKeys.generate(workspace);
  return retryOnConflict(async () => {
    const ring = await loadIdleKeyRing(deps, workspace);
    if (ring.rotatingUntilMs !== undefined && (await loadExportKey(deps, workspace)) === newKey) {
      // A rotation to the same key died. Its data key exists, and some secrets are already resealed.
      const taken = await storeStep(deps, caller, ring);
      return taken && { done: taken };
    }
    const exportKey = sealSecret({ version: ring.current + 1, key }, { workspace, path: EXPORT_KEY_PATH }, newKey);
    const begun = beginRotation(ring, { wrapped, exportKey, by: actor.username, atMs: deps.nowMs() });
    const isStored = await storeKeyRing(deps, workspace, begun, getRingVersion(ring));
    evictKeyRing(workspace);
    return isStored ? { done: begun } : undefined;
  }, rotatingError);
}

async function loadIdleKeyRing(deps: Uses<"objects" | "nowMs">, workspace: string): Promise<KeyRing> {
  const ring = await requireStoredRing(deps, workspace);
  if ((ring.rotatingUntilMs ?? 0) > deps.nowMs()) throw rotatingError();
  return ring;
}

async function requireStoredRing(deps: Uses<"objects">, workspace: string): Promise<KeyRing> {
  const ring = await loadKeyRing(deps, workspace);
  if (!ring) throw new SvcError("workspace.notFound", { workspace });
  return ring;
}

async function storeKeyRing({ objects }: Uses<"objects">, workspace: string, ring: KeyRing, version: string): Promise<boolean> {
  return objects.put({ ...keyRingObject.key(workspace), value: ring, version: getRingVersion(ring) }, { version });
}

/** Lists the paths of the secrets that are sealed with an older data key. */
async function listOldSecrets({ objects }: Uses<"objects">, workspace: string, version: number): Promise<string[]> {
  const stored = await objects.list(variableObject.partitionKey(workspace));
  const isOld = ({ isSecret, value }: StoredVariable) => isSecret && readKeyVersion(value) < version;
  return stored.filter((variable) => isOld(variableObject.parse(variable))).map(({ sk }) => sk);
}

/** Reseals one secret under the current data key. No caller can see the difference, so there is no event. */
async function resealSecret(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  { actor, workspace }: WorkspaceCaller,
  path: string,
): Promise<void> {
  const key = variableObject.key(workspace, path);
  await retryOnConflict(
    async () => {
      const found = await deps.objects.get(key);
      // The variable was deleted or renamed: a renamed one was sealed with the new key.
      if (!found) return { done: undefined };
      const variable = variableObject.parse(found);
      const { dataKey, version } = await loadSealingKey(deps, workspace);
      if (!variable.isSecret || readKeyVersion(variable.value) === dataKey.version) return { done: undefined };
      const value = sealSecret(dataKey, { workspace, path }, await unsealValue(deps, workspace, path, variable.value));
      const resealed: StoredVariable = { ...variable, value, exportNonce: createExportNonce() };
      const stored = await commitParts(deps.objects, [
        { write: write.check(keyRingObject.key(workspace), { version }), refused: undefined },
        { write: replaceUnchanged({ stored: found, value: resealed, by: actor.username, atMs: deps.nowMs() }), refused: undefined },
      ]);
      if (!stored) evictKeyRing(workspace);
      return stored ? { done: undefined } : undefined;
    },
    () => new SvcError("variable.changedMeanwhile", { path }),
  );
}
