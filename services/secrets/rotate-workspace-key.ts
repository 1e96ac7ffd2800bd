import { randomUUID } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import { beginRotation, EXPORT_KEY_PATH, endRotation, type KeyRing, ringMark } from "../../core/secrets/key-ring.ts";
import { newExportNonce, seal, sealedWith } from "../../core/secrets/seal.ts";
import { type StoredVariable, storedVariableSchema } from "../../core/variables/variable.ts";
import { commitParts, retryOnConflict } from "../outbox/commit-parts.ts";
import { forgetKeyRing, loadExportKey, loadKeyRing, loadSealingKey, type SealDeps, unsealValue } from "./key-ring.ts";

/** Longer than the function that rotates may live: after that it has died, and another may begin. */
const ROTATION_MS = 60_000;
const AT_ONCE = 16;

const rotating = () => new SvcError("encryptionKey.rotating", {});

/**
 * Makes `newKey` the exportable key and seals every secret anew under a new data key; answers how many. Readers go on: the ring
 * keeps the old data keys, and each value names its own. Writers that sealed for the old one are refused by the ring's version and
 * seal again. Whoever comes while it goes on is refused; if it dies in the middle everything stays readable, and whoever asks for
 * the same key again goes on where it stopped. Throws `encryptionKey.rotating`, `workspace.notFound`.
 */
export async function rotateWorkspaceKey(deps: SealDeps, workspace: string, newKey: string, { reseal = true } = {}): Promise<number> {
  // Makes the first ring.
  await loadExportKey(deps, workspace);
  if (!reseal) {
    await setExportKey(deps, workspace, newKey);
    return 0;
  }
  const version = await begin(deps, workspace, newKey);
  forgetKeyRing(workspace);
  const resealed = await sealAllAnew(deps, workspace, version);
  await end(deps, workspace, version);
  return resealed;
}

/** Only what is exported from now on changes: nothing stored is sealed with this key. */
async function setExportKey(deps: SealDeps, workspace: string, newKey: string): Promise<void> {
  await retryOnConflict(async () => {
    forgetKeyRing(workspace);
    const { dataKey, version } = await loadSealingKey(deps, workspace);
    const ring = await idleRing(deps, workspace);
    const exportKey = seal(dataKey, { workspace, path: EXPORT_KEY_PATH }, newKey);
    return (await putRing(deps, workspace, { ...ring, exportKey }, version)) ? { done: undefined } : undefined;
  }, rotating);
}

/** Answers the version that is current from now on. */
async function begin(deps: SealDeps, workspace: string, newKey: string): Promise<number> {
  const { key, wrapped } = await deps.dataKeys.generate(workspace);
  return retryOnConflict(async () => {
    const ring = await idleRing(deps, workspace);
    const untilMs = deps.nowMs() + ROTATION_MS;
    if (ring.rotatingUntilMs !== undefined && (await loadExportKey(deps, workspace)) === newKey) {
      // One that died on the way to the same key: its data key is there, and part of the work done.
      return (await putRing(deps, workspace, { ...ring, rotatingUntilMs: untilMs }, ringMark(ring))) ? { done: ring.current } : undefined;
    }
    const version = ring.current + 1;
    const exportKey = seal({ version, key }, { workspace, path: EXPORT_KEY_PATH }, newKey);
    const begun = beginRotation(ring, wrapped, exportKey, untilMs);
    return (await putRing(deps, workspace, begun, ringMark(ring))) ? { done: version } : undefined;
  }, rotating);
}

async function end(deps: SealDeps, workspace: string, version: number): Promise<void> {
  const ring = await loadKeyRing(deps, workspace);
  // When another one has begun because this one was taken for dead, that one ends it.
  if (ring?.current === version) await putRing(deps, workspace, endRotation(ring), ringMark(ring));
  forgetKeyRing(workspace);
}

async function idleRing(deps: SealDeps, workspace: string): Promise<KeyRing> {
  const ring = await loadKeyRing(deps, workspace);
  if (!ring) throw new SvcError("workspace.notFound", { workspace });
  if ((ring.rotatingUntilMs ?? 0) > deps.nowMs()) throw rotating();
  return ring;
}

async function putRing({ objects }: SealDeps, workspace: string, ring: KeyRing, version: string): Promise<boolean> {
  return objects.put({ ...keys.keyRing(workspace), value: ring, version: ringMark(ring) }, { version });
}

async function sealAllAnew(deps: SealDeps, workspace: string, version: number): Promise<number> {
  const stored = await deps.objects.list(keys.variable(workspace, "").pk);
  const isOld = ({ isSecret, value }: StoredVariable) => isSecret && sealedWith(value) < version;
  const waiting = stored.filter(({ value }) => isOld(storedVariableSchema.parse(value))).map(({ sk }) => sk);
  let done = 0;
  const work = async () => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      await sealAnew(deps, workspace, path);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return done;
}

/** One secret under the current data key. It changes nothing that anybody can see, so there is no event. */
async function sealAnew(deps: SealDeps, workspace: string, path: string): Promise<void> {
  const key = keys.variable(workspace, path);
  await retryOnConflict(
    async () => {
      const found = await deps.objects.get(key);
      // Deleted or renamed meanwhile: whoever did it has sealed what there is with the new key.
      if (!found) return { done: undefined };
      const variable = storedVariableSchema.parse(found.value);
      const { dataKey, version } = await loadSealingKey(deps, workspace);
      if (!variable.isSecret || sealedWith(variable.value) === dataKey.version) return { done: undefined };
      const value = seal(dataKey, { workspace, path }, await unsealValue(deps, workspace, path, variable.value));
      const stored = await commitParts(deps.objects, [
        { write: write.check(keys.keyRing(workspace), { version }), refused: undefined },
        {
          write: write.put(
            { ...key, value: { ...variable, value, exportNonce: newExportNonce() }, version: randomUUID() },
            { version: found.version ?? "" },
          ),
          refused: undefined,
        },
      ]);
      if (!stored) forgetKeyRing(workspace);
      return stored ? { done: undefined } : undefined;
    },
    () => new SvcError("variable.changedMeanwhile", { path }),
  );
}
