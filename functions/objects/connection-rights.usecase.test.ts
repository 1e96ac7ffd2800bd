import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { member, type Someone } from "../../test/support/api/people.ts";
import { expectStatus, type Workspace } from "../../test/support/api/workspace.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
let dev: Someone;
let op: Someone;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
  [dev, op] = await Promise.all([member(ws, "dev"), member(ws, "op", "operator")]);
  const folders = { open: { [`u/${dev.username}`]: true, "g/all": false }, shown: { "g/all": false }, hidden: {} };
  for (const [name, perms] of Object.entries(folders)) {
    expectStatus(await ws.post("folders/create", { name, owners: [], extra_perms: perms }), 201);
    expectStatus(await ws.post("variables/create", variable(`f/${name}/v`)), 201);
    expectStatus(await ws.post("resources/create", resource(`f/${name}/r`)), 201);
  }
});
afterAll(() => service.close());

const variable = (path: string, value = "the-secret-value") => ({ path, value, is_secret: true, description: "" });
const resource = (path: string) => ({ path, value: { token: "x" }, resource_type: "any" });

describe("variables and resources", () => {
  it("a caller reads permitted objects, and others do not exist for the caller", async () => {
    const mine = dev.in(ws);
    for (const [kind, name] of [
      ["variables/get", "v"],
      ["variables/get_value", "v"],
      ["resources/get", "r"],
      ["resources/get_value", "r"],
      ["resources/get_value_interpolated", "r"],
    ]) {
      const statuses = await Promise.all(["shown", "hidden", "absent"].map((folder) => mine.get(`${kind}/f/${folder}/${name}`)));
      expect([kind, ...statuses.map(({ status }) => status)]).toEqual([kind, 200, 404, 404]);
    }
    expect((await mine.get("variables/exists/f/hidden/v")).json).toBe(false);
  });

  it("every list contains only objects that the caller may read", async () => {
    const mine = dev.in(ws);
    for (const route of ["variables/list", "resources/list", "resources/list_names/any", "resources/list_search"]) {
      const paths = ((await mine.get(route)).json as { path: string }[]).map(({ path }) => path.split("/")[1]);
      expect([route, ...paths.sort()]).toEqual([route, "open", "shown"]);
    }
  });

  it("creating and renaming require write permission, whatever the URL names", async () => {
    const mine = dev.in(ws);
    const created = async (folder: string) => [
      (await mine.post("variables/create", variable(`f/${folder}/new`))).status,
      (await mine.post("resources/create", resource(`f/${folder}/new`))).status,
    ];
    expect(await created("open")).toEqual([201, 201]);
    expect(await created("shown")).toEqual([403, 403]);
    expect(await created("hidden")).toEqual([400, 400]);
    expect((await mine.post("variables/update/f/open/new", { path: "f/shown/taken" })).status).toBe(403);
    expect((await mine.post("resources/update/f/open/new", { path: "f/hidden/taken" })).status).toBe(400);
    expect((await mine.post("variables/update/f/shown/v", { value: "changed" })).status).toBe(403);
    expect((await mine.call("DELETE", "resources/delete/f/hidden/r")).status).toBe(404);
  });

  it("an operator may read permitted resources and write none, and every member may read types", async () => {
    const theirs = op.in(ws);
    expect((await theirs.get("variables/get_value/f/shown/v")).json).toBe("the-secret-value");
    expect((await theirs.post("variables/create", variable("f/open/by_op"))).status).toBe(403);
    expect((await theirs.post(`variables/create`, variable(`u/${op.username}/mine`))).status).toBe(403);
    expect((await theirs.get("resources/type/get/postgresql")).status).toBe(200);
    expect((await theirs.get("workspaces/encryption_key")).status).toBe(403);
  });

  it("extra permissions follow a rename and are deleted with the object", async () => {
    expectStatus(await ws.post("variables/create", variable("f/hidden/lent")), 201);
    expectStatus(await ws.post("acls/add/variable/f/hidden/lent", { owner: `u/${dev.username}`, write: false }), 200);
    expect((await dev.in(ws).get("variables/get_value/f/hidden/lent")).status).toBe(200);
    expectStatus(await ws.post("variables/update/f/hidden/lent", { path: "f/hidden/moved" }), 200);
    expect((await dev.in(ws).get("variables/get_value/f/hidden/moved")).status).toBe(200);
    expectStatus(await ws.call("DELETE", "variables/delete/f/hidden/moved"), 200);
    expectStatus(await ws.post("variables/create", variable("f/hidden/moved")), 201);
    expect((await dev.in(ws).get("variables/get_value/f/hidden/moved")).status).toBe(404);
    expect((await ws.post("acls/add/variable/f/hidden/nothing", { owner: `u/${dev.username}` })).status).toBe(404);
  });
});

describe("jobs with references", () => {
  it("a job resolves the references that its caller may read, and fails with the path of any other", async () => {
    await ws.saveScript({ path: "f/open/echo", language: "bun", content: "export const main = (v: unknown) => String(v).length;" });
    const mine = dev.in(ws);
    const run = async (path: string) => (await mine.post("jobs/run_wait_result/p/f/open/echo", { v: `$var:${path}` })).json;
    expect(await run("f/shown/v")).toBe("the-secret-value".length);
    for (const path of ["f/hidden/v", "f/absent/v"]) {
      expect(await run(path)).toEqual({ error: expect.objectContaining({ name: "BadReference", message: expect.stringContaining(path) }) });
    }
  });

  it("a run on behalf of another user resolves only references that both users may read", async () => {
    const boss = await member(ws, "boss", "admin");
    const content = "export const main = (v: unknown) => JSON.stringify(v).length;";
    await boss.in(ws).saveScript({ path: "f/shown/behalf", language: "bun", content, on_behalf_of_email: boss.email });
    expectStatus(await ws.post("resources/create", { path: "f/shown/lends", value: "$var:f/hidden/v", resource_type: "any" }), 201);
    const run = async (as: Workspace, v: string) => (await as.post("jobs/run_wait_result/p/f/shown/behalf", { v })).json;
    const length = JSON.stringify("the-secret-value").length;
    for (const reference of ["$var:f/hidden/v", "$res:f/shown/lends"]) {
      expect(await run(boss.in(ws), reference)).toBe(length);
      const refused = { name: "BadReference", message: expect.stringContaining("$var:f/hidden/v") };
      expect(await run(dev.in(ws), reference)).toEqual({ error: expect.objectContaining(refused) });
    }
    expect(await run(dev.in(ws), "$var:f/shown/v")).toBe(length);
    expect(await run(dev.in(ws), "$res:f/hidden/r")).toEqual({ error: expect.objectContaining({ name: "BadReference" }) });
  });
});
