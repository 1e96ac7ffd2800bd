import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { newVariableSchema } from "../../contract/routes/stored/variables.ts";
import type { ObjectKey } from "../../core/objects/write.ts";
import type { Person } from "../../core/people/actor.ts";
import { inviteObject } from "../../core/people/membership.ts";
import { personKey, userObject } from "../../core/people/person.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { createFolder, getFolder } from "../folders/folders.ts";
import { createVariable } from "../variables/save.ts";
import { changeAcl } from "./acls.ts";
import { addMember } from "./add-member.ts";
import { createGroup, getGroup } from "./groups.ts";
import { acceptInvite, deleteInvite, inviteUser } from "./invites.ts";
import { findMember, getCurrentUser, getMember, isMember, listMembers, updateMember } from "./members.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
});

const newName = () => `n${randomUUID().slice(0, 8)}`;
const guest = (email = `${newName()}@example.com`): Person => ({
  ...anAdmin,
  email,
  username: email.split("@")[0] ?? "",
  superAdmin: false,
});

async function invite(person: Person): Promise<void> {
  await inviteUser(world.deps, world.workspace, { email: person.email, is_admin: false, operator: false });
}
const accept = (person: Person, username?: string) => acceptInvite(world.deps, person, world.workspace, username);

async function saveVariable(path: string): Promise<void> {
  const variable = newVariableSchema.parse({ path, value: "hush", is_secret: true, description: "" });
  await createVariable(world.deps, { actor: anAdmin, workspace: world.workspace }, variable);
}

describe("the users of a workspace", () => {
  it("name only the folders that the reader, and the reader's token, may see", async () => {
    const { deps, workspace } = world;
    const name = newName();
    await createFolder(deps, anAdmin, workspace, { name, owners: ["u/ann"] } as Parameters<typeof createFolder>[3]);
    const foldersOf = async (actor: Person) => {
      const reader = { actor, workspace };
      const [listed, one] = [
        (await listMembers(deps, reader)).find(({ username }) => username === "ann"),
        await getMember(deps, reader, "ann"),
      ];
      expect(one).toEqual(listed);
      return [one.folders, one.folders_read, one.folders_owners].map((folders) => folders.includes(name) || folders.includes("t"));
    };
    expect(await foldersOf(anAdmin)).toEqual([true, true, true]);
    expect(await foldersOf({ ...anAdmin, scopes: ["users:read"] })).toEqual([false, false, false]);
    expect(await foldersOf(aReader(workspace, []))).toEqual([false, false, false]);
    expect((await getMember(deps, { actor: aReader(workspace, [name]), workspace }, "ann")).folders_read).toEqual([name]);
    expect((await getCurrentUser(deps, { ...anAdmin, scopes: ["users:read"] }, workspace)).folders).toContain(name);
  });
});

describe("an invited person cannot choose the username", () => {
  it("of a superadmin who is no member, and owns what they create", async () => {
    const name = newName();
    const root = { email: `${name}@example.com`, username: name, superAdmin: true, createdAtMs: 1 };
    await world.deps.objects.put({ ...userObject.key(personKey(root.email)), value: root });
    const person = guest();
    await invite(person);
    await expect(accept(person, name)).rejects.toMatchObject({ code: "user.usernameTaken" });
    await expect(accept(person, name.toUpperCase())).rejects.toMatchObject({ code: "user.usernameTaken" });
    await invite(guest(root.email));
    await accept(guest(root.email), name);
  });

  it("under which objects are stored", async () => {
    const name = newName();
    await saveVariable(`u/${name}/secret`);
    const person = guest();
    await invite(person);
    await expect(accept(person, name)).rejects.toMatchObject({ code: "user.usernameTaken" });
    await addMember(
      world.deps,
      world.workspace,
      { email: person.email, username: name, is_admin: false, operator: false },
      { inherits: true },
    );
  });

  it("that has rights, unless it is derived from their address", async () => {
    const [name, own] = [newName(), guest()];
    for (const owner of [`u/${name}`, `u/${own.username}`]) {
      const target = { workspace: world.workspace, kind: "folder", path: "t" };
      await changeAcl(world.deps, anAdmin, target, { owner, right: true });
    }
    const person = guest();
    await invite(person);
    await expect(accept(person, name)).rejects.toMatchObject({ code: "user.usernameTaken" });
    await accept(person);
    await invite(own);
    await accept(own);
  });
});

it("an invitation that is withdrawn while it is accepted adds no member", async () => {
  const person = guest();
  await invite(person);
  const objects = {
    ...world.deps.objects,
    get: async (key: ObjectKey) => {
      const found = await world.deps.objects.get(key);
      if (key.pk === inviteObject.partitionKey(world.workspace)) await deleteInvite(world.deps, world.workspace, person.email);
      return found;
    },
  };
  await expect(acceptInvite({ ...world.deps, objects }, person, world.workspace, undefined)).rejects.toMatchObject({
    code: "invite.notFound",
  });
  expect(await isMember(world.deps, world.workspace, person.email)).toBe(false);
});

it("two changes of a member at the same time both take effect", async () => {
  const { deps, workspace } = world;
  const { email, username } = guest();
  await addMember(deps, workspace, { email, username, is_admin: true, operator: false }, { inherits: true });
  for (let round = 0; round < 5; round += 1) {
    const disabled = round % 2 === 0;
    await Promise.all([
      updateMember(deps, workspace, username, { disabled }),
      updateMember(deps, workspace, username, { is_admin: !disabled, operator: false }),
    ]);
    expect(await findMember(deps, workspace, username)).toMatchObject({ disabled, role: disabled ? "developer" : "admin" });
  }
});

it("a superadmin who is no member gives nothing to a member with the same username by creating a folder or a group", async () => {
  const { deps, workspace } = world;
  const name = newName();
  const other: Person = { ...guest(), username: name, superAdmin: true };
  await addMember(deps, workspace, { email: guest().email, username: name, is_admin: false, operator: false }, { inherits: true });
  await createFolder(deps, other, workspace, { name } as Parameters<typeof createFolder>[3]);
  await createGroup(deps, { actor: other, workspace }, { name, summary: undefined });
  expect((await getFolder(deps, workspace, name)).json).toMatchObject({ owners: [], extra_perms: {} });
  expect(await getGroup(deps, workspace, name)).toMatchObject({ members: [], extra_perms: {} });
});
