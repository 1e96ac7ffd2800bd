import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routes } from "../../contract/routes/routes.ts";
import { updateUser } from "../../services/identity/users.ts";
import type { Api } from "../../test/support/api/api.ts";
import { listPages } from "../../test/support/api/list-pages.ts";
import { member, type Someone, someone } from "../../test/support/api/people.ts";
import { shaped } from "../../test/support/api/shaped.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../test/support/api/workspace.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
let client: Api;
let dev: Someone;
beforeAll(async () => {
  service = await startService(["objects", "people"]);
  ws = service.ws;
  client = service.api;
  dev = await member(ws, "dev");
});
afterAll(() => service.close());

const status = async (answer: Promise<{ status: number }>) => (await answer).status;

describe("users of a workspace", () => {
  it("a user reads their own account, with their rights on each folder", async () => {
    expectStatus(await ws.post("folders/create", { name: "w1", owners: [], extra_perms: { [`u/${dev.username}`]: true } }), 201);
    expectStatus(await ws.post("folders/create", { name: "r1", owners: [], extra_perms: { "g/all": false } }), 201);
    const mine = dev.in(ws);
    expectStatus(await mine.post("folders/create", { name: "o1" }), 201);
    expect(shaped(routes.whoami, await mine.get("users/whoami"))).toEqual({
      email: dev.email,
      username: dev.username,
      is_admin: false,
      is_super_admin: false,
      created_at: expect.any(String),
      operator: false,
      disabled: false,
      groups: ["all"],
      folders: ["o1", "w1"],
      folders_read: ["o1", "r1", "w1"],
      folders_owners: ["o1"],
    });
    expect(shaped(routes.globalWhoami, await dev.api.get("users/whoami"))).toEqual({
      email: dev.email,
      login_type: "password",
      super_admin: false,
      verified: true,
      username: dev.username,
      first_time_user: false,
      role_source: "manual",
      disabled: false,
    });
    expect((await mine.get("users/is_owner/f/o1/x")).json).toBe(true);
    expect((await mine.get("users/is_owner/f/w1/x")).json).toBe(false);
    expect((await mine.get(`users/is_owner/u/${dev.username}/x`)).json).toBe(true);
  });

  it("users are listed, looked up by username, and changed only by admins", async () => {
    const mine = dev.in(ws);
    const listed = shaped(routes.listMembers, await mine.get("users/list"));
    expect(listed).toContainEqual(expect.objectContaining({ username: "admin", is_admin: true, is_super_admin: true }));
    expect((await mine.get("users/list_usernames")).json).toEqual(["admin", dev.username]);
    expect(shaped(routes.getMember, await mine.get(`users/get/${dev.username}`))).toMatchObject({ email: dev.email });
    expect(shaped(routes.whois, await mine.get(`users/whois/${dev.username}`))).toMatchObject({ email: dev.email });
    const email = await mine.get(`users/username_to_email/${dev.username}`);
    expect([email.text, email.headers.get("content-type")]).toEqual([dev.email, "text/plain; charset=utf-8"]);
    expect(await status(mine.get("users/get/missing-user"))).toBe(404);
    expect(await status(mine.post(`users/update/${dev.username}`, { is_admin: true }))).toBe(403);
    expect(await status(mine.post("workspaces/add_user", { email: "a@b.cd", is_admin: true, operator: false }))).toBe(403);
    expectStatus(await ws.post(`users/update/${dev.username}`, { operator: true }), 200);
    expect((await mine.get("users/whoami")).json).toMatchObject({ operator: true, folders: [], folders_owners: [] });
    expectStatus(await ws.post(`users/update/${dev.username}`, { operator: false }), 200);
  });

  it("a user is added once, with a unique username", async () => {
    const body = { email: dev.email, is_admin: false, operator: false };
    expect(await status(ws.post("workspaces/add_user", body))).toBe(409);
    const other = await ws.post("workspaces/add_user", { ...body, email: `x${dev.email}`, username: dev.username });
    expect([other.status, other.headers.get("x-svc-error")]).toEqual([409, "user.usernameTaken"]);
    const both = await Promise.all(
      ["one", "two"].map((name) => ws.post("workspaces/add_user", { ...body, email: `${name}${dev.email}`, username: "same" })),
    );
    expect(both.map((answer) => answer.status).sort()).toEqual([201, 409]);
  });
});

