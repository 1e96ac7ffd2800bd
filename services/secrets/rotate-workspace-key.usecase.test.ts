import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { SvcError } from "../../contract/errors.ts";
import { dueRotationObject, keyRingObject, type RotationCall } from "../../core/secrets/key-ring.ts";
import { readKeyVersion } from "../../core/secrets/seal.ts";
import { variableObject } from "../../core/variables/variable.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addWorkspace, newIsolation } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { createVariable, updateVariable } from "../variables/save.ts";
import { evictKeyRing } from "./key-ring.ts";
import { readExportKey } from "./read-export-key.ts";
import { continueDueRotation, continueKeyRotation, getKeyRotation, rotateWorkspaceKey } from "./rotate-workspace-key.ts";
import { startDueRotations } from "./start-due-rotations.ts";
import { unsealValue } from "./unseal.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

const NEW_KEY = "k".repeat(64);
const OTHER_KEY = "o".repeat(64);

async function workspaceWithSecrets(count: number) {
  const workspace = `w-${randomUUID().slice(0, 8)}`;
  await addWorkspace({ ...world, workspace });
  const caller = { actor: anAdmin, workspace };
  const paths = Array.from({ length: count }, (_, index) => `u/ann/s${index}`);
  await Promise.all(paths.map((path) => createVariable(world.deps, caller, { path, value: path, is_secret: true, description: "" })));
  const ring = async () => {
    const stored = await world.deps.objects.get(keyRingObject.key(workspace));
    return stored && keyRingObject.parse(stored);
  };
  const state = () => getKeyRotation(world.deps, workspace);
  const tick = () => continueIfDue(workspace);
  const countOld = async () => {
    const current = (await ring())?.current;
    const stored = (await world.deps.objects.list(variableObject.partitionKey(workspace))).map((each) => variableObject.parse(each));
    const values = await Promise.all(stored.map(({ path, value }) => unsealValue(world.deps, workspace, path, value)));
    expect(values.sort()).toEqual([...paths].sort());
    return stored.filter(({ value }) => readKeyVersion(value) !== current).length;
  };
  return {
    workspace,
    rotate: (key = NEW_KEY, deps = world.deps) => rotateWorkspaceKey(deps, caller, key),
    proceed: () => continueKeyRotation(world.deps, workspace),
    continueIfDue: tick,
    state,
    ring,
    /** Each secret can be read. Returns the number of those that are sealed with an older data key. */
    countOld,
    /** Each secret is sealed with the newest data key, and no rotation is open. */
    expectEnded: async () => {
      expect(await countOld()).toBe(0);
      expect(await state()).toMatchObject({ state: "none" });
      expect(await tick()).toBe(0);
    },
  };
}

/** Plays one minute of housekeeping, whose calls function `objects` handles. Returns the number of calls for the workspace. */
async function continueIfDue(workspace: string): Promise<number> {
  world.clock.nowMs += 60_001;
  const calls: RotationCall[] = [];
  const isolation = newIsolation(world);
  const startRotating = async (call: RotationCall) => void calls.push(call);
  await startDueRotations({ ...world.deps, isolation, functions: { ...world.deps.functions, startRotating } });
  const due = calls.filter(({ rotate }) => rotate === workspace);
  for (const call of due) await continueDueRotation(world.deps, call);
  return due.length;
}

/** Damages the stored text of a secret, like a fault of a restore could. */
async function damageSecret(workspace: string, path: string): Promise<void> {
  const stored = await world.deps.objects.get(variableObject.key(workspace, path));
  if (!stored) throw new Error(`There is no ${path}.`);
  const variable = variableObject.parse(stored);
  const value = { ...variable, value: `svc1:${readKeyVersion(variable.value)}:${Buffer.alloc(60).toString("base64")}` };
  await world.deps.objects.put({ ...stored, value });
}

/** Each sealed secret takes a second, so a call has time for one part. */
function slowDeps(): World["deps"] {
  const transactWrite: typeof world.deps.objects.transactWrite = (...writes) => {
    world.clock.nowMs += 1000;
    return world.deps.objects.transactWrite(...writes);
  };
  return { ...world.deps, objects: { ...world.deps.objects, transactWrite } };
}

