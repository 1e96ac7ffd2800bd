import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../../test/support/api/api.ts";
import { member } from "../../../test/support/api/people.ts";
import { refused } from "../../../test/support/api/refusal.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../../test/support/api/workspace.ts";
import { type Service, startService } from "../../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
});
afterAll(() => service.close());

/** A script that returns a text. */
const says = (text: string) => `export const main = () => "${text}";`;
const identity = (id = "a") => ({ id, value: { type: "identity" } });

const inline = (id: string, content: string, language = "bun") => ({
  id,
  value: { type: "rawscript", language, content, input_transforms: {} },
});

const aFlow = (path: string, fields: object = {}) => ({ path, summary: "", value: { modules: [identity()] }, ...fields });
const create = (flow: object, at: Workspace = ws) => at.post("flows/create", flow);
const update = (path: string, flow: object, at: Workspace = ws) => at.post(`flows/update/${path}`, flow);
const created = async (path: string, fields: object = {}, at: Workspace = ws) => expectStatus(await create(aFlow(path, fields), at), 201);

interface Flow {
  path: string;
  version_id: number;
  [field: string]: unknown;
}

const get = async (path: string, at: Workspace = ws) => expectStatus(await at.get(`flows/get/${path}`), 200).json as Flow;
const versionAt = async (path: string, at: Workspace = ws) => (await get(path, at)).version_id;

const codeOf = (answer: Answer) => {
  const { status, code } = refused(answer);
  return [status, code];
};

const runWait = (target: string, args: object = {}, at: Workspace = ws) => at.post(`jobs/run_wait_result/${target}`, args);

const changes = (path: string): [string, string, object][] => [
  ["POST", `flows/update/${path}`, aFlow(path)],
  ["POST", `flows/archive/${path}`, { archived: true }],
  ["DELETE", `flows/delete/${path}`, {}],
];

describe("reading flows", () => {
  it("the newest versions are listed with paging and filters, without their steps", async () => {
    const own = await newWorkspace(service.api);
    const ann = await member(own, "ann", "admin");
    await created("f/t/s0", { description: "long", labels: ["l0"] }, own);
    await created("f/t/s1", { labels: ["l0", "l1"], dedicated_worker: true }, own);
    await created("f/t/s2", { tag: "x" }, ann.in(own));
    const items = async (query = {}) => expectStatus(await own.get("flows/list", query), 200).json as Flow[];
    const list = async (query = {}) => (await items(query)).map(({ path }) => path);
    expect(await list()).toEqual(["f/t/s2", "f/t/s1", "f/t/s0"]);
    expect(await list({ order_desc: false })).toEqual(["f/t/s0", "f/t/s1", "f/t/s2"]);
    expect(await list({ per_page: 2, page: 1 })).toEqual(["f/t/s2", "f/t/s1"]);
    expect(await list({ per_page: 2, page: 2 })).toEqual(["f/t/s0"]);
    expect(await list({ per_page: 2, page: 3 })).toEqual([]);
    expect(await list({ label: "l0" })).toEqual(["f/t/s1", "f/t/s0"]);
    expect(await list({ path_start: "f/t/s1" })).toEqual(["f/t/s1"]);
    expect(await list({ path_exact: "f/t/s" })).toEqual([]);
    expect(await list({ path_exact: "f/t/s0" })).toEqual(["f/t/s0"]);
    expect(await list({ created_by: ann.username })).toEqual(["f/t/s2"]);
    expect(await list({ dedicated_worker: true })).toEqual(["f/t/s1"]);
    expect(await list({ dedicated_worker: false })).toEqual(["f/t/s2", "f/t/s0"]);
    expect(await list({ starred_only: true })).toEqual([]);
    expect(await list({ include_draft_only: true })).toHaveLength(3);
    expect((await items({ path_exact: "f/t/s0" }))[0]).toMatchObject({ description: "long", version_id: expect.any(Number) });
    expect((await items({ path_exact: "f/t/s0", without_description: true }))[0]).toMatchObject({ description: "" });
    for (const flow of await items()) expect(flow).not.toHaveProperty("value");
    expectStatus(await own.post("flows/archive/f/t/s1", {}), 200);
    expect(await list()).toEqual(["f/t/s2", "f/t/s0"]);
    expect(await list({ show_archived: true })).toEqual(["f/t/s1"]);
    expect((await own.get("flows/list_paths")).json).toEqual(["f/t/s0", "f/t/s2"]);
    expect(((await own.get("flows/list_search")).json as Flow[]).map(({ path }) => path)).toEqual(["f/t/s0", "f/t/s2"]);
  });

  it.each(["get", "history/p", "get_latest_version", "deployment_status/p", "webhooks"])("%s of a missing flow is 404", async (route) => {
    expect(codeOf(await ws.get(`flows/${route}/f/t/none`))).toEqual([404, "flow.notFound"]);
  });

  it("a missing version is 404, and an invalid one 400", async () => {
    expect(codeOf(await ws.get("flows/get/v/1"))).toEqual([404, "flow.versionNotFound"]);
    for (const version of ["0", "-1", "1.5", "abc", "99999999999999999999"]) {
      expect(codeOf(await ws.get(`flows/get/v/${version}`))).toEqual([400, "query.invalid"]);
    }
  });
});

