import { beforeAll, expect, it } from "vitest";
import { newVariableSchema } from "../../contract/routes/stored/variables.ts";
import type { Person } from "../../core/people/actor.ts";
import type { Room } from "../../test/support/use-cases/room.ts";
import { newRoomWithFolder } from "../../test/support/use-cases/room-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/room-people.ts";
import { createVariable, updateVariable } from "../variables/save.ts";
import { changeAcl, getAcl } from "./acls.ts";
import { createFolder, updateFolder } from "./folders.ts";
import { addToGroup, createGroup, getGroup } from "./groups.ts";

let room: Room;
beforeAll(async () => {
  room = await newRoomWithFolder();
});

/** A member who may write in the folder, and does not own it. */
function aWriter(): Person {
  const reader = aReader(room.workspace, []);
  return { ...reader, ...(reader.rights ? { rights: { ...reader.rights, folders: { t: "write" } } } : {}) };
}

it("a writer of a folder grants no rights in it by moving an object out of it and back", async () => {
  const { deps, workspace } = room;
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
  const { deps, workspace } = room;
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
  await expect(updateFolder(deps, caller, "big2500-0", { extra_perms: many(3000) })).rejects.toMatchObject({ code: "access.tooMuch" });
  await createGroup(deps, { actor: anAdmin, workspace }, { name: "repair", summary: "x".repeat(1000) });
  await changeAcl(deps, anAdmin, { workspace, kind: "folder", path: "t" }, { owner: "u/kim", right: true });
  await updateFolder(deps, caller, "big2500-0", { extra_perms: {} });
});

it("a member is in a group once, under their own username", async () => {
  const { deps, workspace } = room;
  await createGroup(deps, { actor: anAdmin, workspace }, { name: "pair", summary: undefined });
  for (const username of ["ann", "ANN", "Ann"]) await addToGroup(deps, workspace, "pair", username);
  expect(await getGroup(deps, workspace, "pair")).toMatchObject({ members: ["ann"] });
});
