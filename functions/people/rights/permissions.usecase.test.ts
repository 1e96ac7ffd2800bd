import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { member, type Someone, someone } from "../../../test/support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../../test/support/api/workspace.ts";
import { type Service, startService } from "../../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
let dev: Someone;
let op: Someone;
let stranger: Someone;
const echo = (path: string) => ({ path, summary: "", language: "bun", content: 'export const main = () => "hi";' });
const status = async (answer: Promise<{ status: number }>) => (await answer).status;

beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
  [dev, op, stranger] = await Promise.all([member(ws, "dev"), member(ws, "op", "operator"), someone("stranger", service.api)]);
  for (const [name, perms] of Object.entries({
    open: { [`u/${dev.username}`]: true, "g/all": false },
    shown: { "g/all": false },
    hidden: {},
  })) {
    expectStatus(await ws.post("folders/create", { name, owners: [], extra_perms: perms }), 201);
    await ws.saveScript(echo(`f/${name}/x`));
  }
});
afterAll(() => service.close());

describe("developers", () => {
  it("a developer reads and writes permitted objects, and the others do not exist for them", async () => {
    const mine = dev.in(ws);
    expect(await status(mine.post("scripts/create", echo("f/open/y")))).toBe(201);
    expect(await status(mine.post("scripts/create", echo(`u/${dev.username}/y`)))).toBe(201);
    expect(await status(mine.post("scripts/create", echo("f/shown/y")))).toBe(403);
    expect(await status(mine.post("scripts/create", echo("u/admin/y")))).toBe(403);
    const [hidden, absent] = await Promise.all([
      mine.post("scripts/create", echo("f/hidden/y")),
      mine.post("scripts/create", echo("f/absent/y")),
    ]);
    expect([hidden.status, hidden.text.replaceAll("hidden", "absent")]).toEqual([400, absent.text]);
    for (const route of ["scripts/get/p/f/NAME/x", "scripts/raw/p/f/NAME/x", "scripts/history/p/f/NAME/x", "folders/get/NAME"]) {
      const [real, none] = await Promise.all([mine.get(route.replace("NAME", "hidden")), mine.get(route.replace("NAME", "absent"))]);
      expect([route, real.status, real.text.replaceAll("hidden", "absent")]).toEqual([route, 404, none.text]);
    }
    const [hiddenUpdate, absentUpdate] = await Promise.all([
      mine.post("scripts/update/f/hidden/x", echo("f/hidden/x")),
      mine.post("scripts/update/f/open/absent", echo("f/open/absent")),
    ]);
    expect([hiddenUpdate.status, hiddenUpdate.text.replace("f/hidden/x", "f/open/absent")]).toEqual([404, absentUpdate.text]);
    expect((await mine.get("scripts/exists/p/f/hidden/x")).json).toBe(false);
    expect((await mine.get("folders/exists/hidden")).json).toBe(false);
    expect((await mine.get("scripts/exists/p/f/shown/x")).json).toBe(true);
    expect(await status(mine.get("scripts/get/p/f/shown/x"))).toBe(200);
    expect(await status(mine.post("scripts/archive/p/f/shown/x"))).toBe(403);
    expect(await status(mine.post("scripts/delete/p/f/hidden/x"))).toBe(404);
  });

  it("a developer's lists contain exactly the readable objects", async () => {
    const mine = dev.in(ws);
    const paths = (await mine.get("scripts/list_paths")).json as string[];
    expect(paths).toEqual(expect.arrayContaining(["f/open/x", "f/shown/x"]));
    expect(paths).not.toContain("f/hidden/x");
    const listed = ((await mine.get("scripts/list", { per_page: 100 })).json as { path: string }[]).map(({ path }) => path);
    expect(listed.sort()).toEqual([...paths].sort());
    expect((await mine.get("folders/listnames")).json).toEqual(["open", "shown"]);
  });

  it("access to a version by hash follows the rights on its path", async () => {
    const { hash } = (await ws.get("scripts/get/p/f/hidden/x")).json as { hash: string };
    const { hash: shown } = (await ws.get("scripts/get/p/f/shown/x")).json as { hash: string };
    const mine = dev.in(ws);
    expect(await status(mine.get(`scripts/get/h/${hash}`))).toBe(404);
    expect(await status(mine.post(`jobs/run/h/${hash}`, {}))).toBe(404);
    expect(await status(mine.post(`scripts/delete/h/${hash}`))).toBe(404);
    expect(await status(mine.get(`scripts/get/h/${shown}`))).toBe(200);
    expect((await mine.post(`jobs/run_wait_result/h/${shown}`, {})).json).toBe("hi");
  });

  it("a developer sees their own jobs and those at readable paths", async () => {
    const mine = dev.in(ws);
    const [hidden, shown] = [await ws.run("f/hidden/x"), await ws.run("f/shown/x")];
    const own = await mine.run("f/shown/x");
    for (const job of [hidden, shown, own]) await ws.completed(job);
    expect(await status(mine.get(`jobs_u/get/${hidden}`))).toBe(404);
    expect(await status(mine.get(`jobs_u/completed/get_result/${hidden}`))).toBe(404);
    expect(await status(mine.get(`jobs_u/get/${shown}`))).toBe(200);
    expect(await status(mine.post(`jobs/completed/delete/${shown}`))).toBe(403);
    const ids = ((await mine.get("jobs/list", { per_page: 100 })).json as { id: string }[]).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([own, shown]));
    expect(ids).not.toContain(hidden);
    expect((await mine.get("jobs/completed/count")).json).toEqual({ database_length: ids.length });
  });
});

