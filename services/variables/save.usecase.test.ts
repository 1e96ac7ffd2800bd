import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { newVariableSchema } from "../../contract/routes/stored/variables.ts";
import type { Actor } from "../../core/people/actor.ts";
import { type StoredVariable, storedVariableSchema, variableObject } from "../../core/variables/variable.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { addEndpoint, eventsOf } from "../../test/support/use-cases/world-events.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { newWorldWithFolder, repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { findAuditEntries } from "../audit/audit.ts";
import { createFolder } from "../folders/folders.ts";
import { rotateWorkspaceKey } from "../secrets/rotate-workspace-key.ts";
import { unsealValue } from "../secrets/unseal.ts";
import { changeAcl, getAcl } from "../workspaces/acls.ts";
import { exportText, getVariable } from "./read.ts";
import { createVariable, deleteVariable, updateVariable } from "./save.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
});

const newPath = () => `f/t/${randomUUID()}`;
const create = (path: string, value: string, isSecret = true, workspace = world.workspace) =>
  createVariable(world.deps, { actor: anAdmin, workspace }, newVariableSchema.parse({ path, value, is_secret: isSecret, description: "" }));
const update = (path: string, change: object) => updateVariable(world.deps, { actor: anAdmin, workspace: world.workspace, path }, change);

async function load(path: string, workspace = world.workspace): Promise<(StoredVariable & { plain: string }) | undefined> {
  const found = await world.deps.objects.get(variableObject.key(workspace, path));
  if (!found) return undefined;
  const variable = storedVariableSchema.parse(found.value);
  const plain = variable.isSecret ? await unsealValue(world.deps, workspace, path, variable.value) : variable.value;
  return { ...variable, plain };
}

describe("createVariable, whichever of its writes fails,", () => {
  it.each([false, true])("saves it once, or returns that it exists (secret: %s, the first secret of its workspace)", async (isSecret) => {
    await expectToSurviveFaults(async () => {
      // A new workspace, because its first secret creates the key ring.
      const workspace = `w-${randomUUID().slice(0, 8)}`;
      await addWorkspace({ ...world, workspace });
      await createFolder(world.deps, anAdmin, workspace, { name: "t" } as Parameters<typeof createFolder>[3]);
      await addEndpoint({ ...world, workspace });
      const path = newPath();
      const act = () => create(path, "hush", isSecret, workspace);
      return {
        act,
        recover: () => repeat(act, ["variable.exists"]),
        check: async () => {
          expect(await load(path, workspace)).toMatchObject({ path, isSecret, plain: "hush" });
          expect(await eventsOf({ ...world, workspace }, path)).toEqual(["CreateVariable"]);
        },
      };
    });
  });
});

describe("updateVariable, whichever of its writes fails,", () => {
  it("changes value and secrecy together when the call is repeated", async () => {
    await expectToSurviveFaults(async () => {
      const path = newPath();
      await create(path, "one", false);
      const act = () => update(path, { value: "two", is_secret: true, description: "changed" });
      return {
        act,
        recover: act,
        check: async () => {
          expect(await load(path)).toMatchObject({ isSecret: true, plain: "two", description: "changed" });
        },
      };
    });
  });

  it("renames a secret once, with its extra permissions, or returns that it is not found", async () => {
    await expectToSurviveFaults(async () => {
      const [from, to] = [newPath(), newPath()];
      await create(from, "hush");
      await changeAcl(world.deps, anAdmin, { workspace: world.workspace, kind: "variable", path: from }, { owner: "u/bob", right: true });
      const act = () => update(from, { path: to });
      return {
        act,
        recover: () => repeat(act, ["variable.notFound"]),
        check: async () => {
          expect(await load(from)).toBeUndefined();
          expect(await load(to)).toMatchObject({ path: to, plain: "hush" });
          const acl = (path: string) => getAcl(world.deps, { workspace: world.workspace, kind: "variable", path });
          expect([await acl(from), await acl(to)]).toEqual([{}, { "u/bob": true }]);
          expect(await eventsOf(world, to)).toEqual(["UpdateVariable"]);
        },
      };
    });
  });
});

describe("deleteVariable, whichever of its writes fails,", () => {
  it("deletes it once, with its extra permissions", async () => {
    await expectToSurviveFaults(async () => {
      const path = newPath();
      await create(path, "hush");
      await changeAcl(world.deps, anAdmin, { workspace: world.workspace, kind: "variable", path }, { owner: "u/bob", right: true });
      const act = () => deleteVariable(world.deps, { actor: anAdmin, workspace: world.workspace, path });
      return {
        act,
        recover: () => repeat(act, ["variable.notFound"]),
        check: async () => {
          expect(await load(path)).toBeUndefined();
          expect(await getAcl(world.deps, { workspace: world.workspace, kind: "variable", path })).toEqual({});
          expect(await eventsOf(world, path)).toEqual(["CreateVariable", "UpdateVariable", "DeleteVariable"]);
        },
      };
    });
  });
});

