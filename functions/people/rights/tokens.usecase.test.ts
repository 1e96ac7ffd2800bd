import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "../../../contract/defined.ts";
import type { Api } from "../../../test/support/api/api.ts";
import { member, type Someone } from "../../../test/support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../../test/support/api/workspace.ts";
import { type Service, startService } from "../../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
let client: Api;
let dev: Someone;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
  client = service.api;
  dev = await member(ws, "dev");
  expectStatus(await ws.post("acls/add/folder/t", { owner: `u/${dev.username}`, write: true }), 200);
  for (const name of ["hello", "other"])
    await ws.saveScript({ path: `f/t/${name}`, language: "bun", content: `export const main = () => "${name}";` });
});
afterAll(() => service.close());

const make = async (body: object, by: Someone["api"] = dev.api) => expectStatus(await by.post("users/tokens/create", body), 201).text;

const call = (token: string, method: string, route: string, body?: unknown) =>
  client.call(method, `w/${ws.id}/${route}`, { token, ...defined({ body }) });
const status = async (answer: Promise<{ status: number }>) => (await answer).status;

describe("scopes", () => {
  it("scopes are listed and stored as sent, and an unknown scope is rejected with 422", async () => {
    const listed = (await dev.api.get("tokens/list/scopes")).json as { scopes: { value: string; requires_resource_path: boolean }[] }[];
    const values = listed.flatMap(({ scopes }) => scopes);
    expect(values).toContainEqual(expect.objectContaining({ value: "jobs:run:scripts", requires_resource_path: true }));
    const token = await make({ label: "scoped", scopes: ["scripts:read:f/t/*"] });
    const own = ((await dev.api.get("users/tokens/list")).json as { token_prefix: string }[]).find(
      ({ token_prefix }) => token_prefix === token.slice(0, 10),
    );
    expect(own).toMatchObject({ scopes: ["scripts:read:f/t/*"], read_only: false, badge: "none" });
    for (const scope of ["scripts:fly", "nothing:read", "users:read:f/t/x", "scripts:read:../x", "", "scripts"]) {
      const refused = await dev.api.post("users/tokens/create", { scopes: [scope] });
      expect([scope, refused.status, refused.headers.get("x-svc-error")]).toEqual([scope, 422, "token.unknownScope"]);
    }
  });

  it("scopes limit even the token of a superadmin", async () => {
    const token = await make({ scopes: ["scripts:read:f/t/hello"] }, client);
    expect(await status(call(token, "GET", "scripts/get/p/f/t/hello"))).toBe(200);
    expect(await status(call(token, "GET", "scripts/get/p/f/t/other"))).toBe(403);
    expect((await call(token, "GET", "scripts/list_paths")).json).toEqual(["f/t/hello"]);
    expect(await status(call(token, "POST", "scripts/archive/p/f/t/hello"))).toBe(403);
    expect(await status(call(token, "POST", "jobs/run/p/f/t/hello", {}))).toBe(403);
    expect(await status(client.call("POST", "users/tokens/create", { token, body: {} }))).toBe(403);
    expect(await status(client.call("GET", "users/tokens/list", { token }))).toBe(403);
  });

  it("scopes and labels of a token can be changed", async () => {
    const token = await make({ scopes: ["scripts:read"] });
    const prefix = token.slice(0, 10);
    expect(await status(call(token, "GET", "jobs/list"))).toBe(403);
    expectStatus(await dev.api.post(`users/tokens/update_scopes/${prefix}`, { scopes: ["jobs:read"] }), 200);
    expect([await status(call(token, "GET", "jobs/list")), await status(call(token, "GET", "scripts/list"))]).toEqual([200, 403]);
    expectStatus(await dev.api.post(`users/tokens/update_label/${prefix}`, { label: "renamed" }), 200);
    expect((await dev.api.get("users/tokens/list")).json).toContainEqual(
      expect.objectContaining({ label: "renamed", scopes: ["jobs:read"] }),
    );
    expect(await status(dev.api.post(`users/tokens/update_scopes/${prefix}`, { scopes: ["no:thing"] }))).toBe(422);
    expect(await status(client.post(`users/tokens/update_scopes/${prefix}`, { scopes: null }))).toBe(404);
    expect(await status(client.call("POST", `users/tokens/update_scopes/${prefix}`, { token, body: { scopes: null } }))).toBe(403);
  });
});

