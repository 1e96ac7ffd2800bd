import { beforeAll, expect, it } from "vitest";
import { newVariableSchema } from "../../contract/routes/stored/variables.ts";
import type { Access } from "../../core/permissions/access.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { createVariable, updateVariable } from "../variables/save.ts";
import { changeAccess, countBytes, loadAccess } from "./access.ts";
import { changeAcl } from "./acls.ts";
import { addToGroup, createGroup, setGroupSummary } from "./groups.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
});

it("members cannot use up the space for rights with the summary or the members of a group, or with the longer path of an object with permissions", async () => {
  const { deps, workspace } = world;
  const [bob, admin] = [
    { actor: aReader(workspace, []), workspace },
    { actor: anAdmin, workspace },
  ];
  await createGroup(deps, bob, { name: "team", summary: undefined });
  await createVariable(deps, bob, newVariableSchema.parse({ path: "u/bob/a", value: "1", is_secret: false, description: "" }));
  await changeAcl(deps, bob.actor, { workspace, kind: "variable", path: "u/bob/a" }, { owner: "u/eve", right: false });
  const { access } = await loadAccess(deps.objects, workspace);
  const free = 250 * 1024 - countBytes(access);
  const fill = ({ groups }: Access) => {
    groups["full"] = { summary: "x".repeat(free - 60), members: [], perms: {} };
  };
  await changeAccess(deps.objects, workspace, fill, { by: "bounded" });
  const longer = `u/bob/${"a".repeat(100)}`;
  const attempts = (caller: typeof bob) => [
    () => setGroupSummary(deps, caller, { name: "team", summary: "y".repeat(100) }),
    () => updateVariable(deps, { ...caller, path: "u/bob/a" }, { path: longer }),
    () => addToGroup(deps, caller, "team", "ann"),
  ];
  // Only the first two exceed the remaining space.
  for (const attempt of attempts(bob).slice(0, 2)) await expect(attempt()).rejects.toMatchObject({ code: "access.tooMuch" });
  for (const attempt of attempts(admin)) await attempt();
  await expect(addToGroup(deps, bob, "full", "ann")).rejects.toMatchObject({ code: "access.tooMuch" });
  await setGroupSummary(deps, bob, { name: "team", summary: "" });
});
