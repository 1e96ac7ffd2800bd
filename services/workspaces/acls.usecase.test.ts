import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { newVariableSchema } from "../../contract/routes/stored/variables.ts";
import { folderChangeSchema, newFolderSchema } from "../../contract/routes/workspaces/workspace-schemas.ts";
import type { Person } from "../../core/people/actor.ts";
import { domainsOfKinds } from "../../core/permissions/object-kinds.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { createFolder, getFolder, updateFolder } from "../folders/folders.ts";
import { createVariable, updateVariable } from "../variables/save.ts";
import { changeAcl, getAcl } from "./acls.ts";
import { addToGroup, createGroup, getGroup } from "./groups.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
});

/** A member who may write in the folder, and does not own it. */
function aWriter(): Person {
  const reader = aReader(world.workspace, []);
  return { ...reader, ...(reader.rights ? { rights: { ...reader.rights, folders: { t: "write" } } } : {}) };
}

it("a writer of a folder grants no rights in it by moving an object out of it and back", async () => {
  const { deps, workspace } = world;
  const bob = aWriter();
  await createVariable(
    deps,
    { actor: anAdmin, workspace },
    newVariableSchema.parse({ path: "f/t/a", value: "1", is_secret: true, description: "" }),
  );
  await changeAcl(deps, anAdmin, { workspace, kind: "variable", path: "f/t/a" }, { owner: "u/kim", right: false });
  const move = (from: string, path: string) => updateVariable(deps, { actor: bob, workspace, path: from }, { path });
  await move("f/t/a", "f/t/b");
  expect(await getAcl(deps, { workspace, kind: "variable", path: "f/t/b" })).toEqual({ "u/kim": false });
  await move("f/t/b", "u/bob/b");
  await changeAcl(deps, bob, { workspace, kind: "variable", path: "u/bob/b" }, { owner: "u/eve", right: true });
  await move("u/bob/b", "f/t/a");
  expect(await getAcl(deps, { workspace, kind: "variable", path: "f/t/a" })).toEqual({});
});

it("members cannot use up the space for the rights of a workspace: its admins can still change rights, and all can revoke them", async () => {
  const { deps, workspace } = world;
  const bob = aWriter();
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`u/stranger-${n}`, false]));
  for (const count of [2500, 250, 25]) {
    const fill = async () => {
      for (let n = 0; ; n += 1) {
        await createFolder(deps, bob, workspace, { name: `big${count}-${n}`, extra_perms: many(count) } as Parameters<
          typeof createFolder
        >[3]);
      }
    };
    await expect(fill()).rejects.toMatchObject({ code: "access.tooMuch" });
  }
  const caller = { actor: bob, workspace };
  await expect(updateFolder(deps, { ...caller, name: "big2500-0" }, { extra_perms: many(3000) })).rejects.toMatchObject({
    code: "access.tooMuch",
  });
  await createGroup(deps, { actor: anAdmin, workspace }, { name: "repair", summary: "x".repeat(1000) });
  await changeAcl(deps, anAdmin, { workspace, kind: "folder", path: "t" }, { owner: "u/kim", right: true });
  await updateFolder(deps, { ...caller, name: "big2500-0" }, { extra_perms: {} });
});

const absent = "f/t/absent";
it.each([...Object.keys(domainsOfKinds), "folder", "group_", "raw_app", "kafka_trigger", "folder_trigger"])(
  "permissions of the kind %s are refused for an object that does not exist",
  async (kind) => {
    const path = kind === "folder" || kind === "group_" ? "absent" : absent;
    const target = { workspace: world.workspace, kind, path };
    await expect(changeAcl(world.deps, anAdmin, target, { owner: "u/kim", right: true })).rejects.toMatchObject({
      code: "access.notFound",
    });
  },
);

it("a member is in a group once, under their own username", async () => {
  const { deps, workspace } = world;
  await createGroup(deps, { actor: anAdmin, workspace }, { name: "pair", summary: undefined });
  for (const username of ["ann", "ANN", "Ann"]) await addToGroup(deps, { actor: anAdmin, workspace }, "pair", username);
  expect(await getGroup(deps, workspace, "pair")).toMatchObject({ members: ["ann"] });
});

describe("an owner of a folder may write there:", () => {
  const OWNER = "u/ann";
  const newFolder = async (fields: object) => {
    const name = `o${randomUUID().slice(0, 8)}`;
    const request = newFolderSchema.parse({ name, ...fields });
    await createFolder(world.deps, anAdmin, world.workspace, request);
    return name;
  };
  const change = (name: string, fields: object) =>
    updateFolder(world.deps, { actor: anAdmin, workspace: world.workspace, name }, folderChangeSchema.parse(fields));
  const read = async (name: string) => {
    const { owners, extra_perms } = (await getFolder(world.deps, world.workspace, name)).json;
    return { owners, extra_perms };
  };
  const refused = {
    code: "body.shape",
    details: { issues: [{ path: "extra_perms", reason: expect.stringContaining("owns the folder") }] },
  };

  it.each<[string, object, object | "refused"]>([
    ["without a right", { owners: [OWNER], extra_perms: {} }, {}],
    ["with the right to write", { owners: [OWNER], extra_perms: { [OWNER]: true } }, { [OWNER]: true }],
    ["with the right to read", { owners: [OWNER], extra_perms: { [OWNER]: false } }, "refused"],
    ["beside another who reads", { owners: [OWNER], extra_perms: { "u/kim": false } }, { "u/kim": false }],
  ])("%s, when it is created and when it is changed", async (_, fields, expected) => {
    const other = await newFolder({ owners: ["u/eve"], extra_perms: {} });
    if (expected === "refused") {
      await expect(newFolder(fields)).rejects.toMatchObject(refused);
      await expect(change(other, fields)).rejects.toMatchObject(refused);
      expect(await read(other)).toEqual({ owners: ["u/eve"], extra_perms: {} });
      return;
    }
    await change(other, fields);
    for (const name of [await newFolder(fields), other]) expect(await read(name)).toEqual({ owners: [OWNER], extra_perms: expected });
  });

  it("a right to read cannot be given to one, and one who could read becomes a writer", async () => {
    const name = await newFolder({ owners: ["u/eve"], extra_perms: { [OWNER]: false } });
    await change(name, { owners: [OWNER] });
    expect(await read(name)).toEqual({ owners: [OWNER], extra_perms: { [OWNER]: true } });
    await expect(change(name, { extra_perms: { [OWNER]: false } })).rejects.toMatchObject(refused);
    const target = { workspace: world.workspace, kind: "folder" as const, path: name };
    await expect(changeAcl(world.deps, anAdmin, target, { owner: OWNER, right: false })).rejects.toMatchObject(refused);
    await changeAcl(world.deps, anAdmin, target, { owner: "u/eve", right: false });
  });
});
