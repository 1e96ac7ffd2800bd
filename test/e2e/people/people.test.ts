import { beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { listPages } from "../../support/api/list-pages.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

const client = api();
let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

describe("tokens", () => {
  const make = async (body: object = {}) => expectStatus(await client.post("users/tokens/create", body), 201).text;
  const whoami = (token: string) => client.call("GET", "users/whoami", { token });

  it("a token is shown once, listed by prefix, and invalid after deletion", async () => {
    const token = await make({ label: "ci" });
    expect((await whoami(token)).json).toMatchObject({ email: "admin@example.com", super_admin: true });
    const prefix = token.slice(0, 10);
    const listed = await listPages(client, "users/tokens/list");
    expect(listed).toContainEqual(expect.objectContaining({ label: "ci", token_prefix: prefix }));
    expect(JSON.stringify(listed)).not.toContain(token);
    expectStatus(await client.call("DELETE", `users/tokens/delete/${prefix}`), 200);
    expect((await whoami(token)).status).toBe(401);
    expect((await client.call("DELETE", `users/tokens/delete/${prefix}`)).status).toBe(404);
  });

  it("a token ends at its expiry", async () => {
    const token = await make({ expiration: new Date(Date.now() - 1000).toISOString() });
    expect([(await whoami(token)).status, (await whoami(token)).headers.get("x-svc-error")]).toEqual([401, "auth.invalid"]);
  });

  it("a token works as header, cookie and query parameter", async () => {
    const token = await make({ label: "three ways" });
    const none = { token: "" };
    expect((await client.call("GET", "users/email", { ...none, headers: { authorization: `Bearer ${token} ` } })).text).toBe(
      "admin@example.com",
    );
    expect((await client.call("GET", "users/email", { ...none, headers: { cookie: `a=b; token=${token}` } })).text).toBe(
      "admin@example.com",
    );
    expect((await client.call("GET", "users/email", { ...none, query: { token } })).text).toBe("admin@example.com");
    const missing = await client.call("GET", "users/email", none);
    expect([missing.status, missing.headers.get("x-svc-error"), missing.text]).toEqual([
      401,
      "auth.missing",
      expect.stringContaining("Authorization"),
    ]);
  });

  it("a token of one workspace cannot access another", async () => {
    const other = await newWorkspace();
    const token = await make({ workspace_id: ws.id });
    expect((await client.call("GET", `w/${ws.id}/scripts/list`, { token })).status).toBe(200);
    expect((await client.call("GET", `w/${other.id}/scripts/list`, { token })).status).toBe(403);
  });

  it("a job token creates no tokens", async () => {
    await ws.saveScript({
      path: "f/t/minter",
      language: "bash",
      content: `curl -s -o /dev/null -w '%{http_code}' -X POST "$BASE_INTERNAL_URL/api/users/tokens/create" -H "Authorization: Bearer $OV_TOKEN" -d '{}'`,
    });
    expect((await ws.runWait("f/t/minter")).json).toBe("403");
  });
});

describe("workspaces and folders", () => {
  it("a workspace is created once, listed, and known to exist", async () => {
    expect((await client.post("workspaces/create", { id: ws.id, name: "again" })).status).toBe(409);
    expect((await client.get("workspaces/list")).json).toContainEqual(expect.objectContaining({ id: ws.id }));
    expect((await client.post("workspaces/exists", { id: ws.id })).json).toBe(true);
    expect((await client.post("workspaces/exists", { id: "nowhere" })).json).toBe(false);
    expectStatus(await ws.post("folders/create", { name: "ops", summary: "Operations" }), 201);
    expect((await ws.post("folders/create", { name: "ops" })).status).toBe(409);
    expect((await ws.get("folders/get/ops")).json).toMatchObject({ name: "ops", summary: "Operations", owners: ["u/admin"] });
    expect((await ws.get("folders/listnames")).json).toEqual(["ops", "t"]);
    expect((await ws.get("folders/exists/nothing")).json).toBe(false);
    expect((await ws.get("folders/get/nothing")).status).toBe(404);
  });

  it("member routes return a user of a workspace", async () => {
    expect((await ws.get("users/whoami")).json).toMatchObject({
      username: "admin",
      is_admin: true,
      folders: expect.arrayContaining(["t"]),
    });
    expect((await client.get("w/nowhere/users/whoami")).status).toBe(404);
  });

  it("a script outside of folders or workspaces is rejected", async () => {
    const script = { summary: "", language: "bash", content: "" };
    const noFolder = await ws.post("scripts/create", { ...script, path: "f/missing/x" });
    expect([noFolder.status, noFolder.text]).toEqual([400, expect.stringContaining("missing")]);
    const badPath = await ws.post("scripts/create", { ...script, path: "../x" });
    expect([badPath.status, badPath.text]).toEqual([422, expect.stringContaining("path")]);
    const noWorkspace = await client.post("w/nowhere/scripts/create", { ...script, path: "u/admin/x" });
    expect([noWorkspace.status, noWorkspace.headers.get("x-svc-error")]).toEqual([404, "workspace.notFound"]);
  });
});
