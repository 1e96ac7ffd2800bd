import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { newVariableSchema } from "../../contract/routes/stored/variables.ts";
import { filesPrefix } from "../../core/files/file-key.ts";
import { flowListingObject } from "../../core/flows/version.ts";
import { settingObject } from "../../core/objects/setting.ts";
import { write } from "../../core/objects/write.ts";
import type { Person } from "../../core/people/actor.ts";
import { resourceObject } from "../../core/resources/resource.ts";
import { scriptListingObject } from "../../core/scripts/version.ts";
import { findWorkspace } from "../../core/stored-objects.ts";
import { variableObject } from "../../core/variables/variable.ts";
import { aQueuedJob } from "../../test/builders/jobs.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addJob, addWorkspace, listJobs, newIsolation } from "../../test/support/use-cases/world-jobs.ts";
import { repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { createFolder, deleteFolder, folderExists } from "../folders/folders.ts";
import { purgeDeletedWorkspaces } from "../maintenance/purge-workspaces.ts";
import { createVariable } from "../variables/save.ts";
import { changeAccess } from "./access.ts";
import { deleteWorkspace, setWorkspaceArchived } from "./archive.ts";
import { createGroup, deleteGroup, getGroup, getVersionedGroup, listGroupNames, setGroupSummary } from "./groups.ts";
import { listMembers } from "./members.ts";
import { createWorkspace, listAllWorkspaces, listUserWorkspaces, renameWorkspace, setWorkspaceColor } from "./workspaces.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

const newId = () => `w-${randomUUID().slice(0, 8)}`;
const create = (id: string) => createWorkspace(world.deps, anAdmin, { id, name: id });
const find = async (id: string) => (await listAllWorkspaces(world.deps)).find((workspace) => workspace.id === id);

describe("createWorkspace and setWorkspaceArchived, whichever of their writes fails,", () => {
  it("create a workspace with its creator as admin, or return that it exists; and archive it", async () => {
    await expectToSurviveFaults(async () => {
      const id = newId();
      const archive = () => setWorkspaceArchived(world.deps, id, true);
      return {
        act: async () => {
          await create(id);
          await archive();
        },
        recover: async () => {
          await repeat(() => create(id), ["workspace.exists"]);
          await archive();
        },
        check: async () => {
          expect(await find(id)).toMatchObject({ id, deleted: true });
          expect(await listMembers(world.deps, { actor: anAdmin, workspace: id })).toMatchObject([
            { email: anAdmin.email, is_admin: true },
          ]);
        },
      };
    });
  });
});

describe("a deleted workspace, whichever write of its deletion and removal fails,", () => {
  it("is deleted with all its data when the call is repeated and housekeeping runs, and its id is free", async () => {
    const make = async () => {
      const id = newId();
      const own = { ...world, workspace: id };
      await create(id);
      await createFolder(world.deps, anAdmin, id, { name: "t" } as Parameters<typeof createFolder>[3]);
      const variable = newVariableSchema.parse({ path: "f/t/v", value: "hush", is_secret: true, description: "" });
      await createVariable(world.deps, { actor: anAdmin, workspace: id }, variable);
      const job = await addJob(own, {});
      await world.deps.storage.putObject(`files/${id}/a.txt`, "a", "text/plain");
      const remove = () => deleteWorkspace(world.deps, id, "ann");
      const purge = async () => {
        for (let pass = 0; pass < 2; pass += 1) {
          await purgeDeletedWorkspaces({ ...world.deps, isolation: newIsolation(world) }, Number.POSITIVE_INFINITY);
          // Longer than a function that began before the deletion may write.
          world.clock.nowMs += 17 * 60_000;
        }
      };
      return {
        act: async () => {
          await remove();
          await purge();
        },
        recover: async () => {
          // A fault before the first removal does not undo the deletion: the repeated call finds no workspace.
          await repeat(remove, ["workspace.notFound"]);
          await purge();
          await purge();
        },
        check: async () => {
          const { items } = await world.deps.scanObjects(undefined);
          expect(items.filter((item) => findWorkspace(item) === id).map(({ pk }) => pk)).toEqual([]);
          expect([await listJobs(own), await world.deps.jobs.get(job.id)]).toEqual([[], undefined]);
          expect(await world.deps.storage.getObjectEtag(`files/${id}/a.txt`)).toBeUndefined();
          await create(id);
          expect(await find(id)).toMatchObject({ id });
        },
      };
    };
    await expectToSurviveFaults(make, { kinds: ["death"] });
  });
});

it("the list of group names contains all groups, or only the caller's groups", async () => {
  const { deps, workspace } = world;
  for (const name of ["readers", "writers"]) await createGroup(deps, { actor: anAdmin, workspace }, { name, summary: "of a report" });
  const caller = { actor: aReader(workspace, []), workspace };
  expect(await listGroupNames(deps, caller, { onlyOwn: false })).toEqual(["all", "readers", "writers"]);
  expect(await listGroupNames(deps, caller, { onlyOwn: true })).toEqual(["readers"]);
  await setGroupSummary(deps, { actor: anAdmin, workspace }, { name: "readers", summary: "" });
  expect(await getGroup(deps, workspace, "readers")).not.toHaveProperty("summary");
});

it("a change of a group that names an older version is refused, also for a group that was created again", async () => {
  const { deps, workspace } = world;
  const [caller, name] = [{ actor: anAdmin, workspace }, `g${randomUUID()}`];
  const change = (summary: string, version: string) => setGroupSummary(deps, caller, { name, summary, expected: [version] });
  await createGroup(deps, caller, { name, summary: "First" });
  const { version } = await getVersionedGroup(deps, workspace, name);
  await change("Second", version);
  const second = (await getVersionedGroup(deps, workspace, name)).version;
  await expect(change("Third", version)).rejects.toMatchObject({ code: "object.versionChanged", details: { version: second } });
  expect(await getGroup(deps, workspace, name)).toMatchObject({ summary: "Second" });
  await deleteGroup(deps, workspace, name);
  await createGroup(deps, caller, { name, summary: "Second" });
  await expect(change("Fourth", second)).rejects.toMatchObject({ code: "object.versionChanged" });
});

it("the workspaces of a user have the name and the colour that they were given last, and archived ones are omitted", async () => {
  const [id, archived] = [newId(), newId()];
  for (const each of [id, archived]) await create(each);
  await renameWorkspace(world.deps, id, "Sales");
  await setWorkspaceColor(world.deps, id, "#ff0000");
  await setWorkspaceArchived(world.deps, archived, true);
  const own = async () => (await listUserWorkspaces(world.deps, anAdmin)).filter((one) => [id, archived].includes(one.id));
  expect(await own()).toEqual([{ id, name: "Sales", username: "ann", color: "#ff0000", disabled: false, is_dev_workspace: false }]);
  await setWorkspaceColor(world.deps, id, null);
  expect(await own()).toMatchObject([{ id, color: "" }]);
  expect(await listUserWorkspaces(world.deps, { ...anAdmin, workspace: id })).toHaveLength(1);
});

it("a folder exists as soon as it is created", async () => {
  expect(await folderExists(world.deps, world.workspace, "reports")).toBe(false);
  await createFolder(world.deps, anAdmin, world.workspace, { name: "reports" } as Parameters<typeof createFolder>[3]);
  expect(await folderExists(world.deps, world.workspace, "reports")).toBe(true);
});

describe("the name of a deleted folder or group", () => {
  const newName = () => `n${randomUUID().slice(0, 8)}`;
  const bob = (): Person => ({ ...aReader(world.workspace, []), username: "bob" });
  const makeFolder = (actor: Person, name: string) =>
    createFolder(world.deps, actor, world.workspace, { name } as Parameters<typeof createFolder>[3]);

  const workspace = () => world.workspace;
  const fileOf = (name: string) => `${filesPrefix(workspace())}f/${name}/report.csv`;
  const runOf = (name: string) => {
    const createdAtMs = world.clock.nowMs;
    return aQueuedJob({ workspace: workspace(), path: `f/${name}/left`, createdAtMs, expiresAtMs: createdAtMs + 1e9 });
  };
  const storage = { type: "S3Storage", s3_resource_path: "f/t/bucket" };

  it.each<[string, (name: string) => Promise<unknown>, string[]]>([
    ["nothing", async () => undefined, []],
    ["a file", (name) => world.deps.storage.putObject(fileOf(name), Buffer.from("x"), "text/csv"), ["files"]],
    ["a run", (name) => world.deps.jobs.create(runOf(name), undefined), ["runs"]],
    ["a variable", (name) => world.deps.objects.put({ ...variableObject.key(workspace(), `f/${name}/left`), value: {} }), ["variables"]],
    [
      "a permission of an object",
      (name) =>
        changeAccess(
          world.deps.objects,
          workspace(),
          ({ objects }) => {
            objects[`script f/${name}/left`] = { "u/eve": true };
          },
          { by: "bounded" },
        ),
      ["permissions"],
    ],
    [
      "a separate storage",
      () => world.deps.objects.put({ ...settingObject.key(workspace(), "large_file_storage"), value: storage }),
      ["files"],
    ],
  ])("is free for a developer only if nothing is left, and the refusal names exactly that: %s", async (_, leave, inherits) => {
    const name = newName();
    expect(await makeFolder(bob(), name)).toEqual([]);
    await leave(name);
    await deleteFolder(world.deps, { actor: anAdmin, workspace: workspace(), name });
    if (inherits.length > 0) {
      await expect(makeFolder(bob(), name)).rejects.toMatchObject({ code: "folder.notEmpty", details: { inherits } });
      expect(await makeFolder(anAdmin, name)).toEqual(inherits);
    } else expect(await makeFolder(bob(), name)).toEqual([]);
    await expect(makeFolder(bob(), name)).rejects.toMatchObject({ code: "folder.exists" });
    await world.deps.objects.transactWrite([write.remove(settingObject.key(workspace(), "large_file_storage"))]);
  });

  it.each([
    ["variables", variableObject.key],
    ["resources", resourceObject.key],
    ["scripts", scriptListingObject.key],
    ["flows", flowListingObject.key],
  ] as const)("is reserved for admins while %s remain of a folder that an earlier release deleted", async (kind, key) => {
    const name = newName();
    await world.deps.objects.put({ ...key(world.workspace, `f/${name}/left`), value: { archived: true } });
    await expect(makeFolder(bob(), name)).rejects.toMatchObject({ code: "folder.notEmpty", details: { inherits: [kind] } });
    expect(await makeFolder(anAdmin, name)).toEqual([kind]);
  });

  it("is reserved for admins while runs remain of a folder that an earlier release deleted", async () => {
    const [name, workspace] = [newName(), world.workspace];
    const createdAtMs = world.clock.nowMs;
    const job = aQueuedJob({ workspace, path: `f/${name}/left`, createdAtMs, expiresAtMs: createdAtMs + 1e9 });
    await world.deps.jobs.create(job, undefined);
    await expect(makeFolder(bob(), name)).rejects.toMatchObject({ code: "folder.notEmpty", details: { inherits: ["runs"] } });
    expect(await makeFolder(anAdmin, name)).toEqual(["runs"]);
  });

  it("cannot be taken by a creation during the deletion", async () => {
    const name = newName();
    await makeFolder(anAdmin, name);
    const tries = Array.from({ length: 5 }, () => makeFolder(bob(), name).catch(({ code }: { code: string }) => code));
    const [, ...outcomes] = await Promise.all([deleteFolder(world.deps, { actor: anAdmin, workspace: world.workspace, name }), ...tries]);
    // Nothing is left, so a creation after the deletion may succeed, once.
    expect(outcomes.filter((outcome) => Array.isArray(outcome)).length).toBeLessThanOrEqual(1);
    for (const outcome of outcomes) if (!Array.isArray(outcome)) expect(["folder.exists", "folder.notEmpty"]).toContain(outcome);
  });

  it("is reserved for admins if it was a group's name, because approval rules of flows may still name the group", async () => {
    const name = newName();
    const caller = (actor: Person) => ({ actor, workspace: world.workspace });
    await createGroup(world.deps, caller(bob()), { name, summary: "" });
    await deleteGroup(world.deps, world.workspace, name);
    await expect(createGroup(world.deps, caller(bob()), { name, summary: "" })).rejects.toMatchObject({ code: "group.former" });
    await createGroup(world.deps, caller(anAdmin), { name, summary: "" });
    await expect(createGroup(world.deps, caller(bob()), { name, summary: "" })).rejects.toMatchObject({ code: "group.exists" });
  });

  it("is reserved for admins if the handlers of the workspace run as that group, whose members have the rights of the handlers", async () => {
    const [name, caller] = ["error_handler", (actor: Person) => ({ actor, workspace: world.workspace })];
    await expect(createGroup(world.deps, caller(bob()), { name, summary: "" })).rejects.toMatchObject({ code: "group.former" });
    await createGroup(world.deps, caller(anAdmin), { name, summary: "" });
  });
});
