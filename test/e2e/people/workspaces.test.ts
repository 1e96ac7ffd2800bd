import { PutItemCommand, ScanCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { describe, expect, it } from "vitest";
import { type Answer, api, shared } from "../../support/api/api.ts";
import { listPages } from "../../support/api/list-pages.ts";
import { member, someone } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients, invoke } from "../../support/engine/aws.ts";
import { until } from "../../support/until.ts";

const client = api();
const said = ({ status, headers }: Answer) => [status, headers.get("x-svc-error")];
const status = async (answer: Promise<{ status: number }>) => (await answer).status;
const { dynamodb, s3 } = awsClients();
const tables = () => [shared().outputs["ObjectsTable"], shared().outputs["JobsTable"]];

/** The keys of all items and objects that name the workspace. */
async function tracesOf(id: string): Promise<string[]> {
  const found: string[] = [];
  for (const TableName of tables()) {
    let ExclusiveStartKey: Record<string, never> | undefined;
    do {
      const page = await dynamodb.send(
        new ScanCommand({ TableName, ConsistentRead: true, ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}) }),
      );
      for (const item of page.Items ?? []) if (JSON.stringify(item).includes(id)) found.push(`${item["pk"]?.S} ${item["sk"]?.S}`);
      ExclusiveStartKey = page.LastEvaluatedKey as never;
    } while (ExclusiveStartKey);
  }
  for (const folder of ["jobs", "files", "scripts", "artefacts"]) {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: shared().outputs["Bucket"], Prefix: `${folder}/${id}/` }));
    found.push(...Contents.map(({ Key = "" }) => Key));
  }
  // The instance retains its audit log, its events while another test has an endpoint for them, and for a day the Idempotency-Keys.
  return found.filter((key) => !/^(AUDIT#-|OUTBOX#-|IDEMPOTENCY#)/.test(key)).sort();
}

const listAll = () => listPages(client, "workspaces/list_as_superadmin");
const tick = (event: object = {}) => invoke("HousekeepingFunction", event) as Promise<{ purged: number }>;
const tombstones = (id: string) => [`ACCESS#${id} access`, `DELETED ${id}`];

/** Moves the deletion of the workspace far into the past, so that earlier requests have ended. */
async function longAgo(id: string): Promise<void> {
  await dynamodb.send(
    new UpdateItemCommand({
      TableName: shared().outputs["ObjectsTable"],
      Key: { pk: { S: "DELETED" }, sk: { S: id } },
      UpdateExpression: "SET v.atMs = v.atMs - :ago, v.passedMs = v.passedMs - :ago",
      ExpressionAttributeValues: { ":ago": { N: String(20 * 60_000) } },
    }),
  );
}

/** A workspace with an object of each kind, and a token that is bound to it. */
async function furnished(): Promise<{ ws: Workspace; token: string }> {
  const ws = await newWorkspace();
  const dev = await member(ws, "dev");
  await ws.saveScript({ path: "f/t/big", language: "bash", content: `# ${"x".repeat(60_000)}\nhead -c 20000 /dev/zero | tr '\\0' x` });
  await ws.saveScript({ path: "f/t/old", language: "bash", content: "echo 1" });
  const { hash } = (await ws.get("scripts/get/p/f/t/old")).json as { hash: string };
  await ws.saveScript({ path: "f/t/renamed", parent_hash: hash, language: "bash", content: "echo 2" });
  expectStatus(await ws.post("variables/create", { path: "f/t/key", value: "planted-secret", is_secret: true, description: "" }), 201);
  expectStatus(await ws.post("resources/create", { path: "f/t/db", resource_type: "any", value: { password: "$var:f/t/key" } }), 201);
  expectStatus(await ws.post("groups/create", { name: "crew" }), 201);
  expectStatus(await ws.post("workspaces/invite_user", { email: "x@example.com", is_admin: false, operator: false }), 201);
  expectStatus(await ws.post("workspaces/edit_auto_invite", { auto_add: true }), 200);
  expectStatus(await ws.call("POST", "job_helpers/upload_s3_file", { query: { file_key: "a/b.txt" }, body: "text" }), 200);
  const token = expectStatus(await dev.api.post("users/tokens/create", { workspace_id: ws.id, label: "bound" }), 201).text;
  expect((await ws.runWait("f/t/big")).status).toBe(200);
  await ws.completed(await ws.run("f/t/renamed", { large: "y".repeat(20_000) }));
  return { ws, token };
}

describe("archived workspaces", () => {
  it("an archived workspace runs and changes nothing, is readable, and can be restored", async () => {
    const ws = await newWorkspace();
    const dev = await member(ws, "dev");
    await ws.saveScript({ path: "f/t/hello", language: "bash", content: "echo hello" });
    await ws.saveScript({ path: "f/t/long", language: "bash", content: "sleep 60" });
    const webhook = expectStatus(
      await client.post("users/tokens/create", { scopes: ["jobs:run:scripts:f/t/hello"], workspace_id: ws.id }),
      201,
    ).text;
    const waiting = await ws.run("f/t/hello", {}, { scheduled_in_secs: 3600 });
    const running = await ws.run("f/t/long");
    await until(async () => ((await ws.get(`jobs_u/get/${running}`)).json as { running?: boolean }).running, {
      what: "the start of the job",
    });

    expect(await status(dev.in(ws).post("workspaces/archive"))).toBe(403);
    expectStatus(await ws.post("workspaces/archive"), 200);
    expectStatus(await ws.post("workspaces/archive"), 200);
    const refused = [
      await ws.post("jobs/run/p/f/t/hello", {}),
      await ws.runWait("f/t/hello"),
      await client.call("POST", `w/${ws.id}/jobs/run_wait_result/p/f/t/hello`, { token: webhook, body: {} }),
      await ws.post("jobs/run/preview", { language: "bash", content: "echo" }),
      await ws.post("jobs/run_and_stream/p/f/t/hello", {}),
      await ws.post("scripts/create", { path: "f/t/new", summary: "", language: "bash", content: "" }),
      await ws.post("folders/create", { name: "new" }),
      await ws.post("variables/create", { path: "f/t/v", value: "", is_secret: false, description: "" }),
    ];
    expect(refused.map(said)).toEqual(refused.map(() => [409, "workspace.archived"]));
    expect(refused[0]?.text).toContain(`/api/workspaces/unarchive/${ws.id}`);
    expect(await ws.completed(waiting)).toMatchObject({ canceled: true, canceled_reason: "the workspace is archived" });
    expect(await ws.completed(running)).toMatchObject({ canceled: true });
    expect((await ws.get("scripts/list_paths")).json).toEqual(["f/t/hello", "f/t/long"]);
    expect(await status(dev.in(ws).get("users/whoami"))).toBe(200);
    expect((await client.get("workspaces/list")).text).not.toContain(ws.id);
    expect((await client.get("workspaces/users")).text).not.toContain(ws.id);
    expect(await listAll()).toContainEqual(expect.objectContaining({ id: ws.id, deleted: true }));
    const stranger = await someone("stranger");
    expect(said(await stranger.in(ws).post("jobs/run/p/f/t/hello", {}))).toEqual([404, "workspace.notFound"]);

    expect(await status(dev.api.post(`workspaces/unarchive/${ws.id}`))).toBe(403);
    expectStatus(await client.post(`workspaces/unarchive/${ws.id}`), 200);
    expect((await ws.runWait("f/t/hello")).json).toBe("hello");
    expect((await client.get("workspaces/list")).text).toContain(ws.id);
  });

  it("an archived workspace cancels scheduled jobs when they become due", async () => {
    const ws = await newWorkspace();
    await ws.saveScript({ path: "f/t/hello", language: "bash", content: "echo hello" });
    const late = await ws.run("f/t/hello", {}, { scheduled_in_secs: 3600 });
    // Simulates a job that is recorded just after the jobs were stopped.
    await dynamodb.send(
      new UpdateItemCommand({
        TableName: shared().outputs["ObjectsTable"],
        Key: { pk: { S: "WORKSPACES" }, sk: { S: ws.id } },
        UpdateExpression: "SET v.deleted = :yes",
        ExpressionAttributeValues: { ":yes": { BOOL: true } },
      }),
    );
    await tick({ aheadMs: 3_600_000 });
    expect(await ws.completed(late)).toMatchObject({ canceled: true, canceled_reason: "the workspace is archived" });
  });
});

describe("deleted workspaces", () => {
  // It reads both tables again and again, with all that other tests have written.
  it("a deleted workspace disappears immediately, its data later, and then its id is free", { timeout: 300_000 }, async () => {
    const [{ ws, token }, other] = [await furnished(), await newWorkspace()];
    const admin = await member(ws, "boss", "admin");
    expect((await tracesOf(ws.id)).length).toBeGreaterThan(40);
    const others = await tracesOf(other.id);
    expect(await status(admin.api.call("DELETE", `workspaces/delete/${ws.id}`))).toBe(403);
    expectStatus(await client.call("DELETE", `workspaces/delete/${ws.id}`), 200);

    for (const who of [ws, admin.in(ws)]) {
      expect(await status(who.get("scripts/get/p/f/t/renamed"))).toBe(404);
      expect(await status(who.post("jobs/run/p/f/t/renamed", {}))).toBe(404);
      expect(await status(who.post("folders/create", { name: "late" }))).toBe(404);
      expect(await status(who.get("users/whoami"))).toBe(404);
    }
    expect(await listAll()).not.toContainEqual(expect.objectContaining({ id: ws.id }));
    expect((await client.post("workspaces/exists", { id: ws.id })).json).toBe(false);
    expect(said(await client.post("workspaces/create", { id: ws.id, name: "Again" }))).toEqual([409, "workspace.beingDeleted"]);
    expect(await status(client.call("DELETE", `workspaces/delete/${ws.id}`))).toBe(404);

    await tick();
    expect(await tracesOf(ws.id)).toEqual(tombstones(ws.id));
    expect(await status(client.call("GET", "users/email", { token }))).toBe(401);
    expect(await tracesOf(other.id)).toEqual(others);
    await tick();
    expect(await tracesOf(ws.id)).toEqual(tombstones(ws.id));

    // A request that began before the deletion writes late: the last pass removes it.
    const late = { pk: { S: `VAR#${ws.id}` }, sk: { S: "f/t/late" } };
    await dynamodb.send(new PutItemCommand({ TableName: shared().outputs["ObjectsTable"], Item: late }));
    await s3.send(new PutObjectCommand({ Bucket: shared().outputs["Bucket"], Key: `files/${ws.id}/late.txt`, Body: "late" }));
    await longAgo(ws.id);
    // The housekeeping of another test may run at the same time.
    const emptied = async () => (await tick()) && (await tracesOf(ws.id)).length === 0;
    await until(emptied, { what: `the end of what ${ws.id} left` });
    expectStatus(await client.post("workspaces/create", { id: ws.id, name: "Again" }), 201);
    expect((await ws.get("scripts/list_paths")).json).toEqual([]);
    expect((await ws.get("users/list_usernames")).json).toEqual(["admin"]);
    const log = await client.get("audit/list", { operation: "workspaces.delete", per_page: 100 });
    expect(log.json).toContainEqual(expect.objectContaining({ username: shared().email, resource: ws.id, action_kind: "Delete" }));
  });
});

it("exists_username is available only to members and invited users", async () => {
  const ws = await newWorkspace();
  const [dev, stranger] = [await member(ws, "dev"), await someone("stranger")];
  const ask = async (from = client, username = dev.username) =>
    (await from.post("workspaces/exists_username", { id: ws.id, username })).json;
  expect([await ask(), await ask(dev.api), await ask(client, "nobody"), await ask(stranger.api)]).toEqual([true, true, false, false]);
  expectStatus(await ws.post("workspaces/invite_user", { email: stranger.email, is_admin: false, operator: false }), 201);
  expect(await ask(stranger.api)).toBe(true);
});

it("a workspace's name and colour are changed by its admins and shown to its members", async () => {
  const ws = await newWorkspace();
  const dev = await member(ws, "dev");
  expectStatus(await ws.post("workspaces/change_workspace_name", { new_name: "Operations" }), 200);
  expectStatus(await ws.post("workspaces/change_workspace_color", { color: "#ff0000" }), 200);
  expect((await dev.in(ws).get("workspaces/get_workspace_name")).text).toBe("Operations");
  expect((await ws.get("workspaces/get_settings")).json).toEqual({ workspace_id: ws.id, name: "Operations", color: "#ff0000" });
  expect(await status(dev.in(ws).post("workspaces/change_workspace_name", { new_name: "Mine" }))).toBe(403);
  expect(await status(dev.in(ws).get("workspaces/get_settings"))).toBe(403);
});
