import { beforeAll, expect, it } from "vitest";
import { newResourceSchema } from "../../contract/routes/stored/resources.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { listResourceNames, resourceExists, searchResources } from "./read.ts";
import { createResource } from "./save.ts";
import { createResourceType, listFileTypes, listResourceTypeNames, resourceTypeExists } from "./types.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
  const create = (path: string, value: unknown, resource_type: string) =>
    createResource(world.deps, { actor: anAdmin, workspace: world.workspace }, newResourceSchema.parse({ path, value, resource_type }), {});
  await create("f/t/db/main", { host: "a" }, "any");
  await create("f/t/hidden", { host: "b" }, "any");
  await create("f/t/state", 1, "state");
});

const isVisible = (path: string) => path !== "f/t/hidden";

it("the list of names of a type contains the paths of the visible resources without their space and folder", async () => {
  expect(await listResourceNames(world.deps, world.workspace, "any", isVisible)).toEqual([{ name: "db/main", path: "f/t/db/main" }]);
  expect(await listResourceNames(world.deps, world.workspace, "none", isVisible)).toEqual([]);
});

it("a search returns the values of the resources that the caller may see", async () => {
  expect(await searchResources(world.deps, world.workspace, isVisible)).toEqual([
    { path: "f/t/db/main", value: { host: "a" } },
    { path: "f/t/state", value: 1 },
  ]);
  expect(await resourceExists(world.deps, world.workspace, "f/t/state")).toBe(true);
  expect(await resourceExists(world.deps, world.workspace, "f/t/none")).toBe(false);
});

it("the list of file types contains the types with a file extension and the types of file sets", async () => {
  const create = (name: string, fields: object) =>
    createResourceType(world.deps, { actor: anAdmin, workspace: world.workspace }, { name, ...fields } as never);
  const before = await listFileTypes(world.deps, world.workspace);
  await create("c_ini", { format_extension: "ini" });
  await create("c_set", { is_fileset: true });
  await create("c_plain", {});
  // Earlier releases accepted any text.
  await create("c_old", { format_extension: "../../x" });
  expect(await listFileTypes(world.deps, world.workspace)).toEqual({
    ...before,
    c_ini: { format_extension: "ini" },
    c_set: { is_fileset: true },
    c_old: { format_extension: "../../x" },
  });
  expect(await listResourceTypeNames(world.deps, world.workspace)).toEqual(expect.arrayContaining(["c_ini", "c_plain", "c_set"]));
  expect(await resourceTypeExists(world.deps, world.workspace, "c_plain")).toBe(true);
  expect(await resourceTypeExists(world.deps, world.workspace, "c_none")).toBe(false);
});
