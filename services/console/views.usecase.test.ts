import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { viewRoutes } from "../../contract/routes/console/views.ts";
import type { Actor } from "../../core/people/actor.ts";
import type { Role } from "../../core/people/rights.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder, repeat } from "../../test/support/use-cases/world-objects.ts";
import { aReader } from "../../test/support/use-cases/world-people.ts";
import { createView, deleteView, listViews, updateView } from "./views.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
});

const caller = (actor: Actor) => ({ actor, workspace: world.workspace });
function aUser(username: string, role: Role = "developer"): Actor {
  const rights = { workspace: world.workspace, role, groups: [], folders: {}, objects: {} };
  return { ...aReader(world.workspace, []), username, email: `${username}-${randomUUID()}@example.com`, rights };
}
const failed = { name: "Failed", shared: false, query: { status: "failure", path: "f/ops/hello" } };
const create = (actor: Actor, fields: Partial<typeof failed> = {}) => createView(world.deps, caller(actor), { ...failed, ...fields });
const list = async (actor: Actor, ids: string[]) =>
  (await listViews(world.deps, caller(actor))).filter(({ id }) => ids.includes(id)).map(({ name }) => name);
const changesOf = (actor: Actor, id: string) => [
  () => updateView(world.deps, caller(actor), id, { name: "Mine" }),
  () => deleteView(world.deps, caller(actor), id),
];
const code = (name: string) => expect.objectContaining({ code: name });

describe("a saved filter of runs", () => {
  it("is seen, changed and deleted by its user alone", async () => {
    const [bob, cleo] = [aUser("bob"), aUser("cleo", "admin")];
    const id = await create(bob);
    expect(await listViews(world.deps, caller(bob))).toEqual([{ ...failed, id, created_by: "bob" }]);
    expect(await listViews(world.deps, caller(cleo))).toEqual([]);
    for (const change of changesOf(cleo, id)) await expect(change()).rejects.toEqual(code("view.notFound"));
    await updateView(world.deps, caller(bob), id, { name: "Failed today" });
    expect(await listViews(world.deps, caller(bob))).toEqual([{ ...failed, id, name: "Failed today", created_by: "bob" }]);
    await deleteView(world.deps, caller(bob), id);
    await expect(deleteView(world.deps, caller(bob), id)).rejects.toEqual(code("view.notFound"));
  });

  it("that is shared is seen by every member, and changed by its creator and admins", async () => {
    const [bob, cleo, admin] = [aUser("bob"), aUser("cleo"), aUser("ann", "admin")];
    const id = await create(bob, { shared: true });
    for (const each of [bob, cleo, admin]) expect(await list(each, [id])).toEqual(["Failed"]);
    for (const change of changesOf(cleo, id)) await expect(change()).rejects.toEqual(code("auth.forbidden"));
    await updateView(world.deps, caller(admin), id, { name: "All failures" });
    expect(await list(cleo, [id])).toEqual(["All failures"]);
    // It returns to its creator.
    await updateView(world.deps, caller(admin), id, { shared: false });
    expect([await list(bob, [id]), await list(cleo, [id]), await list(admin, [id])]).toEqual([["All failures"], [], []]);
    await updateView(world.deps, caller(bob), id, { shared: true });
    await deleteView(world.deps, caller(admin), id);
    expect(await list(bob, [id])).toEqual([]);
  });

  it("of an operator is not shared", async () => {
    const operator = aUser("oli", "operator");
    await expect(create(operator, { shared: true })).rejects.toEqual(code("auth.forbidden"));
    const id = await create(operator);
    await expect(updateView(world.deps, caller(operator), id, { shared: true })).rejects.toEqual(code("auth.forbidden"));
    expect(await list(operator, [id])).toEqual(["Failed"]);
  });

  it("is refused beyond the number that a user may have", async () => {
    const bob = aUser("bob");
    await Promise.all(Array.from({ length: limits.views }, () => create(bob)));
    await expect(create(bob)).rejects.toEqual(code("view.tooMany"));
  });

  it("has a few filters, whose names are plain words", () => {
    const parse = (query: unknown) => viewRoutes.createView.body.safeParse({ ...failed, query }).success;
    expect([{}, failed.query].map(parse)).toEqual([true, true]);
    const many = Object.fromEntries(Array.from({ length: limits.viewFilters + 1 }, (_, index) => [`a${index}`, ""]));
    const bad = [many, { a: 1 }, { a: "x".repeat(1001) }, { constructor: "x" }, { "": "x" }, []];
    expect(bad.map(parse)).toEqual(bad.map(() => false));
  });

  it("is in one list, whichever write of its move fails", async () => {
    await expectToSurviveFaults(async () => {
      const bob = aUser("bob");
      const id = await create(bob);
      const act = () => updateView(world.deps, caller(bob), id, { shared: true });
      return {
        act,
        recover: () => repeat(act, ["view.changedMeanwhile"]),
        check: async () => expect(await list(bob, [id])).toEqual(["Failed"]),
      };
    });
  });
});
