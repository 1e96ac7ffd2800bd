import { beforeAll, expect, it } from "vitest";
import { newVariableSchema } from "../../contract/routes/stored/variables.ts";
import type { Person } from "../../core/people/actor.ts";
import type { Room } from "../../test/support/use-cases/room.ts";
import { newRoomWithFolder } from "../../test/support/use-cases/room-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/room-people.ts";
import { createVariable, updateVariable } from "../variables/save.ts";
import { changeAcl, getAcl } from "./acls.ts";

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
