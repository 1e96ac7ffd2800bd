import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { favoritesObject } from "../../core/console/favorites.ts";
import type { Person } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { hashToken, tokenObject, userTokenObject } from "../../core/people/token.ts";
import { countWrite, expectToSurviveFaults, withFault } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { editPreferences, getPreferences } from "../console/preferences.ts";
import { createView, listViews } from "../console/views.ts";
import { addMember } from "../workspaces/add-member.ts";
import { mayJoinInstance } from "../workspaces/auto-invite.ts";
import { inviteUser } from "../workspaces/invites.ts";
import { isMember } from "../workspaces/members.ts";
import { authenticate } from "./authenticate.ts";
import {
  addToInstanceGroup,
  createInstanceGroup,
  deleteInstanceGroup,
  getInstanceGroup,
  removeFromInstanceGroup,
  setInstanceGroupRole,
} from "./instance-groups.ts";
import { impersonate, openSession } from "./sign-in/sign-in.ts";
import { countTokens, createToken, deleteToken, listTokens, updateToken } from "./tokens/tokens.ts";
import { createUser, deleteUser, getOwnUser, listUsers, loadPerson, personExists, updateUser } from "./users.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

/** The accounts of a user pool whose calls may fail too. */
const passwords = new Map<string, string>();
const people = {
  ensureUser: (email: string, password: string) => countWrite("SetPassword", async () => void passwords.set(email, password)),
  deleteUser: (email: string) => countWrite("DeleteAccount", async () => void passwords.delete(email)),
} as unknown as Parameters<typeof createUser>[0]["people"];
const users = () => ({ ...world.deps, people });

const newEmail = () => `${randomUUID()}@example.com`;
async function aPerson(): Promise<Person> {
  const email = newEmail();
  await createUser(users(), { email, password: "correct horse", super_admin: false });
  return { ...anAdmin, email, superAdmin: false };
}
const signIn = (token: string) =>
  authenticate({ ...world.deps, publicKey: async () => undefined }, token).then(
    ({ actor }) => actor.email,
    (error: { code?: string }) => error.code,
  );
/** The stored tokens of a person: each one is both listed and valid, or neither. */
async function storedTokens({ email }: Person): Promise<string[]> {
  const listed = await world.deps.objects.list(userTokenObject.partitionKey(email), { beginsWith: "token#" });
  for (const { value } of listed) {
    const { hash } = value as { hash: string };
    expect((await world.deps.objects.get(tokenObject.key(hash)))?.value).toEqual(value);
  }
  return listed.map(({ value }) => (value as { hash: string }).hash);
}

const authenticated = async (token: string) => {
  const { actor } = await authenticate({ ...world.deps, publicKey: async () => undefined }, token);
  if (actor.kind !== "person") throw new Error("The token belongs to a job.");
  return actor;
};