describe("usernames", () => {
  const guestOf = async (workspace: Workspace) => {
    const guest = await someone("heir", client);
    expectStatus(await workspace.post("workspaces/invite_user", { email: guest.email, is_admin: false, operator: false }), 201);
    return guest;
  };

  it("a new member with a user's name does not replace that user", async () => {
    const own = await newWorkspace(service.api);
    const victim = await member(own, "victim");
    const email = `${victim.username}@elsewhere.example.com`;
    expectStatus(await client.post("users/create", { email, super_admin: false }), 201);
    const token = expectStatus(await client.post("users/tokens/impersonate", { impersonate_email: email }), 201).text;
    const left = (id: string) => status(client.call("POST", `w/${id}/workspaces/leave`, { token }));
    expect([await left(own.id), await left("nowhere")]).toEqual([404, 404]);
    // An admin of the instance is not a member either.
    expect(await status(own.post("workspaces/leave"))).toBe(200);
    expect(await status(own.post("workspaces/leave"))).toBe(404);
    expect(await status(victim.in(own).get("users/whoami"))).toBe(200);
  });

  it("a former username and its objects return to their owner, and no other user can choose the name", async () => {
    const own = await newWorkspace(service.api);
    const gone = await member(own, "gone");
    const path = `u/${gone.username}/key`;
    const secret = { path, value: "left-behind-value", is_secret: true, description: "" };
    expectStatus(await gone.in(own).post("variables/create", secret), 201);
    expectStatus(await gone.in(own).post("workspaces/leave"), 200);
    const heir = await guestOf(own);
    const accept = (username: string) => heir.api.post("users/accept_invite", { workspace_id: own.id, username });
    for (const username of [gone.username, gone.username.toUpperCase()]) {
      const refused = await accept(username);
      expect([refused.status, refused.headers.get("x-svc-error")]).toEqual([409, "user.usernameTaken"]);
    }
    expectStatus(await accept("heir"), 200);
    expect(await status(heir.in(own).get(`variables/get_value/${path}`))).toBe(404);
    expectStatus(await own.post("workspaces/add_user", { email: gone.email, is_admin: false, operator: false }), 201);
    expect((await gone.in(own).get(`variables/get_value/${path}`)).json).toBe("left-behind-value");
  });
});

