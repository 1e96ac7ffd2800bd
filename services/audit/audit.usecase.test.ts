import { beforeAll, expect, it } from "vitest";
import { SvcError } from "../../contract/errors.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { findAuditEntries, runAudited } from "./audit.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

it.each([
  ["in several steps that is refused halfway keeps its entry", true, 1],
  ["in one step that is refused has no entry", false, 0],
])("an action %s", async (_, inSteps, count) => {
  const action = { workspace: world.workspace, username: "ann", operation: `test.${inSteps}`, action_kind: "Delete" as const, inSteps };
  const refused = async () => {
    throw new SvcError("access.changedMeanwhile", {});
  };
  await expect(runAudited(world.deps, action, refused)).rejects.toMatchObject({ code: "access.changedMeanwhile" });
  const { entries } = await findAuditEntries(world.deps, world.workspace, { operation: `test.${inSteps}` });
  expect(entries).toHaveLength(count);
});

it("an entry may name an object by a text that was cut within a surrogate pair", async () => {
  const action = { workspace: world.workspace, username: "ann", operation: "test.cut", action_kind: "Delete" as const };
  expect(await runAudited(world.deps, { ...action, resource: `${"x".repeat(399)}😀`.slice(0, 400) }, async () => "done")).toBe("done");
  const { entries } = await findAuditEntries(world.deps, world.workspace, { operation: "test.cut" });
  expect(entries).toMatchObject([{ resource: `${"x".repeat(399)}\ufffd` }]);
});