describe("tokens, whichever of their writes fails,", () => {
  it("are created completely: each returned value works, and each listed token can be deleted", async () => {
    await expectToSurviveFaults(async () => {
      const person = await aPerson();
      const answered: string[] = [];
      const act = async () => void answered.push(await createToken(world.deps, person, { label: "ci" }));
      return {
        act,
        recover: act,
        check: async () => {
          for (const value of answered) expect(await signIn(value)).toBe(person.email);
          expect(await storedTokens(person)).toEqual(expect.arrayContaining(answered.map(hashToken)));
          for (const { token_prefix: prefix } of await listTokens(world.deps, person, {})) await deleteToken(world.deps, person, prefix);
          expect(await storedTokens(person)).toEqual([]);
          for (const value of answered) expect(await signIn(value)).toBe("auth.invalid");
        },
      };
    });
  });

  it("are counted for a workspace if they are valid and reach it", async () => {
    const person = await aPerson();
    const expiration = new Date(world.clock.nowMs + 3600_000).toISOString();
    await createToken(world.deps, person, { label: "everywhere" });
    await createToken(world.deps, person, { workspace_id: "other" });
    await createToken(world.deps, person, { workspace_id: "here", expiration });
    expect(await countTokens(world.deps, person.email, "here")).toBe(2);
    world.clock.nowMs += 2 * 3600_000;
    expect(await countTokens(world.deps, person.email, "here")).toBe(1);
  });

  it("are deleted, or changed, in both of their places", async () => {
    await expectToSurviveFaults(async () => {
      const person = await aPerson();
      const [first, second] = [await createToken(world.deps, person, {}), await createToken(world.deps, person, {})];
      const change = () => updateToken(world.deps, person, first, { label: "new" });
      const remove = () => deleteToken(world.deps, person, second);
      return {
        act: async () => {
          await change();
          await remove();
        },
        recover: async () => {
          await change();
          await repeat(remove, ["token.notFound"]);
        },
        check: async () => {
          expect(await storedTokens(person)).toEqual([hashToken(first)]);
          expect(await listTokens(world.deps, person, {})).toMatchObject([{ label: "new" }]);
          expect([await signIn(first), await signIn(second)]).toEqual([person.email, "auth.invalid"]);
        },
      };
    });
  });

  it("stay valid while their last use is recorded, until they expire", async () => {
    await expectToSurviveFaults(async () => {
      const person = await aPerson();
      const expiration = new Date(world.clock.nowMs + 10 * 24 * 3600_000).toISOString();
      const value = await createToken(world.deps, person, { expiration });
      world.clock.nowMs += 24 * 3600_000;
      return {
        act: () => authenticate({ ...world.deps, publicKey: async () => undefined }, value),
        recover: async () => undefined,
        check: async () => {
          expect(await signIn(value)).toBe(person.email);
          world.clock.nowMs = Date.parse(expiration);
          expect(await signIn(value)).toBe("auth.invalid");
          expect(await listTokens(world.deps, person, {})).toMatchObject([{ badge: "expired" }]);
        },
      };
    });
  });

  it("do not come back when they are deleted while they are changed and used", async () => {
    for (let round = 0; round < 6; round += 1) {
      const person = await aPerson();
      const value = await createToken(world.deps, person, {});
      world.clock.nowMs += 24 * 3600_000;
      await Promise.allSettled([
        signIn(value),
        updateToken(world.deps, person, value, { label: "new" }),
        deleteToken(world.deps, person, value),
        signIn(value),
      ]);
      expect(await signIn(value)).toBe("auth.invalid");
      expect(await storedTokens(person)).toEqual([]);
    }
  });
});

describe("a token that expires, and is no session,", () => {
  const at = (inMs: number) => new Date(world.clock.nowMs + inMs).toISOString();

  it("creates only tokens that expire with it or earlier", async () => {
    const person = await aPerson();
    const caller = await authenticated(await createToken(world.deps, person, { expiration: at(60_000) }));
    for (const expiration of [undefined, at(120_000)]) {
      await expect(createToken(world.deps, caller, { expiration })).rejects.toMatchObject({ code: "token.tooWide" });
      await expect(impersonate(world.deps, caller, person.email, { expiration })).rejects.toMatchObject({ code: "token.tooWide" });
    }
    await createToken(world.deps, caller, { expiration: at(60_000) });
    const session = await authenticated(
      await openSession(world.deps, (await loadPerson(world.deps, person.email)).person, { operation: "users.login", address: "" }),
    );
    await createToken(world.deps, session, {});
  });

  it("does not widen a token that is valid for longer", async () => {
    const person = await aPerson();
    const caller = await authenticated(await createToken(world.deps, person, { expiration: at(60_000) }));
    const lasting = await createToken(world.deps, person, { scopes: ["jobs:read"] });
    await expect(updateToken(world.deps, caller, lasting, { scopes: null })).rejects.toMatchObject({ code: "token.tooWide" });
    const short = await createToken(world.deps, person, { scopes: ["jobs:read"], expiration: at(30_000) });
    await updateToken(world.deps, caller, short, { scopes: null });
  });
});

it("a group of the instance shows its members to superadmins, and to others only themselves", async () => {
  const [ann, bob] = [await aPerson(), await aPerson()];
  const name = `g${randomUUID().slice(0, 8)}`;
  await createInstanceGroup(world.deps, { name });
  for (const { email } of [ann, bob]) await addToInstanceGroup(world.deps, name, email);
  const emailsFor = async (reader: Person) => (await getInstanceGroup(world.deps, reader, name)).emails?.sort();
  expect(await emailsFor(anAdmin)).toEqual([ann.email, bob.email].sort());
  expect(await emailsFor(ann)).toEqual([ann.email]);
  expect(await emailsFor({ ...ann, email: newEmail() })).toEqual([]);
});