it("a secret that was sealed again names who replaced the key", async () => {
  const path = newPath();
  await create(path, "hush");
  const { version } = await getVariable(world.deps, { actor: anAdmin, workspace: world.workspace, token: "", operation: "test" }, path, {
    decrypted: false,
    encrypted: true,
  });
  await rotateWorkspaceKey(world.deps, { actor: { ...anAdmin, username: "eve" }, workspace: world.workspace }, "k".repeat(64));
  const target = { actor: anAdmin, workspace: world.workspace, path, expected: [version] };
  const refused = { code: "object.versionChanged", details: { by: "eve", at: expect.any(String) as unknown } };
  await expect(updateVariable(world.deps, target, { value: "new" })).rejects.toMatchObject(refused);
});

it("a secret that becomes readable is recorded once in the audit log, although another writer is first", async () => {
  const path = newPath();
  await create(path, "hush");
  let reads = 0;
  const get: typeof world.deps.objects.get = async (key, ...options) => {
    const found = await world.deps.objects.get(key, ...options);
    if (key.sk === path && ++reads === 1) await update(path, { description: "changed" });
    return found;
  };
  const target = { actor: anAdmin, workspace: world.workspace, path };
  await updateVariable({ ...world.deps, objects: { ...world.deps.objects, get } }, target, { is_secret: false });
  expect(reads).toBe(2);
  expect(await load(path)).toMatchObject({ isSecret: false, plain: "hush", description: "changed" });
  const { entries } = await findAuditEntries(world.deps, world.workspace, {});
  expect(entries.filter(({ resource }) => resource === path)).toHaveLength(1);
});

describe("at once", () => {
  it("renaming and changing one variable at once lose neither the variable nor a change that was confirmed", async () => {
    for (let round = 0; round < 6; round += 1) {
      const [from, to] = [newPath(), newPath()];
      await create(from, "one");
      const [renamed, changed] = await Promise.allSettled([update(from, { path: to }), update(from, { value: "two" })]);
      expect(renamed.status).toBe("fulfilled");
      expect(await load(from)).toBeUndefined();
      expect((await load(to))?.plain).toBe(changed.status === "fulfilled" ? "two" : "one");
    }
  });

  it("two creations at one path save one of the values", async () => {
    const path = newPath();
    const both = await Promise.allSettled(["one", "two"].map((value) => create(path, value)));
    const won = both.findIndex(({ status }) => status === "fulfilled");
    expect(both[1 - won]).toMatchObject({ reason: { code: "variable.exists" } });
    expect((await load(path))?.plain).toBe(["one", "two"][won]);
    expect(await eventsOf(world, path)).toEqual(["CreateVariable"]);
  });
});

describe("the import of an exported secret", () => {
  const readers = () => aReader(world.workspace, ["t"]);
  const importAs = (actor: Actor, value: string, change?: string) => {
    const [caller, options] = [{ actor, workspace: world.workspace }, { alreadyEncrypted: true }];
    const path = change ?? `u/bob/${randomUUID()}`;
    return change === undefined
      ? createVariable(world.deps, caller, newVariableSchema.parse({ path, value, is_secret: true, description: "" }), options)
      : updateVariable(world.deps, { ...caller, path }, { value }, options);
  };
  async function exportOf(path: string): Promise<string> {
    const view = { decrypted: false, encrypted: true };
    return (
      (await getVariable(world.deps, { actor: anAdmin, workspace: world.workspace } as Parameters<typeof getVariable>[1], path, view)).json
        .value ?? ""
    );
  }

  it("is refused to a person who may not read the original, at a new path and at the path of a variable that they own", async () => {
    const path = `u/ann/${randomUUID()}`;
    await create(path, "hush");
    const [cipher, bob] = [await exportOf(path), readers()];
    await expect(importAs(bob, cipher)).rejects.toMatchObject({ code: "auth.forbidden" });
    const own = `u/bob/${randomUUID()}`;
    await create(own, "mine");
    await expect(importAs(bob, cipher, own)).rejects.toMatchObject({ code: "auth.forbidden" });
    expect((await load(own))?.plain).toBe("mine");
  });

  it("is allowed to admins, to readers of the original or of a copy, and for texts that are no stored secret", async () => {
    const [hidden, shared] = [`u/ann/${randomUUID()}`, newPath()];
    await create(hidden, "hush");
    const cipher = await exportOf(hidden);
    await importAs(anAdmin, cipher);
    const bob = readers();
    await create(shared, "shared");
    await importAs(bob, await exportOf(shared));
    await importAs(bob, await exportText(world.deps, world.workspace, "any text"));
    // An admin shares a copy.
    const copy = newPath();
    await create(copy, "");
    await updateVariable(
      world.deps,
      { actor: anAdmin, workspace: world.workspace, path: copy },
      { value: cipher },
      { alreadyEncrypted: true },
    );
    await importAs(bob, cipher);
  });
});