describe("operators", () => {
  it("an operator runs and reads permitted objects, and writes nothing", async () => {
    const mine = op.in(ws);
    expect((await mine.runWait("f/shown/x")).json).toBe("hi");
    expect(await status(mine.post("jobs/run_wait_result/p/f/hidden/x", {}))).toBe(404);
    expect(await status(mine.post("scripts/create", echo(`u/${op.username}/x`)))).toBe(403);
    expect(await status(mine.post("folders/create", { name: "mine" }))).toBe(403);
    expect(await status(mine.post("groups/create", { name: "mine" }))).toBe(403);
    expect(await status(mine.post("jobs/run/preview", { language: "bun", content: "" }))).toBe(403);
  });
});

describe("non-members", () => {
  it("a non-member cannot distinguish an existing workspace from a missing one", async () => {
    for (const route of ["scripts/list", "users/whoami", "folders/list", "scripts/get/p/f/open/x"]) {
      const [real, none] = await Promise.all([stranger.api.get(`w/${ws.id}/${route}`), stranger.api.get(`w/nowhere/${route}`)]);
      expect([route, real.status, real.text]).toEqual([route, 404, none.text.replace("nowhere", ws.id)]);
    }
    expect((await stranger.api.get("workspaces/list")).json).toEqual([]);
    expect(await status(stranger.api.post(`w/${ws.id}/jobs/run/p/f/open/x`, {}))).toBe(404);
    expect(await status(stranger.api.post("workspaces/create", { id: "mine", name: "Mine" }))).toBe(403);
    expect(await status(stranger.api.get("users/list_as_super_admin"))).toBe(403);
  });
});

