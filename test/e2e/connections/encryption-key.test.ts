import { GetItemCommand, PutItemCommand, QueryCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import { dueRotationObject } from "../../../core/secrets/key-ring.ts";
import { importSecret } from "../../../core/secrets/open.ts";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients, invoke } from "../../support/engine/aws.ts";
import { until } from "../../support/until.ts";

const TableName = () => shared().outputs["ObjectsTable"] ?? "";
const keyOf = (letter: string) => letter.repeat(64);

async function workspaceWith(secrets: number): Promise<Workspace> {
  const ws = await newWorkspace();
  for (let index = 0; index < secrets; index += 1) await create(ws, index);
  return ws;
}
const create = async (ws: Workspace, index: number) =>
  expectStatus(
    await ws.post("variables/create", { path: `f/t/s${index}`, value: `value ${index}`, is_secret: true, description: "" }),
    201,
  );
const currentKey = async (ws: Workspace) => (expectStatus(await ws.get("workspaces/encryption_key"), 200).json as { key: string }).key;

/** The version of the data key that each stored secret names, by path. */
async function versions(ws: Workspace): Promise<Map<string, string>> {
  const { Items = [] } = await awsClients().dynamodb.send(
    new QueryCommand({
      TableName: TableName(),
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": { S: `VAR#${ws.id}` } },
      ConsistentRead: true,
    }),
  );
  return new Map(Items.map(({ sk, v }) => [sk?.S ?? "", (v?.M?.["value"]?.S ?? "").split(":")[1] ?? ""]));
}

/** Returns the write after which the stored key ring is that of a rotation that has not ended. */
const ringUntil = (ws: Workspace, untilMs: number) =>
  new UpdateItemCommand({
    TableName: TableName(),
    Key: { pk: { S: `RING#${ws.id}` }, sk: { S: "ring" } },
    UpdateExpression: "SET v.rotatingUntilMs = :until",
    ExpressionAttributeValues: { ":until": { N: String(untilMs) } },
  });