describe("archiving and deleting flows", () => {
  it("archiving a flow frees its path and retains its versions, and it can be restored", async () => {
    await created("f/t/old", { value: { modules: [inline("a", says("old"))] } });
    const version = await versionAt("f/t/old");
    expectStatus(await ws.post("flows/archive/f/t/old", { archived: true }), 200);
    expect(await get("f/t/old")).toMatchObject({ archived: true });
    expect((await ws.get("flows/exists/f/t/old")).json).toBe(false);
    expect(codeOf(await runWait("f/f/t/old"))).toEqual([404, "flow.notFound"]);
    expect(codeOf(await update("f/t/old", aFlow("f/t/old")))).toEqual([404, "flow.notFound"]);
    expect((await runWait(`fv/${version}`)).json).toBe("old");
    expectStatus(await ws.post("flows/archive/f/t/old", { archived: false }), 200);
    expect(await get("f/t/old")).toMatchObject({ archived: false, version_id: version });
    expect((await runWait("f/f/t/old")).json).toBe("old");
    expectStatus(await ws.post("flows/archive/f/t/old"), 200);
    await created("f/t/old", { value: { modules: [inline("a", says("new"))] } });
    expect((await runWait("f/f/t/old")).json).toBe("new");
    expect(codeOf(await ws.post("flows/archive/f/t/none", {}))).toEqual([404, "flow.notFound"]);
  });

  it("a flow is deleted with all versions and rights, and a repeated deletion succeeds", async () => {
    const own = await newWorkspace(service.api);
    const ann = await member(own, "ann");
    await created("f/t/gone", {}, own);
    const first = await versionAt("f/t/gone", own);
    expectStatus(await update("f/t/gone", aFlow("f/t/gone"), own), 200);
    const second = await versionAt("f/t/gone", own);
    expectStatus(await own.post("acls/add/flow/f/t/gone", { owner: `u/${ann.username}`, write: true }), 200);
    for (const _ of [1, 2]) {
      const answer = expectStatus(await own.call("DELETE", "flows/delete/f/t/gone"), 200);
      expect(answer.text).toBe("f/t/gone");
    }
    for (const version of [first, second]) {
      expect(codeOf(await own.get(`flows/get/v/${version}`))).toEqual([404, "flow.versionNotFound"]);
      expect(codeOf(await runWait(`fv/${version}`, {}, own))).toEqual([404, "flow.versionNotFound"]);
    }
    expect(codeOf(await own.get("flows/history/p/f/t/gone"))).toEqual([404, "flow.notFound"]);
    expect((await own.get("flows/list_paths")).json).toEqual([]);
    await created("f/t/gone", {}, own);
    expect(await get("f/t/gone", own)).toMatchObject({ extra_perms: {} });
    expect(codeOf(await ann.in(own).get("flows/get/f/t/gone"))).toEqual([404, "flow.notFound"]);
  });

  it("a simultaneous save leaves one of two complete states", async () => {
    for (let n = 0; n < 5; n += 1) {
      const path = `f/t/crossed_${n}`;
      await created(path);
      const [deleted, saved] = await Promise.all([
        ws.call("DELETE", `flows/delete/${path}`),
        update(path, aFlow(path, { summary: "new" })),
      ]);
      expect([200, 409]).toContain(deleted.status);
      expect([200, 404, 409]).toContain(saved.status);
      const exists = (await ws.get(`flows/exists/${path}`)).json;
      expect((await ws.get(`flows/get/${path}`)).status).toBe(exists ? 200 : 404);
      expect(((await ws.get("flows/list_paths")).json as string[]).includes(path)).toBe(exists);
      if (deleted.status === 200) expect(exists).toBe(false);
    }
  });
});

