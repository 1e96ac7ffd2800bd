import { beforeAll, describe, expect, it } from "vitest";
import { routes } from "../../../contract/routes/routes.ts";
import { api } from "../../support/api/api.ts";
import { member, type Someone } from "../../support/api/people.ts";
import { shaped } from "../../support/api/shaped.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { findLogLine } from "../../support/engine/logs.ts";

const client = api();
let ws: Workspace;
let dev: Someone;
beforeAll(async () => {
  ws = await newWorkspace();
  dev = await member(ws, "dev");
  // All members may read this folder, and none of them may write there.
  expectStatus(await ws.post("folders/create", { name: "r1", owners: [], extra_perms: { "g/all": false } }), 201);
});
const status = async (answer: Promise<{ status: number }>) => (await answer).status;

describe("the audit log", () => {
  it("the log records the author of each change for admins, and neither rejected calls nor secrets", async () => {
    const mine = dev.in(ws);
    const script = { path: `u/${dev.username}/a`, summary: "", language: "bash", content: "echo planted-secret" };
    expectStatus(await mine.post("scripts/create", script), 201);
    expect(await status(mine.post("scripts/create", { ...script, path: "f/r1/a" }))).toBe(403);
    expectStatus(await mine.post(`scripts/archive/p/${script.path}`), 200);
    const found = await ws.get("audit/list", { username: dev.username, operations: "scripts.create,scripts.archive" });
    const entries = shaped(routes.listAudit, found) as { id: string }[];
    expect(entries).toMatchObject([
      { operation: "scripts.archive", action_kind: "Delete", resource: script.path, username: dev.username },
      { operation: "scripts.create", action_kind: "Created", resource: script.path, workspace_id: ws.id },
    ]);
    expect(found.text).not.toContain("planted-secret");
    expect(shaped(routes.getAudit, await ws.get(`audit/get/${entries[0]?.id}`))).toEqual(entries[0]);
    const hash = expectStatus(await mine.post("scripts/create", { ...script, path: `u/${dev.username}/by-hash` }), 201).text;
    expectStatus(await mine.post(`scripts/archive/h/${hash}`), 200);
    expectStatus(await ws.post(`scripts/delete/h/${hash}`), 200);
    const byHash = await ws.get("audit/list", { resource: `u/${dev.username}/by-hash`, exclude_operations: "jobs.run.dependencies" });
    expect((byHash.json as { operation: string }[]).map(({ operation }) => operation)).toEqual([
      "scripts.delete",
      "scripts.archive",
      "scripts.create",
    ]);
    const before = await ws.get("audit/list", { before: new Date(Date.now() - 3_600_000).toISOString() });
    expect(before.json).toEqual([]);
    expect(await status(mine.get("audit/list"))).toBe(403);
    expect(await status(ws.get("audit/get/nothing"))).toBe(404);

    const token = expectStatus(await dev.api.post("users/tokens/create", { label: "audited" }), 201).text;
    expectStatus(await dev.api.call("DELETE", `users/tokens/delete/${token}`), 200);
    const global = await client.get("audit/list", { username: dev.email });
    expect(shaped(routes.listInstanceAudit, global)).toContainEqual(
      expect.objectContaining({ operation: "users.token.delete", resource: token.slice(0, 10) }),
    );
    expect(global.json).toContainEqual(
      expect.objectContaining({ operation: "users.token.create", action_kind: "Created", resource: token.slice(0, 10) }),
    );
    expect(global.text).not.toContain(token);
  });

  it("the log records the reader of a secret, and not the secret", async () => {
    const path = `u/${dev.username}/key`;
    const mine = dev.in(ws);
    expectStatus(await mine.post("variables/create", { path, value: "planted-value", is_secret: true, description: "" }), 201);
    expect((await mine.get(`variables/get_value/${path}`)).json).toBe("planted-value");
    const found = await ws.get("audit/list", { username: dev.username, resource: path });
    expect(found.json).toMatchObject([
      { operation: "variables.decrypt_secret", action_kind: "Execute" },
      { operation: "variables.create", action_kind: "Created" },
    ]);
    expect(found.text).not.toContain("planted-value");
  });

  it("the log records each secret in the arguments of a job once, with the job, without an extra call", async () => {
    const audited = await newWorkspace();
    for (const name of ["one", "two"]) {
      const variable = { path: `f/t/${name}`, value: `planted-${name}`, is_secret: true, description: "" };
      expectStatus(await audited.post("variables/create", variable), 201);
    }
    expectStatus(await audited.post("variables/create", { path: "f/t/plain", value: "plain", is_secret: false, description: "" }), 201);
    expectStatus(
      await audited.post("resources/create", { path: "f/t/db", resource_type: "any", value: { a: "$var:f/t/two", b: "$var:f/t/plain" } }),
      201,
    );
    await audited.saveScript({ path: "f/t/args", language: "bash", content: "echo $#" });
    const args = { a: "$var:f/t/one", b: "$var:f/t/one", c: "$res:f/t/db" };
    const job = await audited.run("f/t/args", args);
    await audited.completed(job);
    const found = await audited.get("audit/list", { operation: "variables.decrypt_secret", per_page: 100 });
    const entries = shaped(routes.listAudit, found) as { id: string; resource: string }[];
    expect(entries.map(({ resource }) => resource).sort()).toEqual(["f/t/one", "f/t/two"]);
    expect(entries[0]).toMatchObject({ username: "admin", action_kind: "Execute", parameters: { job } });
    expect(found.text).not.toContain("planted-");
    const [run] = shaped(routes.listAudit, await audited.get("audit/list", { operation: "jobs.run.script" })) as { id: string }[];
    expect(run).toMatchObject({ id: job, username: "admin", resource: "f/t/args", action_kind: "Execute", parameters: { uuid: job } });
    expect(shaped(routes.getAudit, await audited.get(`audit/get/${run?.id}`))).toEqual(run);
    expect((await audited.get("audit/list", { resource: "f/t/one", action_kind: "Execute" })).json).toHaveLength(1);
    // One batch holds the entries and the note that masks the job's output.
    const line = await findLogLine((text) => text.includes(job) && text.includes('"message":"batch"'), "the batch");
    const batch = JSON.parse(line.slice(line.indexOf("{"))) as { jobs: string[]; aws: { requests: Record<string, number> } };
    // Messages of other tests may be in the same batch.
    expect(batch.aws.requests["dynamodb.BatchWriteItem"]).toBeGreaterThan(0);
    expect(batch.aws.requests["dynamodb.BatchWriteItem"]).toBeLessThanOrEqual(batch.jobs.length);
  });

  it("the log is filtered by user, action, resource and time", async () => {
    const filtered = await newWorkspace();
    const names = async (query: Record<string, string>) =>
      ((await filtered.get("audit/list", { per_page: 100, ...query })).json as { operation: string }[]).map(({ operation }) => operation);
    expectStatus(await filtered.post("folders/update/t", { summary: "T" }), 200);
    expectStatus(await filtered.call("DELETE", "folders/delete/t"), 200);
    const all = ["folder.delete", "folder.update", "folder.create"];
    expect(await names({})).toEqual(all);
    expect(await names({ operation: "folder.update" })).toEqual(["folder.update"]);
    expect(await names({ operations: "folder.update,folder.delete" })).toEqual(all.slice(0, 2));
    expect(await names({ exclude_operations: "folder.update" })).toEqual(["folder.delete", "folder.create"]);
    expect([await names({ action_kind: "Delete" }), await names({ username: "absent" })]).toEqual([["folder.delete"], []]);
    expect([await names({ resource: "t" }), await names({ resource: "u" })]).toEqual([all, []]);
    const first = ((await filtered.get("audit/list", { operation: "folder.create" })).json as { timestamp: string }[])[0]?.timestamp ?? "";
    expect([await names({ before: first }), await names({ after: first })]).toEqual([["folder.create"], all.slice(0, 2)]);
    expect([await names({ page: "2", per_page: "2" }), await names({ after: new Date(Date.now() + 60_000).toISOString() })]).toEqual([
      ["folder.create"],
      [],
    ]);
  });

  it("the log records the reader of the workspace's encryption key", async () => {
    expectStatus(await ws.get("workspaces/encryption_key"), 200);
    const keyReads = (await ws.get("audit/list", { operation: "workspaces.get_encryption_key" })).json;
    expect(keyReads).toMatchObject([{ username: "admin", action_kind: "Execute" }]);
  });
});