describe("the role of a group of the instance", () => {
  const newGroup = async () => {
    const name = `g${randomUUID().slice(0, 8)}`;
    await createInstanceGroup(world.deps, { name });
    return name;
  };
  const isSuperAdminNow = async (email: string) => {
    const { person } = await loadPerson(world.deps, email);
    const token = await openSession(world.deps, person, { operation: "users.login", address: "" });
    return (await authenticated(token)).superAdmin;
  };

  it("makes its members superadmins while they are members and the group has the role", async () => {
    const [ann, bob] = [await aPerson(), await aPerson()];
    const name = await newGroup();
    await addToInstanceGroup(world.deps, name, ann.email);
    expect(await isSuperAdminNow(ann.email)).toBe(false);
    await setInstanceGroupRole(world.deps, name, "superadmin");
    await addToInstanceGroup(world.deps, name, bob.email);
    expect([await isSuperAdminNow(ann.email), await isSuperAdminNow(bob.email)]).toEqual([true, true]);
    expect(await getInstanceGroup(world.deps, anAdmin, name)).toMatchObject({ instance_role: "superadmin" });
    await removeFromInstanceGroup(world.deps, name, ann.email);
    expect([await isSuperAdminNow(ann.email), await isSuperAdminNow(bob.email)]).toEqual([false, true]);
    await setInstanceGroupRole(world.deps, name, "devops");
    expect(await isSuperAdminNow(bob.email)).toBe(false);
    await setInstanceGroupRole(world.deps, name, "superadmin");
    await deleteInstanceGroup(world.deps, name);
    expect(await isSuperAdminNow(bob.email)).toBe(false);
    await expect(setInstanceGroupRole(world.deps, name, "superadmin")).rejects.toMatchObject({ code: "group.notFound" });
  });

  it("applies to a member who is added while it is set, in either order", async () => {
    for (let round = 0; round < 5; round += 1) {
      const person = await aPerson();
      const name = await newGroup();
      const added = addToInstanceGroup(world.deps, name, person.email).catch(() => addToInstanceGroup(world.deps, name, person.email));
      await Promise.all([added, setInstanceGroupRole(world.deps, name, "superadmin")]);
      expect(await isSuperAdminNow(person.email)).toBe(true);
    }
  });

  it("is complete once the call is repeated, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const person = await aPerson();
      const name = await newGroup();
      await addToInstanceGroup(world.deps, name, person.email);
      const act = () => setInstanceGroupRole(world.deps, name, "superadmin");
      return { act, recover: act, check: async () => expect(await isSuperAdminNow(person.email)).toBe(true) };
    });
  });
});

it("all of several concurrent first sign-ins of a user open a session", async () => {
  const { email } = await aPerson();
  const { person, stored } = await loadPerson(world.deps, email);
  await world.deps.objects.put({ ...stored, value: { ...person, joining: true } });
  const signIn = () => openSession(world.deps, { ...person, joining: true }, { operation: "oauth.login", address: "" });
  expect(await Promise.all([signIn(), signIn(), signIn()])).toEqual(Array(3).fill(expect.any(String)));
  expect((await loadPerson(world.deps, email)).person).not.toHaveProperty("joining");
});

it("a deleted user is no longer invited to any workspace", async () => {
  const { email } = await aPerson();
  await inviteUser(world.deps, world.workspace, { email, is_admin: false, operator: false });
  expect(await mayJoinInstance(world.deps, email)).toBe(true);
  await deleteUser(users(), email);
  expect(await mayJoinInstance(world.deps, email)).toBe(false);
});

it("deleteUser erases what the user stored for the console, except shared views", async () => {
  const actor = await aPerson();
  const caller = { actor, workspace: world.workspace };
  await editPreferences(world.deps, actor, { theme: "dark" });
  const stars = favoritesObject.key(world.workspace, personKey(actor.email));
  await world.deps.objects.put({ ...stars, value: [{ kind: "script", path: "f/t/a" }], version: "1" });
  await createView(world.deps, caller, { name: "Mine", shared: false, query: {} });
  await createView(world.deps, { ...caller, actor: { ...actor, superAdmin: true } }, { name: "Ours", shared: true, query: {} });
  await deleteUser(users(), actor.email);
  expect(await getPreferences(world.deps, actor)).toEqual({});
  expect(await world.deps.objects.get(stars)).toBeUndefined();
  expect((await listViews(world.deps, caller)).map(({ name }) => name)).toEqual(["Ours"]);
});