describe("groups", () => {
  it("groups belong to their admins, and the group all contains every user", async () => {
    const mine = dev.in(ws);
    expectStatus(await mine.post("groups/create", { name: "ops", summary: "Operations" }), 201);
    expect(await status(mine.post("groups/create", { name: "ops" }))).toBe(409);
    expect(await status(mine.post("groups/create", { name: "all" }))).toBe(409);
    expect(shaped(routes.getGroup, await mine.get("groups/get/ops"))).toEqual({
      name: "ops",
      summary: "Operations",
      members: [dev.username],
      extra_perms: { [`u/${dev.username}`]: true },
    });
    const other = await member(ws, "other");
    const theirs = other.in(ws);
    expect(await status(theirs.post("groups/adduser/ops", { username: other.username }))).toBe(403);
    expect(await status(mine.post("groups/adduser/ops", { username: "missing-user" }))).toBe(404);
    expectStatus(await mine.post("groups/adduser/ops", { username: other.username }), 200);
    expect(await status(theirs.post("groups/update/ops", { summary: "Mine" }))).toBe(403);
    expectStatus(await mine.post("acls/add/group_/ops", { owner: `u/${other.username}`, write: true }), 200);
    expectStatus(await theirs.post("groups/update/ops", { summary: "Ours" }), 200);
    const listed = shaped(routes.listGroups, await theirs.get("groups/list")) as { name: string; members: string[] }[];
    expect(listed.map(({ name }) => name)).toEqual(["all", "ops"]);
    expect(listed[0]?.members).toEqual(expect.arrayContaining(["admin", dev.username, other.username]));
    expect((await theirs.get("groups/listnames")).json).toEqual(["all", "ops"]);
    expectStatus(await mine.post("groups/removeuser/ops", { username: other.username }), 200);
    expect((await theirs.get("users/whoami")).json).toMatchObject({ groups: ["all"] });
    expect(await status(ws.call("DELETE", "groups/delete/all"))).toBe(400);
    expectStatus(await mine.call("DELETE", "groups/delete/ops"), 200);
    expect(await status(mine.get("groups/get/ops"))).toBe(404);
  });

  it("a group of the instance gives rights in every workspace", async () => {
    const name = `staff-${ws.id}`;
    expectStatus(await client.post("groups/create", { name, summary: "Staff" }), 201);
    expectStatus(await ws.post("folders/create", { name: "staff", owners: [], extra_perms: { [`g/${name}`]: false } }), 201);
    const mine = dev.in(ws);
    expect(await status(mine.get("folders/get/staff"))).toBe(404);
    expect(await status(dev.api.post(`groups/adduser/${name}`, { email: dev.email }))).toBe(403);
    expectStatus(await client.post(`groups/adduser/${name}`, { email: dev.email }), 200);
    expect(await status(mine.get("folders/get/staff"))).toBe(200);
    expect((await client.get(`groups/get/${name}`)).json).toEqual({ name, summary: "Staff", emails: [dev.email] });
    expectStatus(await client.call("DELETE", `groups/delete/${name}`), 200);
    expect(await status(mine.get("folders/get/staff"))).toBe(404);
  });
});

describe("names of groups", () => {
  it("a developer cannot choose a name that already has rights, including existing and future groups of the instance", async () => {
    const own = await newWorkspace(service.api);
    const [thief, staff] = await Promise.all([member(own, "thief"), member(own, "staff")]);
    const names = { instance: `board-${own.id}`, awaited: "awaited", lent: "lent" };
    expectStatus(await client.post("groups/create", { name: names.instance }), 201);
    expectStatus(await client.post(`groups/adduser/${names.instance}`, { email: staff.email }), 200);
    const perms = { [`g/${names.instance}`]: false, [`g/${names.awaited}`]: false };
    expectStatus(await own.post("folders/create", { name: "board", owners: [], extra_perms: perms }), 201);
    expectStatus(await own.post("variables/create", { path: "f/board/v", value: "for-the-board", is_secret: true, description: "" }), 201);
    expectStatus(await own.post("acls/add/variable/f/board/v", { owner: `g/${names.lent}`, write: false }), 200);
    expect(await status(staff.in(own).get("variables/get_value/f/board/v"))).toBe(200);
    for (const name of Object.values(names)) {
      const creation = await thief.in(own).post("groups/create", { name });
      expect([name, creation.status, creation.headers.get("x-svc-error")]).toEqual([name, 409, "group.former"]);
    }
    expect(await status(thief.in(own).get("variables/get_value/f/board/v"))).toBe(404);
    expectStatus(await own.post("groups/create", { name: names.awaited }), 201);
    expect(await status(own.post("groups/create", { name: names.instance }))).toBe(409);
    expectStatus(await client.call("DELETE", `groups/delete/${names.instance}`), 200);
  });
});

describe("folders", () => {
  it("concurrent changes of a folder lose no change", async () => {
    const many = await newWorkspace(service.api);
    const names = ["a", "b", "c", "d"];
    expectStatus(await many.post("groups/create", { name: "crowd" }), 201);
    const people = await Promise.all(names.map((name) => member(many, name)));
    const answers = await Promise.all(people.map(({ username }) => many.post("groups/adduser/crowd", { username })));
    expect(answers.map((answer) => answer.status)).toEqual(names.map(() => 200));
    const { members } = (await many.get("groups/get/crowd")).json as { members: string[] };
    expect(members.sort()).toEqual(["admin", ...people.map(({ username }) => username)].sort());
  });
});

