import { beforeAll, describe, expect, it } from "vitest";
import type { Person } from "../../core/people/actor.ts";
import type { Right } from "../../core/people/rights.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { changeAccess } from "../workspaces/access.ts";
import { findOtherWriters, type SavedStarter } from "./other-writers.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
  await changeAccess(
    world.deps.objects,
    world.workspace,
    (access) => {
      access.folders["own"] = { owners: ["u/ann"], perms: { "g/all": false } };
      access.folders["shared"] = { owners: ["u/ann"], perms: { "u/bob": true, "g/ops": true, "g/all": false } };
      access.objects["script f/own/lent"] = { "u/cleo": true, "u/dan": false };
    },
    { by: anAdmin },
  );
});

const a = (script_path: string, more: Partial<SavedStarter> = {}): SavedStarter => ({ script_path, is_flow: false, ...more });
const found = (saved: SavedStarter, actor: Person = anAdmin) =>
  findOtherWriters(world.deps, { actor, workspace: world.workspace }, async () => saved);
const bobAs = (role: "admin" | "developer"): Person => {
  const bob = aReader(world.workspace, []);
  return { ...bob, rights: { workspace: world.workspace, groups: [], folders: {} as Record<string, Right>, objects: {}, role } };
};

describe("an admin who saves a schedule or trigger", () => {
  it.each<[string, SavedStarter, object[]]>([
    ["the writers of the folder", a("f/shared/x"), [{ path: "f/shared/x", writers: ["g/ops", "u/bob"] }]],
    ["no user for a folder that only the admin may change", a("f/own/x"), []],
    ["those to whom the script is lent for writing", a("f/own/lent"), [{ path: "f/own/lent", writers: ["u/cleo"] }]],
    ["not those of another kind of object", a("f/own/lent", { is_flow: true }), []],
    ["the user whose script it is", a("u/bob/x"), [{ path: "u/bob/x", writers: ["u/bob"] }]],
    ["no user for the admin's own script", a("u/ann/x"), []],
    [
      "the writers of each handler, and of the script that skips runs",
      a("f/own/x", {
        on_failure: "script/u/bob/x",
        on_recovery: "flow/u/bob/y",
        on_success: "u/cleo/x",
        error_handler_path: "flow/f/own/x",
        dynamic_skip: "u/dan/x",
      }),
      [
        { path: "u/bob/x", writers: ["u/bob"] },
        { path: "u/bob/y", writers: ["u/bob"] },
        { path: "u/cleo/x", writers: ["u/cleo"] },
        { path: "u/dan/x", writers: ["u/dan"] },
      ],
    ],
    ["no user for static files, which run nothing", a("f/shared/x", { is_static_website: true }), []],
  ])("learns who else may change what it runs: %s", async (_, saved, expected) => {
    expect(await found(saved)).toEqual(expected);
  });

  it("names other users only, and a user who is not an admin receives no warning", async () => {
    expect(await found(a("f/shared/x"), bobAs("admin"))).toEqual([{ path: "f/shared/x", writers: ["g/ops", "u/ann"] }]);
    expect(await found(a("f/shared/x"), bobAs("developer"))).toEqual([]);
  });
});