describe("rights on flows", () => {
  it("unreadable flows are hidden, and readers may not change flows", async () => {
    const own = await newWorkspace(service.api);
    const [reader, stranger] = [await member(own, "reader"), await member(own, "stranger")];
    expectStatus(await own.post("folders/create", { name: "closed", extra_perms: { [`u/${reader.username}`]: false } }), 201);
    await created("f/closed/flow", { value: { modules: [inline("a", says("secret"))] } }, own);
    const version = await versionAt("f/closed/flow", own);
    const hidden = stranger.in(own);
    for (const route of ["get", "history/p", "get_latest_version", "deployment_status/p", "webhooks"]) {
      expect(codeOf(await hidden.get(`flows/${route}/f/closed/flow`))).toEqual([404, "flow.notFound"]);
      expectStatus(await reader.in(own).get(`flows/${route}/f/closed/flow`), 200);
    }
    expect(codeOf(await hidden.get(`flows/get/v/${version}`))).toEqual([404, "flow.versionNotFound"]);
    expect(codeOf(await hidden.post(`flows/history_update/v/${version}`, {}))).toEqual([404, "flow.versionNotFound"]);
    expect(codeOf(await hidden.post("jobs/run/f/f/closed/flow", {}))).toEqual([404, "flow.notFound"]);
    expect(codeOf(await hidden.post(`jobs/run/fv/${version}`, {}))).toEqual([404, "flow.versionNotFound"]);
    expect((await hidden.get("flows/exists/f/closed/flow")).json).toBe(false);
    for (const list of ["list", "list_paths", "list_search"]) expect((await hidden.get(`flows/${list}`)).json).toEqual([]);
    for (const [method, route, body] of changes("f/closed/flow")) {
      expect(codeOf(await hidden.call(method, route, { body }))).toEqual([404, "flow.notFound"]);
      expect(codeOf(await reader.in(own).call(method, route, { body }))).toEqual([403, "auth.forbidden"]);
    }
    expect(codeOf(await reader.in(own).post(`flows/history_update/v/${version}`, {}))).toEqual([403, "auth.forbidden"]);
    expect(codeOf(await reader.in(own).post("flows/create", aFlow("f/closed/other")))).toEqual([403, "auth.forbidden"]);
    expect(codeOf(await hidden.post("flows/create", aFlow("f/closed/other")))).toEqual([400, "path.noFolder"]);
    expect((await runWait("f/f/closed/flow", {}, reader.in(own))).json).toBe("secret");
    expect(await get("f/closed/flow", own)).toMatchObject({ version_id: version, archived: false });
  });

  it("renaming a flow requires rights at both paths", async () => {
    const own = await newWorkspace(service.api);
    const ann = await member(own, "ann");
    expectStatus(await own.post("folders/create", { name: "closed", extra_perms: { [`u/${ann.username}`]: false } }), 201);
    await created("f/closed/flow", {}, own);
    await created(`u/${ann.username}/flow`, {}, ann.in(own));
    const to = aFlow(`u/${ann.username}/taken_away`);
    expect(codeOf(await update("f/closed/flow", to, ann.in(own)))).toEqual([403, "auth.forbidden"]);
    expect(codeOf(await update(`u/${ann.username}/flow`, aFlow("f/closed/smuggled"), ann.in(own)))).toEqual([403, "auth.forbidden"]);
    expectStatus(await update(`u/${ann.username}/flow`, to, ann.in(own)), 200);
    expect((await own.get("flows/list_paths")).json).toEqual(["f/closed/flow", `u/${ann.username}/taken_away`]);
  });

  it("runs on behalf of a user have that user's rights", async () => {
    const own = await newWorkspace(service.api);
    const [ann, bob] = [await member(own, "ann"), await member(own, "bob")];
    const value = { modules: [inline("a", "export const main = () => process.env.OV_EMAIL ?? process.env.WM_EMAIL;", "bun")] };
    const fields = { value, on_behalf_of_email: ann.email };
    const emailOf = async (path: string) => (await runWait(`f/${path}`, {}, own)).json;
    expectStatus(await create(aFlow("f/t/mine", { value }), own), 201);
    await created("f/t/adopted", fields, own);
    expect(await get("f/t/adopted", own)).toMatchObject({ on_behalf_of_email: "admin@example.com" });
    await created("f/t/kept", { ...fields, preserve_on_behalf_of: true }, own);
    expect(await get("f/t/kept", own)).toMatchObject({ on_behalf_of_email: ann.email });
    expect(await get("f/t/kept", own)).not.toHaveProperty("preserve_on_behalf_of");
    expect([await emailOf("f/t/mine"), await emailOf("f/t/kept")]).toEqual(["admin@example.com", ann.email]);
    const theirs = aFlow(`u/${bob.username}/theirs`, { ...fields, preserve_on_behalf_of: true });
    expect(codeOf(await create(theirs, bob.in(own)))).toEqual([403, "script.notOnBehalf"]);
    const unknown = { ...fields, on_behalf_of_email: `${randomUUID()}@example.com`, preserve_on_behalf_of: true };
    expect(codeOf(await create(aFlow("f/t/unknown", unknown), own))).toEqual([404, "user.notFound"]);
  });
});