describe("the rotation of a workspace's key", () => {
  it("ends in one call if there is time for all secrets", async () => {
    const { rotate, state, countOld } = await workspaceWithSecrets(3);
    expect(await state()).toEqual({ state: "none", done: 0, total: 0, unreadable: [] });
    expect(await rotate()).toEqual({ done: 3, total: 3, unreadable: 0, hasEnded: true });
    expect(await state()).toEqual({ state: "none", done: 0, total: 0, unreadable: [] });
    expect(await countOld()).toBe(0);
  });

  it("shows its progress, and is continued by another admin who does not name the key", async () => {
    const { rotate, proceed, state, countOld } = await workspaceWithSecrets(70);
    expect(await rotate(NEW_KEY, slowDeps())).toEqual({ done: 64, total: 70, unreadable: 0, hasEnded: false });
    const begun = { done: 64, total: 70, unreadable: [], started_by: "ann", started_at: expect.any(String) as unknown };
    expect(await state()).toEqual({ state: "interrupted", ...begun });
    expect(await countOld()).toBe(6);
    await Promise.all([proceed(), proceed()]);
    await proceed();
    expect(await state()).toEqual({ state: "none", done: 0, total: 0, unreadable: [] });
    expect(await countOld()).toBe(0);
  });

  it("leaves every secret readable, and is completed by the next admin, whichever of its writes fails", async () => {
    await expectToSurviveFaults(async () => {
      const { workspace, rotate, proceed, ring, state, countOld } = await workspaceWithSecrets(2);
      return {
        act: rotate,
        recover: async () => {
          await countOld();
          expect(["none", "running"]).toContain((await state()).state);
          // A rotation without progress for a minute was interrupted.
          world.clock.nowMs += 61_000;
          await proceed();
        },
        check: async () => {
          expect(await countOld()).toBe(0);
          expect(await state()).toMatchObject({ state: "none" });
          const stored = await world.deps.objects.get(keyRingObject.key(workspace));
          expect(stored?.version).toBe(`v${(await ring())?.current}`);
        },
      };
    });
  });

  it("is completed by a call with the same key, and replaced by one with another key", async () => {
    await expectToSurviveFaults(async () => {
      const { workspace, rotate, state, countOld } = await workspaceWithSecrets(2);
      return {
        act: rotate,
        recover: async () => {
          world.clock.nowMs += 61_000;
          await rotate();
        },
        check: async () => {
          expect(await countOld()).toBe(0);
          expect(await state()).toMatchObject({ state: "none" });
          await rotate(OTHER_KEY);
          expect(await countOld()).toBe(0);
          const reader = { actor: anAdmin, workspace, token: "", operation: "test" };
          expect(await readExportKey(world.deps, reader)).toBe(OTHER_KEY);
        },
      };
    });
  });

  it("is continued by the service, whichever write of its first call fails, and only until it has ended", async () => {
    await expectToSurviveFaults(async () => {
      const { rotate, expectEnded, continueIfDue: tick } = await workspaceWithSecrets(2);
      return {
        act: rotate,
        recover: async () => {
          await tick();
        },
        // A fault before the first write has stored nothing, so there is no rotation to continue.
        check: expectEnded,
      };
    });
  });

  it("is continued by the service after a call of it has died, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const { workspace, rotate, expectEnded, continueIfDue: tick } = await workspaceWithSecrets(66);
      expect(await rotate(NEW_KEY, slowDeps())).toMatchObject({ done: 64, hasEnded: false });
      return {
        act: () => continueIfDue(workspace),
        recover: async () => {
          await tick();
        },
        check: expectEnded,
      };
    });
  });

  it("is continued by one process, if two ticks, a late call and an admin continue it at once", async () => {
    const { workspace, rotate, proceed, ring, countOld } = await workspaceWithSecrets(70);
    await rotate(NEW_KEY, slowDeps());
    const due = (await ring())?.rotatingUntilMs ?? 0;
    world.clock.nowMs += 1;
    const call = { rotate: workspace, dueMs: due };
    await Promise.all([continueDueRotation(world.deps, call), continueDueRotation(world.deps, call), proceed()]);
    expect(await countOld()).toBe(0);
    expect((await ring())?.rotatingUntilMs).toBeUndefined();
    await continueDueRotation(world.deps, call);
    expect(await world.deps.objects.list(dueRotationObject.partitionKey())).toEqual([]);
  });

  it("removes an entry that no rotation has, of a deleted workspace or of an earlier release", async () => {
    const { workspace, ring } = await workspaceWithSecrets(1);
    const before = await ring();
    const key = dueRotationObject.key(world.clock.nowMs, workspace);
    await world.deps.objects.put({ ...key, value: { of: workspace, dueMs: world.clock.nowMs } });
    expect(await continueIfDue(workspace)).toBe(1);
    expect(await world.deps.objects.get(key)).toBeUndefined();
    expect(await ring()).toEqual(before);
  });

  it("leaves secrets that cannot be decrypted as they are, names them until they are replaced, and retains every data key for them", async () => {
    const { workspace, rotate, state, ring } = await workspaceWithSecrets(4);
    const before = Object.keys((await ring())?.wrapped ?? {});
    const [damaged = "", foreign = "", format = ""] = ["u/ann/s1", "u/ann/s2", "u/ann/s3"];
    await damageSecret(workspace, damaged);
    // The text of another secret, and a variable that no release can read.
    const [ofOther, ofForeign] = await world.deps.objects.batchGet(
      ["u/ann/s0", foreign].map((path) => variableObject.key(workspace, path)),
      {
        consistent: true,
      },
    );
    if (!ofOther || !ofForeign) throw new Error("The secrets are absent.");
    const { value } = variableObject.parse(ofOther);
    await world.deps.objects.put({ ...ofForeign, value: { ...variableObject.parse(ofForeign), value } });
    await world.deps.objects.put({ ...variableObject.key(workspace, format), version: "broken", value: { broken: true } });
    expect(await rotate()).toEqual({ done: 4, total: 4, unreadable: 3, hasEnded: true });
    expect(await state()).toMatchObject({ state: "none", unreadable: [damaged, foreign, format] });
    expect((await ring())?.current).toBe(2);
    for (let round = 0; round < 10; round += 1) await rotate(`${round}`.repeat(64));
    expect(Object.keys((await ring())?.wrapped ?? {})).toEqual(expect.arrayContaining(before));
    const caller = { actor: anAdmin, workspace };
    await updateVariable(world.deps, { ...caller, path: damaged }, { value: "new" });
    await world.deps.objects.deleteItem(variableObject.key(workspace, foreign));
    expect(await state()).toMatchObject({ state: "none", unreadable: [format] });
    await world.deps.objects.deleteItem(variableObject.key(workspace, format));
    await rotate();
    expect(await state()).toMatchObject({ state: "none", unreadable: [] });
    expect(Object.keys((await ring())?.wrapped ?? {})).toHaveLength(10);
  });

  it("stops at a refusal of AWS, counts no secret as unreadable because of it, and is continued later", async () => {
    const { workspace, rotate, state, countOld, continueIfDue: tick } = await workspaceWithSecrets(2);
    let calls = 0;
    // The first call opens the key of exports. KMS refuses all later ones.
    const unwrap: typeof world.deps.dataKeys.unwrap = async (...call) => {
      calls += 1;
      if (calls > 1) throw new SvcError("service.busy", { service: "KMS" });
      return world.deps.dataKeys.unwrap(...call);
    };
    evictKeyRing(workspace);
    await expect(rotate(NEW_KEY, { ...world.deps, dataKeys: { ...world.deps.dataKeys, unwrap } })).rejects.toMatchObject({
      code: "service.busy",
    });
    evictKeyRing(workspace);
    expect(await state()).toMatchObject({ state: "running", unreadable: [] });
    expect(await tick()).toBe(1);
    expect(await state()).toMatchObject({ state: "none", unreadable: [] });
    expect(await countOld()).toBe(0);
    expect(await tick()).toBe(0);
  });
});
