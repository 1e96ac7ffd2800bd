import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { describeError, isSvcError } from "../../contract/errors.ts";
import type { Person } from "../../core/people/actor.ts";
import { findVersion, newVersionedWorld, versionedKinds } from "../../test/support/use-cases/cases/versioned-kinds.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { muteFlowErrorHandler } from "../flows/definitions/mute-error-handler.ts";
import { addFolderOwner, getFolder } from "../folders/folders.ts";
import { deleteResourceType, getResourceType, updateResourceType } from "../resources/types.ts";
import { muteScriptErrorHandler } from "../scripts/change-version.ts";
import { changeAcl, getAcl } from "../workspaces/acls.ts";

let world: Awaited<ReturnType<typeof newVersionedWorld>>;
beforeAll(async () => {
  world = await newVersionedWorld();
});

const people: Person[] = ["ann", "bob"].map((username) => ({ ...anAdmin, username }));

describe.each(Object.entries(versionedKinds))("the version of a %s", (_, kind) => {
  const newObject = async () => {
    const path = kind.newPath?.() ?? `f/t/n${randomUUID().slice(0, 8)}`;
    await kind.create(path);
    return { path, version: (await findVersion(kind, path)) ?? "" };
  };

  it("lets one of two writers who have read the same version win, and tells the other who won and when", async () => {
    const { path, version } = await newObject();
    const outcomes = await Promise.allSettled(people.map((actor) => kind.change(path, actor.username, { actor, expected: [version] })));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const winner = people[outcomes.findIndex(({ status }) => status === "fulfilled")]?.username ?? "";
    const after = await findVersion(kind, path);
    // A writer that has read before the winner committed may be told only that another one was first. The next try names the winner.
    const refused = await kind.change(path, "again", { actor: anAdmin, expected: [version] }).catch((error: unknown) => error);
    if (!isSvcError(refused)) throw new Error("The change was not refused.");
    expect(refused.code).toBe("object.versionChanged");
    expect(describeError(refused)).toMatchObject({ status: 409 });
    expect(describeError(refused).sentence).toMatch(new RegExp(`${winner} changed it at \\d{4}-.*"${after}"`));
    expect(await findVersion(kind, path)).toBe(after);
  });

  it("allows the deletion of the version that was read, and of no other one", async () => {
    const { path, version } = await newObject();
    await kind.change(path, "other", { actor: anAdmin });
    const refused = kind.remove(path, { actor: anAdmin, expected: [version] });
    await expect(refused).rejects.toMatchObject({ code: "object.versionChanged" });
    const stored = (await findVersion(kind, path)) ?? "";
    expect(stored).not.toBe("");
    await kind.remove(path, { actor: anAdmin, expected: [stored] });
    expect(await findVersion(kind, path)).toBeUndefined();
  });

  it("is not checked for a writer who names none", async () => {
    const { path, version } = await newObject();
    await kind.change(path, "one", { actor: anAdmin });
    await kind.change(path, "two", { actor: anAdmin });
    expect(await findVersion(kind, path)).not.toBe(version);
  });

  it("is new once the caller has repeated a change, whichever of its writes failed", async () => {
    await expectToSurviveFaults(async () => {
      const { path, version } = await newObject();
      const act = () => kind.change(path, "new", { actor: anAdmin, expected: [version] });
      return {
        act,
        // The change may have been committed although its caller did not learn it.
        recover: () => repeat(act, ["object.versionChanged"]),
        check: async () => {
          const after = await findVersion(kind, path);
          expect(after).toBeDefined();
          expect(after).not.toBe(version);
        },
      };
    });
  });
});

describe("the version of a built-in resource type", () => {
  const write = (description: string, expected?: string[]) =>
    updateResourceType(world.deps, { actor: anAdmin, workspace: world.workspace, path: "postgresql", expected }, { description });
  const remove = () => deleteResourceType(world.deps, { actor: anAdmin, workspace: world.workspace, path: "postgresql" });
  const load = () => getResourceType(world.deps, world.workspace, "postgresql");

  it("is the one to name after the workspace's own type was deleted", async () => {
    const builtIn = await load();
    await write("one");
    const { version } = await load();
    await remove();
    await expect(write("two", [version])).rejects.toMatchObject({ code: "object.versionChanged" });
    expect(await load()).toEqual(builtIn);
    await write("two", [builtIn.version]);
    expect((await load()).json).toMatchObject({ description: "two" });
    await remove();
  });

  it("does not hide that a type does not exist", async () => {
    const target = { actor: anAdmin, workspace: world.workspace, path: "absent", expected: ["7"] };
    await expect(updateResourceType(world.deps, target, {})).rejects.toMatchObject({ code: "resourceType.notFound" });
  });
});

describe("of two changes at the same time that name no version", () => {
  const target = (name: string) => ({ actor: anAdmin, workspace: world.workspace, path: name, name });
  const both = (change: (owner: string) => Promise<void>) => Promise.all(["u/ann", "u/bob"].map(change));

  it("both give a folder an owner", async () => {
    const name = `n${randomUUID().slice(0, 8)}`;
    await versionedKinds["folder"]?.create(name);
    await both((owner) => addFolderOwner(world.deps, target(name), owner));
    expect((await getFolder(world.deps, world.workspace, name)).json.owners).toEqual(expect.arrayContaining(["u/ann", "u/bob"]));
  });

  it.each([
    ["script", muteScriptErrorHandler],
    ["flow", muteFlowErrorHandler],
  ] as const)("both mute the failures of a %s", async (kind, mute) => {
    const path = `f/t/n${randomUUID().slice(0, 8)}`;
    await versionedKinds[kind]?.create(path);
    await both(() => mute(world.deps, target(path), true));
    const key = versionedKinds[kind]?.key(path);
    expect(key && (await world.deps.objects.get(key))?.value).toMatchObject({ errorHandlerMuted: true });
  });

  it.each(["script", "flow"])("a deletion and a grant of a right leave no right to a deleted %s", async (kind) => {
    const path = `f/t/n${randomUUID().slice(0, 8)}`;
    await versionedKinds[kind]?.create(path);
    const acl = { workspace: world.workspace, kind, path };
    const grant = changeAcl(world.deps, anAdmin, acl, { owner: "u/ann", right: true });
    const [deletion, granted] = await Promise.allSettled([versionedKinds[kind]?.remove(path, { actor: anAdmin }), grant]);
    expect(deletion.status).toBe("fulfilled");
    if (granted.status === "rejected") expect(granted.reason).toMatchObject({ code: "access.notFound" });
    expect(await getAcl(world.deps, acl)).toEqual({});
  });
});
