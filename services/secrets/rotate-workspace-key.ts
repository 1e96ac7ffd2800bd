import pMap from "p-map";
import { defined, mapDefined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import type { KeyRotationJson } from "../../contract/routes/workspaces/key-rotation.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { replaceUnchanged } from "../../core/objects/version.ts";
import { type StoredObject, write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { UnreadableRecordError } from "../../core/records/record-format.ts";
import {
  beginRotation,
  continueRotation,
  dueRotationObject,
  EXPORT_KEY_PATH,
  endRotation,
  getRingVersion,
  type KeyRing,
  keyRingObject,
  type RotationCall,
  type RotationStep,
} from "../../core/secrets/key-ring.ts";
import { createExportNonce, readKeyVersion, sealSecret, UnreadableSecretError } from "../../core/secrets/seal.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import { type StoredVariable, variableObject } from "../../core/variables/variable.ts";
import { commitParts, retryOnConflict, toPart } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";
import { evictKeyRing, loadKeyRing, loadSealingKey } from "./key-ring.ts";
import { loadExportKey, unsealValue } from "./unseal.ts";

/** The time for the parts of one call. The API ends a request after 29 s. */
const CALL_MS = 15_000;
/** The secrets that are sealed between two writes of the progress, and at the same time. */
const PART = 64;
const AT_ONCE = 16;

const rotatingError = () => new SvcError("encryptionKey.rotating", {});

/** The number of secrets that a rotation has handled, of all of them, and of those that it could not decrypt, at most `MAX_UNREADABLE`. */
interface RotationProgress {
  done: number;
  total: number;
  unreadable: number;
  hasEnded: boolean;
}

/**
 * Makes `newKey` the exportable key, and begins to reseal every secret under a new data key. Secrets remain readable throughout, because the ring
 * retains the old data keys and each value names its own. Writers that sealed with the old key are refused by the ring's version and seal again.
 * Without time for all secrets, and if the process dies, housekeeping continues (`startDueRotations`), and so does a call with the same key. Throws
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
    return { done: 0, total: 0, unreadable: 0, hasEnded: true };
  }
  return sealParts(deps, workspace, await beginKeyRotation(deps, caller, newKey));
}

/**
 * Reseals secrets of a rotation that has not ended. Without such a rotation, and while another process continues it, nothing changes. Throws
 * `workspace.notFound`.
 */
export async function continueKeyRotation(deps: Uses<"objects" | "dataKeys" | "nowMs">, workspace: string): Promise<void> {
  const ring = await requireStoredRing(deps, workspace);
  if (ring.rotatingUntilMs === undefined || ring.rotatingUntilMs > deps.nowMs()) return;
  const taken = await storeStep(deps, workspace, ring);
  if (taken) await sealParts(deps, workspace, taken);
}

/** Continues a rotation for housekeeping. An entry that the ring does not name is removed: an earlier release left it, or the workspace was deleted. */
export async function continueDueRotation(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  { rotate: workspace, dueMs }: RotationCall,
): Promise<void> {
  const ring = await loadKeyRing(deps, workspace);
  if (ring?.rotatingUntilMs === dueMs) await continueKeyRotation(deps, workspace);
  else await deps.objects.deleteItem(dueRotationObject.key(dueMs, workspace));
}

/** Reseals secrets part by part, and writes the progress after each part. `taken` is the ring that this process has stored. */
async function sealParts(deps: Uses<"objects" | "dataKeys" | "nowMs">, workspace: string, taken: KeyRing): Promise<RotationProgress> {
  const untilMs = deps.nowMs() + CALL_MS;
  const by = taken.rotation?.by;
  const old = await listOldSecrets(deps, workspace, taken);
  let ring: KeyRing | undefined = await storeStep(deps, workspace, taken, { left: old.length });
  let handled = 0;
  while (ring && handled < old.length) {
    const part = old.slice(handled, handled + PART);
    const isResealed = await pMap(part, (path) => resealReadable(deps, workspace, { path, by }), { concurrency: AT_ONCE });
    handled += part.length;
    const left = old.length - handled;
    const isReleased = left > 0 && deps.nowMs() >= untilMs;
    const unreadable = part.filter((_, index) => !isResealed[index]);
    ring = await storeStep(deps, workspace, ring, { left, after: part.at(-1), unreadable, isReleased });
    if (ring && isReleased) return { ...toProgress(ring), hasEnded: false };
  }
  // Otherwise another rotation has begun, because this one had no progress for a minute. It seals these secrets too.
  if (ring) await storeKeyRing(deps, workspace, { before: ring, after: endRotation(ring) });
  evictKeyRing(workspace);
  return { ...toProgress(ring), hasEnded: ring !== undefined };
}

const toProgress = (ring: KeyRing | undefined) => ({
  done: ring?.rotation?.done ?? 0,
  total: ring?.rotation?.total ?? 0,
  unreadable: ring?.unreadable?.length ?? 0,
});

/** Stores the next step of a rotation, and returns its ring; `undefined` if another process was first. */
async function storeStep(
  deps: Uses<"objects" | "nowMs">,
  workspace: string,
  ring: KeyRing,
  step: Omit<RotationStep, "atMs"> = {},
): Promise<KeyRing | undefined> {
  const next = continueRotation(ring, { ...step, atMs: deps.nowMs() });
  const isStored = await storeKeyRing(deps, workspace, { before: ring, after: next });
  evictKeyRing(workspace);
  return isStored ? next : undefined;
}

/**
 * Returns the state of the rotation, and the secrets that the last one could not decrypt and that have not been replaced since. A rotation without
 * progress for a minute was interrupted. Throws `workspace.notFound`.
 */
export async function getKeyRotation(deps: Uses<"objects" | "nowMs">, workspace: string): Promise<KeyRotationJson> {
  const ring = await loadKeyRing(deps, workspace);
  const unreadable = ring ? await listStillUnreadable(deps, workspace, ring) : [];
  if (ring?.rotatingUntilMs === undefined) return { state: "none", done: 0, total: 0, unreadable };
  const { done = 0, total = 0, by, startedAtMs } = ring.rotation ?? {};
  const state = ring.rotatingUntilMs > deps.nowMs() ? "running" : "interrupted";
  return { state, done, total, unreadable, ...defined({ started_by: by, started_at: mapDefined(startedAtMs, toIsoTime) }) };
}

async function listStillUnreadable({ objects }: Uses<"objects">, workspace: string, ring: KeyRing): Promise<string[]> {
  const { unreadable = [], current } = ring;
  if (unreadable.length === 0) return [];
  const found = await objects.batchGet(
    unreadable.map((path) => variableObject.key(workspace, path)),
    { consistent: true },
  );
  return unreadable.filter((_, index) => {
    const stored = found[index];
    return stored !== undefined && isOld(stored, current);
  });
}

/** Replaces only the exportable key. No stored value is sealed with it, so only later exports change. */
async function setExportKey(deps: Uses<"objects" | "dataKeys" | "nowMs">, workspace: string, newKey: string): Promise<void> {
  await retryOnConflict(async () => {
    evictKeyRing(workspace);
    const { dataKey, version } = await loadSealingKey(deps, workspace);
    const before = await loadIdleKeyRing(deps, workspace);
    if (getRingVersion(before) !== version) return undefined;
    const exportKey = sealSecret(dataKey, { workspace, path: EXPORT_KEY_PATH }, newKey);
    return (await storeKeyRing(deps, workspace, { before, after: { ...before, exportKey } })) ? { done: undefined } : undefined;
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
      const taken = await storeStep(deps, workspace, ring);
      return taken && { done: taken };
    }
    const exportKey = sealSecret({ version: ring.current + 1, key }, { workspace, path: EXPORT_KEY_PATH }, newKey);
    const begun = beginRotation(ring, { wrapped, exportKey, by: actor.username, atMs: deps.nowMs() });
    const isStored = await storeKeyRing(deps, workspace, { before: ring, after: begun });
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

/** Stores a ring, and the time from which housekeeping continues its rotation. Returns false if another process was first. */
async function storeKeyRing(
  { objects }: Uses<"objects">,
  workspace: string,
  { before, after }: { before: KeyRing; after: KeyRing },
): Promise<boolean> {
  const [old, next] = [before, after].map(({ rotatingUntilMs: atMs }) =>
    mapDefined(atMs, (dueMs) => dueRotationObject.key(dueMs, workspace)),
  );
  return commitParts(objects, [
    toPart(
      write.put({ ...keyRingObject.key(workspace), value: after, version: getRingVersion(after) }, { version: getRingVersion(before) }),
    ),
    ...(old && old.sk !== next?.sk ? [toPart(write.remove(old))] : []),
    ...(next ? [toPart(write.put({ ...next, value: { of: workspace, dueMs: after.rotatingUntilMs } }))] : []),
  ]);
}

/** Lists the paths of the secrets that are sealed with an older data key, after the last path that the rotation has handled. */
async function listOldSecrets({ objects }: Uses<"objects">, workspace: string, { current, rotation }: KeyRing): Promise<string[]> {
  const after = rotation?.after;
  const partition = variableObject.partitionKey(workspace);
  // Every later write seals with the new key, so nothing before this path is sealed with an older one.
  const stored = await objects.list(partition, after === undefined ? {} : { between: [after, "\uffff"] });
  return stored.filter((each) => each.sk !== after && isOld(each, current)).map(({ sk }) => sk);
}

/** Returns whether a variable is a secret that is not sealed with the current data key. One that cannot be read counts. */
function isOld(stored: StoredObject, current: number): boolean {
  try {
    const { isSecret, value } = variableObject.parse(stored);
    return isSecret && readKeyVersion(value) < current;
  } catch (error) {
    if (isUnreadable(error)) return true;
    throw error;
  }
}

const isUnreadable = (error: unknown) => error instanceof UnreadableSecretError || error instanceof UnreadableRecordError;

interface SecretToSeal {
  path: string;
  /** The author of the rotation. */
  by: string | undefined;
}

/** Reseals one secret. Returns false if it cannot be decrypted: it remains as it is. A refusal of AWS stops the rotation, and it is tried again. */
async function resealReadable(deps: Uses<"objects" | "dataKeys" | "nowMs">, workspace: string, secret: SecretToSeal): Promise<boolean> {
  try {
    await resealSecret(deps, workspace, secret);
    return true;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    reportFailure("A secret cannot be decrypted, so the rotation of its key left it as it is", error, { workspace, path: secret.path });
    return false;
  }
}

/** Reseals one secret under the current data key. No caller can see the difference, so there is no event. */
async function resealSecret(deps: Uses<"objects" | "dataKeys" | "nowMs">, workspace: string, { path, by }: SecretToSeal): Promise<void> {
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
        toPart(write.check(keyRingObject.key(workspace), { version })),
        toPart(replaceUnchanged({ stored: found, value: resealed, by, atMs: deps.nowMs() })),
      ]);
      if (!stored) evictKeyRing(workspace);
      return stored ? { done: undefined } : undefined;
    },
    () => new SvcError("variable.changedMeanwhile", { path }),
  );
}