describe("webhook tokens", () => {
  it("a webhook token runs its one script by path, hash and query, and nothing else", async () => {
    const token = await make({ label: "webhook", scopes: ["jobs:run:scripts:f/t/hello"], workspace_id: ws.id });
    expect((await call(token, "POST", "jobs/run_wait_result/p/f/t/hello", {})).json).toBe("hello");
    const inQuery = await client.call("POST", `w/${ws.id}/jobs/run/p/f/t/hello`, { token: "", query: { token }, body: {} });
    expect(inQuery.status).toBe(201);
    const hashOf = async (path: string) => ((await ws.get(`scripts/get/p/${path}`)).json as { hash: string }).hash;
    expect((await call(token, "POST", `jobs/run_wait_result/h/${await hashOf("f/t/hello")}`, {})).json).toBe("hello");
    const refused = [
      await call(token, "POST", "jobs/run/p/f/t/other", {}),
      await call(token, "POST", "jobs/run/p/f/t/absent", {}),
      await call(token, "POST", `jobs/run/h/${await hashOf("f/t/other")}`, {}),
      await call(token, "POST", "jobs/run/h/0123456789abcdef", {}),
      await call(token, "POST", "jobs/run/preview", { language: "bun", content: "" }),
      await call(token, "GET", `jobs_u/completed/get_result/${inQuery.text}`),
      await call(token, "GET", "scripts/get/p/f/t/hello"),
      await client.call("GET", "users/whoami", { token }),
      await client.call("POST", "w/nowhere/jobs/run/p/f/t/hello", { token, body: {} }),
    ];
    expect(refused.map((answer) => [answer.status, answer.headers.get("x-svc-error")])).toEqual(refused.map(() => [403, "auth.forbidden"]));
    expect(refused[0]?.text).toBe(refused[1]?.text);
  });

  it("a webhook token has its creator's current rights on the script", async () => {
    const token = await make({ scopes: ["jobs:run:scripts:f/t/hello"] });
    const runs = () => status(call(token, "POST", "jobs/run/p/f/t/hello", {}));
    expect(await runs()).toBe(201);
    expectStatus(await ws.post("acls/remove/folder/t", { owner: `u/${dev.username}` }), 200);
    expect(await runs()).toBe(404);
    expectStatus(await ws.post("acls/add/folder/t", { owner: `u/${dev.username}`, write: true }), 200);
    expect(await runs()).toBe(201);
  });
});

describe("read-only tokens", () => {
  it("a read-only token reads all that its owner may, and runs and changes nothing", async () => {
    const token = await make({ read_only: true });
    expect(await status(call(token, "GET", "scripts/get/p/f/t/hello"))).toBe(200);
    expect(await status(client.call("GET", "users/whoami", { token }))).toBe(200);
    expect(await status(call(token, "POST", "jobs/run/p/f/t/hello", {}))).toBe(403);
    expect(await status(call(token, "POST", "scripts/create", { path: "f/t/n", summary: "", language: "bun", content: "" }))).toBe(403);
    expect(await status(client.call("POST", "users/tokens/create", { token, body: {} }))).toBe(403);
  });
});

describe("tokens with limits", () => {
  const account = { email: "narrow@example.com", password: "First-horse-11" };
  let own: string;
  beforeAll(async () => {
    await client.call("DELETE", `users/delete/${account.email}`);
    expectStatus(await client.post("users/create", { ...account, super_admin: false }), 201);
    own = expectStatus(await client.post("users/tokens/impersonate", { impersonate_email: account.email }), 201).text;
  });
  const ofOwn = async (body: object) => expectStatus(await client.call("POST", "users/tokens/create", { token: own, body }), 201).text;

  it("a token of one workspace sees, deletes and joins nothing outside of it", async () => {
    const bound = await ofOwn({ workspace_id: ws.id });
    const listed = await client.call("GET", "users/tokens/list", { token: bound });
    expect((listed.json as { workspace_id?: string }[]).map(({ workspace_id }) => workspace_id)).toContain(ws.id);
    expect(listed.text).not.toContain(own.slice(0, 10));
    expect(await status(client.call("DELETE", `users/tokens/delete/${own}`, { token: bound }))).toBe(403);
    const other = await newWorkspace(service.api);
    expectStatus(await other.post("workspaces/invite_user", { email: account.email, is_admin: false, operator: true }), 201);
    for (const route of ["users/accept_invite", "users/decline_invite"]) {
      expect([route, await status(client.call("POST", route, { token: bound, body: { workspace_id: other.id } }))]).toEqual([route, 403]);
    }
    expect(await status(client.call("POST", "users/accept_invite", { token: own, body: { workspace_id: other.id } }))).toBe(200);
  });

  it("a token with path limits neither creates nor changes resource types, which have no path", async () => {
    const token = await make({ scopes: ["resources:write:f/t/*"] }, client);
    expect(await status(call(token, "POST", "resources/create", { path: "f/t/scoped", value: 1, resource_type: "any" }))).toBe(201);
    const schema = { type: "object", required: ["never"] };
    expect(await status(call(token, "POST", "resources/type/create", { name: "scoped", schema }))).toBe(403);
    expect(await status(call(token, "POST", "resources/type/update/postgresql", { schema }))).toBe(403);
  });
});

describe("impersonation", () => {
  it("only a superadmin impersonates users, and gets their rights", async () => {
    const body = { impersonate_email: dev.email, label: "as dev" };
    const token = expectStatus(await client.post("users/tokens/impersonate", body), 201).text;
    expect((await client.call("GET", "users/whoami", { token })).json).toMatchObject({ email: dev.email, super_admin: false });
    expect(await status(client.call("GET", "users/list_as_super_admin", { token }))).toBe(403);
    expect(await status(dev.api.post("users/tokens/impersonate", { impersonate_email: service.email }))).toBe(403);
    expect(await status(client.post("users/tokens/impersonate", { impersonate_email: "nobody@example.com" }))).toBe(404);
  });
});