describe("createUser, whichever of its writes fails,", () => {
  it("creates one user with the password when the call is repeated after it was told to wait", async () => {
    await expectToSurviveFaults(async () => {
      const email = newEmail();
      const act = () => createUser(users(), { email, password: "correct horse", super_admin: false });
      return {
        act,
        recover: async () => {
          await repeat(act, ["user.exists", "engine.busy"]);
          world.clock.nowMs += 31_000;
          await repeat(act, ["user.exists"]);
        },
        check: async () => {
          expect([await personExists(world.deps, email), passwords.get(email)]).toEqual([true, "correct horse"]);
          const other = createUser(users(), { email, password: "another horse", super_admin: true });
          await expect(other).rejects.toMatchObject({ code: "user.exists" });
          world.clock.nowMs += 31_000;
          await repeat(() => createUser(users(), { email, password: "another horse", super_admin: true }), ["user.exists"]);
          expect(passwords.get(email)).toBe("correct horse");
        },
      };
    });
  });

  it("leaves a user who can be deleted and created again", async () => {
    await expectToSurviveFaults(async () => {
      const email = newEmail();
      const act = () => createUser(users(), { email, password: "correct horse", super_admin: false });
      return {
        act,
        recover: async () => undefined,
        check: async () => {
          await repeat(() => deleteUser(users(), email), ["user.notFound"]);
          await act();
          expect([await personExists(world.deps, email), passwords.get(email)]).toEqual([true, "correct horse"]);
        },
      };
    });
  });
});

describe("simultaneous calls of createUser with different passwords", () => {
  it("create one user, who has the password of the call that succeeded", async () => {
    for (let round = 0; round < 6; round += 1) {
      const email = newEmail();
      const wanted = ["first horse", "second horse", "third horse"];
      const outcomes = await Promise.allSettled(wanted.map((password) => createUser(users(), { email, password, super_admin: false })));
      const made = wanted.filter((_, index) => outcomes[index]?.status === "fulfilled");
      expect(made).toEqual([passwords.get(email)]);
    }
  });
});

describe("a user who signs in before the call that creates them has recorded the password", () => {
  it("keeps the password when the call is repeated", async () => {
    const email = newEmail();
    const create = (password: string) => createUser(users(), { email, password, super_admin: false });
    await withFault({ write: 3, moment: "before", kind: "death" }, () => create("correct horse"));
    const { person } = await loadPerson(world.deps, email);
    await openSession(world.deps, person, { operation: "users.login", address: "203.0.113.9" });
    world.clock.nowMs += 31_000;
    await expect(create("another horse")).rejects.toMatchObject({ code: "user.exists" });
    expect(passwords.get(email)).toBe("correct horse");
  });
});

describe("deleteUser, whichever of its writes fails,", () => {
  it("leaves no token, membership, password or record when the call is repeated", async () => {
    await expectToSurviveFaults(async () => {
      const person = await aPerson();
      const { email } = person;
      const values = [await createToken(world.deps, person, {}), await createToken(world.deps, person, {})];
      const username = personKey(email).slice(0, 20);
      await addMember(world.deps, world.workspace, { email, username, is_admin: false, operator: false }, { inherits: true });
      const act = () => deleteUser(users(), email);
      return {
        act,
        recover: () => repeat(act, ["user.notFound"]),
        check: async () => {
          expect(await storedTokens(person)).toEqual([]);
          for (const value of values) expect(await signIn(value)).toBe("auth.invalid");
          expect(await isMember(world.deps, world.workspace, email)).toBe(false);
          expect([await personExists(world.deps, email), passwords.has(email)]).toEqual([false, false]);
        },
      };
    });
  });
});

describe("the list of users", () => {
  it("contains disabled users unless only active ones are requested", async () => {
    const [active, disabled] = [await aPerson(), await aPerson()];
    await updateUser(world.deps, disabled.email, { disabled: true });
    const emails = async (query: Parameters<typeof listUsers>[1]) => (await listUsers(world.deps, query)).map(({ email }) => email);
    const all = await emails({ per_page: 100 });
    expect(all).toEqual(expect.arrayContaining([active.email, disabled.email]));
    expect(await emails({ per_page: 100, active_only: true })).toContain(active.email);
    expect(await emails({ per_page: 100, active_only: true })).not.toContain(disabled.email);
    expect([...(await emails({ page: 1, per_page: 1 })), ...(await emails({ page: 2, per_page: 1 }))]).toEqual(all.slice(0, 2));
  });

  it("shows a caller whose token has fewer rights than its owner as no superadmin", async () => {
    const { email } = await aPerson();
    await updateUser(world.deps, email, { is_super_admin: true });
    const superAdmin = async (isOne: boolean) => (await getOwnUser(world.deps, { ...anAdmin, email, superAdmin: isOne })).super_admin;
    expect([await superAdmin(true), await superAdmin(false)]).toEqual([true, false]);
  });
});
