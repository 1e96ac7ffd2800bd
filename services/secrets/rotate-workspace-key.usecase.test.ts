import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { keyRingObject } from "../../core/secrets/key-ring.ts";
import { readKeyVersion } from "../../core/secrets/seal.ts";
import { variableObject } from "../../core/variables/variable.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { createVariable } from "../variables/save.ts";
import { readExportKey } from "./read-export-key.ts";
import { continueKeyRotation, getKeyRotation, rotateWorkspaceKey } from "./rotate-workspace-key.ts";
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
  return {
    workspace,
    rotate: (key = NEW_KEY, deps = world.deps) => rotateWorkspaceKey(deps, caller, key),
    proceed: () => continueKeyRotation(world.deps, { actor: { ...anAdmin, username: "eve" }, workspace }),
    state: () => getKeyRotation(world.deps, workspace),
    ring,
    /** Each secret can be read. Returns the number of those that are sealed with an older data key. */
    countOld: async () => {
      const current = (await ring())?.current;
      const stored = (await world.deps.objects.list(variableObject.partitionKey(workspace))).map((each) => variableObject.parse(each));
      const values = await Promise.all(stored.map(({ path, value }) => unsealValue(world.deps, workspace, path, value)));
      expect(values.sort()).toEqual([...paths].sort());
      return stored.filter(({ value }) => readKeyVersion(value) !== current).length;
    },
  };
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
    expect(await state()).toEqual({ state: "none", done: 0, total: 0 });
    expect(await rotate()).toEqual({ done: 3, total: 3, hasEnded: true });
    expect(await state()).toEqual({ state: "none", done: 0, total: 0 });
    expect(await countOld()).toBe(0);
  });

  it("shows its progress, and is continued by another admin who does not name the key", async () => {
    const { rotate, proceed, state, countOld } = await workspaceWithSecrets(70);
    expect(await rotate(NEW_KEY, slowDeps())).toEqual({ done: 64, total: 70, hasEnded: false });
    const begun = { done: 64, total: 70, started_by: "ann", started_at: expect.any(String) as unknown };
    expect(await state()).toEqual({ state: "interrupted", ...begun });
    expect(await countOld()).toBe(6);
    await Promise.all([proceed(), proceed()]);
    await proceed();
    expect(await state()).toEqual({ state: "none", done: 0, total: 0 });
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
});