describe("users of the instance", () => {
  it("superadmins create, list and change users, and one superadmin always remains", async () => {
    const who = await someone("plain", client);
    expect((await client.get(`users/exists/${who.email}`)).json).toBe(true);
    expect((await client.get("users/exists/missing-user@example.com")).json).toBe(false);
    expect(await status(who.api.get(`users/exists/${who.email}`))).toBe(403);
    shaped(routes.listUsers, await client.get("users/list_as_super_admin"));
    expect(await listPages(client, "users/list_as_super_admin")).toContainEqual(
      expect.objectContaining({ email: who.email, super_admin: false }),
    );
    expectStatus(await client.post(`users/update/${who.email}`, { name: "Plain" }), 200);
    expect((await who.api.get("users/whoami")).json).toMatchObject({ name: "Plain" });
    expectStatus(await client.post(`users/update/${who.email}`, { disabled: true }), 200);
    const active = await listPages(client, "users/list_as_super_admin", { active_only: true });
    expect(active).not.toContainEqual(expect.objectContaining({ email: who.email }));
    const last = await client.post(`users/update/${service.email}`, { is_super_admin: false });
    expect([last.status, last.headers.get("x-svc-error")]).toEqual([400, "user.lastAdmin"]);
    expect(await status(client.call("DELETE", `users/delete/${service.email}`))).toBe(400);
  });

  it("one superadmin remains when the last two remove each other at the same time", async () => {
    const two = [await someone("one", client), await someone("two", client)].map(({ email }) => email);
    for (const email of two) expectStatus(await client.post(`users/update/${email}`, { is_super_admin: true }), 200);
    const { objects } = service.world.deps;
    // The real table, without the users of other tests; both calls read before either writes.
    const bothLooked = Promise.withResolvers<void>();
    let looked = 0;
    const list: typeof objects.list = async (...args) => {
      const found = await objects.list(...args);
      looked += 1;
      if (looked === two.length) bothLooked.resolve();
      await bothLooked.promise;
      return found.filter(({ value }) => two.includes((value as { email: string }).email));
    };
    const ended = await Promise.allSettled(
      two.map((email) => updateUser({ objects: { ...objects, list } }, email, { is_super_admin: false })),
    );
    expect(ended.map((one) => one.status).sort()).toEqual(["fulfilled", "rejected"]);
    for (const email of two) expectStatus(await client.call("DELETE", `users/delete/${email}`), 200);
  });
});

describe("the explanation of a user's access", () => {
  const explain = (of: Workspace, path: string, user?: string) =>
    of.get(`acls/explain/script/${path}${user === undefined ? "" : `?user=${user}`}`);

  it("lists the rules for the caller, and for other users only to admins and to owners of the object", async () => {
    const other = await member(ws, "explained");
    const [mine, theirs] = [dev.in(ws), other.in(ws)];
    expectStatus(await mine.post("folders/create", { name: "explained", extra_perms: { [`u/${other.username}`]: false } }), 201);
    const reader = {
      user: other.username,
      can: { read: true, write: false, run: true },
      reasons: [{ rule: `${other.username} may read and run what is in the folder explained.`, from: "f/explained", grants: "read" }],
    };
    expect(shaped(routes.explainAcl, await explain(theirs, "f/explained/x"))).toEqual(reader);
    expect(expectStatus(await explain(mine, "f/explained/x", other.username), 200).json).toEqual(reader);
    expect(expectStatus(await explain(ws, "f/explained/x", other.username), 200).json).toEqual(reader);
    expect(expectStatus(await explain(mine, "f/explained/x"), 200).json).toMatchObject({ can: { write: true } });
    // A reader learns nothing about others, and a user without access does not learn that the folder exists.
    expect(await status(explain(theirs, "f/explained/x", dev.username))).toBe(403);
    expect(await status(explain(theirs, "u/hidden/x", dev.username))).toBe(404);
    expect(await status(explain(ws, "f/explained/x", "missing-user"))).toBe(404);
  });

  it("is hidden from users of other workspaces", async () => {
    const stranger = await someone("stranger", client);
    expect(await status(explain(stranger.in(ws), "f/explained/x"))).toBe(404);
  });
});