describe("changes of rights", () => {
  it("a change of a folder, group, extra permission or role works at once", async () => {
    const mine = dev.in(ws);
    const sees = () => status(mine.get("scripts/get/p/f/hidden/x"));
    const runs = () => status(mine.post("jobs/run/p/f/hidden/x", {}));
    expect([await sees(), await runs()]).toEqual([404, 404]);

    expectStatus(await ws.post("acls/add/folder/hidden", { owner: `u/${dev.username}`, write: false }), 200);
    expect([await sees(), await runs()]).toEqual([200, 201]);
    expectStatus(await ws.post("acls/remove/folder/hidden", { owner: `u/${dev.username}` }), 200);
    expect([await sees(), await runs()]).toEqual([404, 404]);

    expectStatus(await ws.post("groups/create", { name: "crew" }), 201);
    expectStatus(await ws.post("folders/update/hidden", { extra_perms: { "g/crew": true } }), 200);
    expect(await sees()).toBe(404);
    expectStatus(await ws.post("groups/adduser/crew", { username: dev.username }), 200);
    expect([await sees(), await runs()]).toEqual([200, 201]);
    expectStatus(await ws.call("DELETE", "groups/delete/crew"), 200);
    expect(await sees()).toBe(404);
    expect((await ws.get("acls/get/folder/hidden")).json).toEqual({});

    expectStatus(await ws.post("acls/add/script/f/hidden/x", { owner: "g/all", write: false }), 200);
    expect([await sees(), await runs()]).toEqual([200, 201]);
    expect((await mine.get("scripts/get/p/f/hidden/x")).json).toMatchObject({ extra_perms: { "g/all": false } });
    expect(await status(mine.post("acls/add/script/f/hidden/x", { owner: `u/${dev.username}`, write: true }))).toBe(403);
    expectStatus(await ws.post("acls/remove/script/f/hidden/x", { owner: "g/all" }), 200);
    expect(await sees()).toBe(404);

    expectStatus(await ws.post(`users/update/${dev.username}`, { is_admin: true }), 200);
    expect([await sees(), await runs()]).toEqual([200, 201]);
    expectStatus(await ws.post(`users/update/${dev.username}`, { is_admin: false }), 200);
    expect(await sees()).toBe(404);
  });

  it("a renamed script keeps its extra permissions, and a deleted one leaves none", async () => {
    const hash = await ws.saveScript(echo("f/hidden/lent"));
    expectStatus(await ws.post("acls/add/script/f/hidden/lent", { owner: `u/${dev.username}`, write: false }), 200);
    expectStatus(await ws.post("scripts/create", { ...echo("f/hidden/moved"), parent_hash: hash }), 201);
    const mine = dev.in(ws);
    expect(await status(mine.get("scripts/get/p/f/hidden/moved"))).toBe(200);
    expect((await ws.get("acls/get/script/f/hidden/lent")).json).toEqual({});
    expectStatus(await ws.post("scripts/delete/p/f/hidden/moved"), 200);
    expectStatus(await ws.post("scripts/create", echo("f/hidden/moved")), 201);
    expect(await status(mine.get("scripts/get/p/f/hidden/moved"))).toBe(404);
  });

  it("a user who is disabled or leaves loses all rights at once, and a later user of the same name inherits none", async () => {
    const gone = await member(ws, "gone");
    expectStatus(await ws.post("acls/add/folder/hidden", { owner: `u/${gone.username}`, write: true }), 200);
    expect(await status(gone.in(ws).get("scripts/get/p/f/hidden/x"))).toBe(200);
    expectStatus(await ws.api.post(`users/update/${gone.email}`, { disabled: true }), 200);
    expect(await status(gone.api.get("users/whoami"))).toBe(401);
    expectStatus(await ws.api.post(`users/update/${gone.email}`, { disabled: false }), 200);
    expectStatus(await ws.call("DELETE", `users/delete/${gone.username}`), 200);
    expect(await status(gone.in(ws).get("scripts/list"))).toBe(404);
    expect((await ws.get("acls/get/folder/hidden")).json).toEqual({});
    const again = { email: `other-${gone.email}`, is_admin: false, operator: false, username: gone.username };
    expectStatus(await ws.post("workspaces/add_user", again), 201);
    expectStatus(await ws.api.call("DELETE", `users/delete/${gone.email}`), 200);
    expect(await status(gone.api.get("users/whoami"))).toBe(401);
    expect(await status(ws.api.call("DELETE", `users/delete/${gone.email}`))).toBe(404);
  });
});

describe("objects of a deleted folder", () => {
  it("a user who creates the folder again does not gain its former objects, unless they are an admin", async () => {
    const own = await newWorkspace(service.api);
    const thief = await member(own, "thief");
    for (const name of ["v", "r", "s", "empty"]) expectStatus(await own.post("folders/create", { name, owners: [] }), 201);
    const secret = { path: "f/v/key", value: "left-behind-value", is_secret: true, description: "" };
    expectStatus(await own.post("variables/create", secret), 201);
    expectStatus(await own.post("resources/create", { path: "f/r/db", value: { password: "x" }, resource_type: "any" }), 201);
    await own.saveScript(echo("f/s/x"), false);
    for (const name of ["v", "r", "s", "empty"]) expectStatus(await own.call("DELETE", `folders/delete/${name}`), 200);
    for (const name of ["v", "r", "s"]) {
      const creation = await thief.in(own).post("folders/create", { name });
      expect([name, creation.status, creation.headers.get("x-svc-error")]).toEqual([name, 409, "folder.notEmpty"]);
    }
    expect(await status(thief.in(own).post("folders/create", { name: "empty" }))).toBe(201);
    expect(await status(thief.in(own).get("variables/get_value/f/v/key"))).toBe(404);
    expect(await status(thief.in(own).post("folders/create", { name: "fresh" }))).toBe(201);
    expect(await status(thief.in(own).post("folders/create", { name: "fresh" }))).toBe(409);
    expect(await status(own.post("folders/create", { name: "v" }))).toBe(201);
  });
});

it("the reserved names of JavaScript objects are not valid for folders and groups", async () => {
  for (const name of ["__proto__", "constructor"]) {
    expect([name, await status(ws.post("folders/create", { name }))]).toEqual([name, 422]);
    expect([name, await status(ws.post("groups/create", { name }))]).toEqual([name, 422]);
  }
  expectStatus(await ws.post("folders/create", { name: "toString" }), 201);
  expect((await ws.get("folders/get/toString")).json).toMatchObject({ owners: ["u/admin"] });
});
