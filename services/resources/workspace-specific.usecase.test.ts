import { beforeAll, expect, it } from "vitest";
import { newVariableSchema } from "../../contract/routes/stored/variables.ts";
import type { Actor } from "../../core/people/actor.ts";
import { variableObject } from "../../core/variables/variable.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { createFolder } from "../folders/folders.ts";
import { listVariables } from "../variables/read.ts";
import { createVariable, updateVariable } from "../variables/save.ts";
import { findResource, listResources } from "./read.ts";
import { createResource, updateResource } from "./save.ts";
import { listWorkspaceSpecific } from "./workspace-specific.ts";

let world: World;
let caller: { actor: Actor; workspace: string };
beforeAll(async () => {
  world = await newWorldWithFolder();
  caller = { actor: anAdmin, workspace: world.workspace };
  await createFolder(world.deps, anAdmin, world.workspace, { name: "other" } as Parameters<typeof createFolder>[3]);
});

const list = (actor: Actor = anAdmin) => listWorkspaceSpecific(world.deps, { ...caller, actor });
const saveVariable = (path: string, marked?: boolean) =>
  createVariable(world.deps, caller, newVariableSchema.parse({ path, value: "v", is_secret: false, ws_specific: marked }));
const saveResource = (path: string, marked?: boolean) =>
  createResource(world.deps, caller, { path, value: {}, resource_type: "any", ws_specific: marked });
const at = (path: string) => ({ ...caller, path });
const ofVariable = (path: string) => ({ item_kind: "variable", path });
const ofResource = (path: string) => ({ item_kind: "resource", path });

it("lists the marked variables and resources until they are not marked any longer", async () => {
  expect(await list()).toEqual([]);
  await saveVariable("f/t/b", true);
  await saveVariable("f/t/a", true);
  await saveVariable("f/t/plain");
  await saveVariable("f/t/off", false);
  await saveResource("f/t/a", true);
  await saveResource("f/t/plain");
  const marked = [ofVariable("f/t/a"), ofVariable("f/t/b"), ofResource("f/t/a")];
  expect(await list()).toEqual(marked);
  const all = () => true;
  const flags = async () => [
    ...(await listVariables(world.deps, world.workspace, {}, all)).map(({ path, ws_specific: flag }) => [path, flag]),
    ...(await listResources(world.deps, world.workspace, {}, all)).map(({ path, ws_specific: flag }) => [path, flag]),
  ];
  expect((await flags()).filter(([, flag]) => flag)).toEqual(marked.map(({ path }) => [path, true]));
  expect((await findResource(world.deps, world.workspace, "f/t/a")).wsSpecific).toBe(true);

  // A change that does not contain the mark retains it, and a rename moves it.
  await updateVariable(world.deps, at("f/t/a"), { description: "changed" });
  await updateVariable(world.deps, at("f/t/b"), { path: "f/t/c" });
  await updateVariable(world.deps, at("f/t/plain"), { ws_specific: true });
  await updateResource(world.deps, at("f/t/a"), { ws_specific: false });
  expect(await list()).toEqual([ofVariable("f/t/a"), ofVariable("f/t/c"), ofVariable("f/t/plain")]);
});

it("lists only what the caller may read", async () => {
  await saveVariable("f/other/marked", true);
  await saveResource("f/other/marked", true);
  const reader = aReader(world.workspace, ["other"]);
  expect(await list(reader)).toEqual([ofVariable("f/other/marked"), ofResource("f/other/marked")]);
  expect(await list(aReader(world.workspace, []))).toEqual([]);
  // An extra permission on the variable does not extend to the resource at its path.
  const rights = { workspace: world.workspace, role: "developer" as const, groups: [], folders: {} };
  expect(await list({ ...reader, rights: { ...rights, objects: { "variable f/other/marked": "read" } } })).toEqual([
    ofVariable("f/other/marked"),
  ]);
  expect(await list({ ...reader, scopes: ["workspaces:read", "resources:read"] })).toEqual([ofResource("f/other/marked")]);
  expect(await list(aReader("elsewhere", ["other"]))).toEqual([]);
});

it("leaves out an item that cannot be read", async () => {
  await world.deps.objects.put({ ...variableObject.key(world.workspace, "f/t/damaged"), value: { path: 1, wsSpecific: true } });
  expect((await list()).map(({ path }) => path)).not.toContain("f/t/damaged");
});
