import pMap from "p-map";
import { SvcError } from "../../contract/errors.ts";
import { replaceUnchanged } from "../../core/objects/version.ts";
import { write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { beginRotation, EXPORT_KEY_PATH, endRotation, getRingVersion, type KeyRing, keyRingObject } from "../../core/secrets/key-ring.ts";
import { createExportNonce, readKeyVersion, sealSecret } from "../../core/secrets/seal.ts";
import { type StoredVariable, variableObject } from "../../core/variables/variable.ts";
import { commitParts, retryOnConflict } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";
import { evictKeyRing, loadKeyRing, loadSealingKey } from "./key-ring.ts";
import { loadExportKey, unsealValue } from "./unseal.ts";

/** Longer than the timeout of the function that rotates: after this time it has died, and another rotation may begin. */
const ROTATION_MS = 60_000;
const AT_ONCE = 16;

const rotatingError = () => new SvcError("encryptionKey.rotating", {});

/**
 * Makes `newKey` the exportable key, reseals every secret under a new data key, and returns the number of resealed secrets. Secrets remain
 * readable throughout, because the ring retains the old data keys and each value names its own. Writers that sealed with the old key are refused
 * by the ring's version and seal again. If the process dies, a call with the same key continues the rotation. Throws `encryptionKey.rotating`
 * during another rotation, and `workspace.notFound`.
 */
export async function rotateWorkspaceKey(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  caller: WorkspaceCaller,
  newKey: string,
  { reseal = true } = {},
): Promise<number> {
  const { workspace } = caller;
  // Creates the ring of a workspace that has no secrets yet.
  await loadExportKey(deps, workspace);
  if (!reseal) {
    await setExportKey(deps, workspace, newKey);
    return 0;
  }
  const version = await beginKeyRotation(deps, workspace, newKey);
  evictKeyRing(workspace);
  const resealed = await resealSecrets(deps, caller, version);
  await endKeyRotation(deps, workspace, version);
  return resealed;
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

/** Adds the new data key to the ring and returns its version, which is the current one from then on. */
async function beginKeyRotation(deps: Uses<"objects" | "dataKeys" | "nowMs">, workspace: string, newKey: string): Promise<number> {
  const { key, wrapped } = await deps.dataKeys.generate(workspace);
  return retryOnConflict(async () => {
    const ring = await loadIdleKeyRing(deps, workspace);
    const untilMs = deps.nowMs() + ROTATION_MS;
    if (ring.rotatingUntilMs !== undefined && (await loadExportKey(deps, workspace)) === newKey) {
      // A rotation to the same key died. Its data key exists, and some secrets are already resealed.
      return (await storeKeyRing(deps, workspace, { ...ring, rotatingUntilMs: untilMs }, getRingVersion(ring)))
        ? { done: ring.current }
        : undefined;
    }
    const version = ring.current + 1;
    const exportKey = sealSecret({ version, key }, { workspace, path: EXPORT_KEY_PATH }, newKey);
    const begun = beginRotation(ring, wrapped, exportKey, untilMs);
    return (await storeKeyRing(deps, workspace, begun, getRingVersion(ring))) ? { done: version } : undefined;
  }, rotatingError);
}

async function endKeyRotation(deps: Uses<"objects">, workspace: string, version: number): Promise<void> {
  const ring = await loadKeyRing(deps, workspace);
  // If this rotation was considered dead and another one has begun, the other one ends it.
  if (ring?.current === version) await storeKeyRing(deps, workspace, endRotation(ring), getRingVersion(ring));
  evictKeyRing(workspace);
}

async function loadIdleKeyRing(deps: Uses<"objects" | "nowMs">, workspace: string): Promise<KeyRing> {
  const ring = await loadKeyRing(deps, workspace);
  if (!ring) throw new SvcError("workspace.notFound", { workspace });
  if ((ring.rotatingUntilMs ?? 0) > deps.nowMs()) throw rotatingError();
  return ring;
}

async function storeKeyRing({ objects }: Uses<"objects">, workspace: string, ring: KeyRing, version: string): Promise<boolean> {
  return objects.put({ ...keyRingObject.key(workspace), value: ring, version: getRingVersion(ring) }, { version });
}

async function resealSecrets(deps: Uses<"objects" | "dataKeys" | "nowMs">, caller: WorkspaceCaller, version: number): Promise<number> {
  const stored = await deps.objects.list(variableObject.partitionKey(caller.workspace));
  const isOld = ({ isSecret, value }: StoredVariable) => isSecret && readKeyVersion(value) < version;
  const old = stored.filter((variable) => isOld(variableObject.parse(variable))).map(({ sk }) => sk);
  await pMap(old, (path) => resealSecret(deps, caller, path), { concurrency: AT_ONCE });
  return old.length;
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