describe("the encryption key of a workspace", () => {
  it("the key has 64 characters, is stable until it is replaced, differs between workspaces, and opens exports", async () => {
    const ws = await workspaceWith(1);
    const key = await currentKey(ws);
    expect(key).toMatch(/^[A-Za-z0-9]{64}$/);
    expect(await currentKey(ws)).toBe(key);
    expect(await currentKey(await newWorkspace())).not.toBe(key);
    const { json } = await ws.get("variables/get/f/t/s0", { decrypt_secret: false, include_encrypted: true });
    expect(importSecret(key, (json as { value: string }).value)?.value).toBe("value 0");
  });

  it("readers and writers continue during a rotation: every secret is readable at any moment, and all are encrypted again", async () => {
    const ws = await workspaceWith(40);
    let going = true;
    const failures: string[] = [];
    let reads = 0;
    const reader = async (start: number) => {
      for (let index = start; going; index = (index + 7) % 40) {
        const answer = await ws.get(`variables/get_value/f/t/s${index}`);
        reads += 1;
        if (answer.status !== 200 || !String(answer.json).startsWith(`value ${index}`))
          failures.push(`${index}: ${answer.status} ${answer.text}`);
      }
    };
    const writer = async () => {
      for (let index = 40; going; index += 1) {
        await create(ws, index);
        const changed = await ws.post(`variables/update/f/t/s${index % 40}`, { value: `value ${index % 40} changed` });
        if (changed.status !== 200) failures.push(`${changed.status} ${changed.text}`);
      }
    };
    const others = [reader(0), reader(3), writer()];
    for (const letter of ["a", "b", "c"]) expectStatus(await ws.post("workspaces/encryption_key", { new_key: keyOf(letter) }), 200);
    going = false;
    await Promise.all(others);
    expect(failures).toEqual([]);
    expect(reads).toBeGreaterThan(3);
    expect(await currentKey(ws)).toBe(keyOf("c"));
    const sealed = await versions(ws);
    expect(sealed.size).toBeGreaterThanOrEqual(40);
    expect(new Set(sealed.values())).toEqual(new Set(["4"]));
    for (const path of sealed.keys()) {
      const { json } = expectStatus(await ws.get(`variables/get/${path}`, { decrypt_secret: false, include_encrypted: true }), 200);
      expect(importSecret(keyOf("c"), (json as { value: string }).value)?.value).toMatch(/^value /);
    }
  });

  it("only one rotation of the key runs at a time, and a second one is rejected", async () => {
    const ws = await workspaceWith(20);
    const answers = await Promise.all(["d", "e", "f"].map((letter) => ws.post("workspaces/encryption_key", { new_key: keyOf(letter) })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(200);
    for (const status of statuses) expect([200, 409]).toContain(status);
    for (let index = 0; index < 20; index += 1) expect((await ws.get(`variables/get_value/f/t/s${index}`)).json).toBe(`value ${index}`);
    expect(new Set((await versions(ws)).values()).size).toBe(1);
  });

  it("a rotation that is interrupted leaves every secret readable, and the next one completes it", async () => {
    const ws = await workspaceWith(5);
    const { dynamodb } = awsClients();
    const Key = { pk: { S: `VAR#${ws.id}` }, sk: { S: "f/t/s0" } };
    const { Item } = await dynamodb.send(new GetItemCommand({ TableName: TableName(), Key }));
    expectStatus(await ws.post("workspaces/encryption_key", { new_key: keyOf("g") }), 200);
    // The earlier state, with the key ring that an interrupted rotation leaves.
    await dynamodb.send(new PutItemCommand({ TableName: TableName(), Item: Item ?? {} }));
    await dynamodb.send(ringUntil(ws, Date.now() + 60_000));
    expect((await ws.get("variables/get_value/f/t/s0")).json).toBe("value 0");
    for (const skip_reencrypt of [false, true]) {
      const refused = await ws.post("workspaces/encryption_key", { new_key: keyOf("h"), skip_reencrypt });
      expect([refused.status, refused.headers.get("x-svc-error")]).toEqual([409, "encryptionKey.rotating"]);
    }
    await create(ws, 5);
    await dynamodb.send(ringUntil(ws, Date.now() - 1));
    // A rotation to the same key continues the interrupted one; another key starts a new rotation.
    const resumed = expectStatus(await ws.post("workspaces/encryption_key", { new_key: keyOf("g") }), 200);
    expect(resumed.text).toContain("and 1 secrets were re-encrypted");
    expect(new Set((await versions(ws)).values())).toEqual(new Set(["2"]));
    expectStatus(await ws.post("workspaces/encryption_key", { new_key: keyOf("h") }), 200);
    expect(new Set((await versions(ws)).values())).toEqual(new Set(["3"]));
    for (let index = 0; index <= 5; index += 1) expect((await ws.get(`variables/get_value/f/t/s${index}`)).json).toBe(`value ${index}`);
  });

  it("the service continues an interrupted rotation without a request", async () => {
    const ws = await workspaceWith(2);
    const { dynamodb } = awsClients();
    const Key = { pk: { S: `VAR#${ws.id}` }, sk: { S: "f/t/s0" } };
    const { Item } = await dynamodb.send(new GetItemCommand({ TableName: TableName(), Key }));
    expectStatus(await ws.post("workspaces/encryption_key", { new_key: keyOf("j") }), 200);
    // The earlier state, with the key ring and the entry that an interrupted rotation leaves.
    await dynamodb.send(new PutItemCommand({ TableName: TableName(), Item: Item ?? {} }));
    const dueMs = Date.now() - 1;
    const { pk, sk } = dueRotationObject.key(dueMs, ws.id);
    const entry = { pk: { S: pk }, sk: { S: sk }, v: { M: { of: { S: ws.id }, dueMs: { N: String(dueMs) } } } };
    await dynamodb.send(new PutItemCommand({ TableName: TableName(), Item: entry }));
    await dynamodb.send(ringUntil(ws, dueMs));
    await invoke("HousekeepingFunction", {});
    const state = await until(
      async () => {
        const { json } = expectStatus(await ws.get("variables/key_rotation"), 200);
        return (json as { state: string }).state === "none" ? json : undefined;
      },
      { what: "the end of the rotation" },
    );
    expect(state).toEqual({ state: "none", done: 0, total: 0, unreadable: [] });
    expect(new Set((await versions(ws)).values())).toEqual(new Set(["2"]));
  });

  it("skip_reencrypt changes only the key, and a key that is too short is rejected", async () => {
    const ws = await workspaceWith(1);
    expectStatus(await ws.post("workspaces/encryption_key", { new_key: keyOf("i"), skip_reencrypt: true }), 200);
    expect(await currentKey(ws)).toBe(keyOf("i"));
    expect(new Set((await versions(ws)).values())).toEqual(new Set(["1"]));
    expect((await ws.get("variables/get_value/f/t/s0")).json).toBe("value 0");
    for (const new_key of ["short", "", 5, `${keyOf("i")} `])
      expect((await ws.post("workspaces/encryption_key", { new_key })).status).toBe(422);
    expect((await ws.api.get("w/no-such-workspace/workspaces/encryption_key")).status).toBe(404);
  });
});
