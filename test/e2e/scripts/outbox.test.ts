import { QueryCommand } from "@aws-sdk/client-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients } from "../../support/engine/aws.ts";

let ws: Workspace;
beforeEach(async () => {
  ws = await newWorkspace();
});

/** Returns the events in the outbox of the workspace, oldest first, without the folder of every test workspace. */
async function outbox(): Promise<{ type: string | undefined; object: string | undefined }[]> {
  const { Items = [] } = await awsClients().dynamodb.send(
    new QueryCommand({
      TableName: shared().outputs["ObjectsTable"],
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": { S: `OUTBOX#${ws.id}` } },
      ConsistentRead: true,
    }),
  );
  const [first, ...rest] = Items.map(({ sk, v, ttl }) => {
    const { id, type, object, workspace, by, atMs } = v?.M ?? {};
    expect([id?.S, workspace?.S, by?.S]).toEqual([sk?.S, ws.id, "admin"]);
    expect(Number(atMs?.N)).toBeGreaterThan(1_700_000_000_000);
    // Events have no consumer yet, so they expire.
    expect(Number(ttl?.N)).toBeGreaterThan(Number(atMs?.N) / 1000);
    return { type: type?.S, object: object?.S };
  });
  expect(first).toEqual({ type: "CreateFolder", object: "t" });
  return rest;
}
const script = { path: "f/t/a", summary: "", language: "bash", content: "echo hi" };

describe("events of stored objects", () => {
  it("a new script and a new version write one typed event each", async () => {
    const first = expectStatus(await ws.post("scripts/create", script), 201).text;
    expect(await outbox()).toEqual([{ type: "CreateScript", object: "f/t/a" }]);
    expectStatus(await ws.post("scripts/create", { ...script, parent_hash: first }), 201);
    expect(await outbox()).toEqual([
      { type: "CreateScript", object: "f/t/a" },
      { type: "UpdateScript", object: "f/t/a" },
    ]);
  });

  it("a rename of a script writes one event", async () => {
    const first = expectStatus(await ws.post("scripts/create", script), 201).text;
    expectStatus(await ws.post("scripts/create", { ...script, path: "f/t/b", parent_hash: first }), 201);
    expect(await outbox()).toEqual([
      { type: "CreateScript", object: "f/t/a" },
      { type: "UpdateScript", object: "f/t/b" },
    ]);
  });

  it("concurrent deletions of one version write one event", async () => {
    const hash = expectStatus(await ws.post("scripts/create", script), 201).text;
    const answers = await Promise.all([1, 2, 3, 4].map(() => ws.post(`scripts/delete/h/${hash}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    expect(await outbox()).toEqual([
      { type: "CreateScript", object: "f/t/a" },
      { type: "DeleteScript", object: hash },
    ]);
  });

  it("a script that is archived by path, deleted by hash, or deleted by path writes one event", async () => {
    const first = expectStatus(await ws.post("scripts/create", script), 201).text;
    expectStatus(await ws.post("scripts/create", { ...script, auto_parent: true, content: "echo 2" }), 201);
    expectStatus(await ws.post(`scripts/delete/h/${first}`), 200);
    expectStatus(await ws.post("scripts/archive/p/f/t/a"), 200);
    expectStatus(await ws.post("scripts/create", { ...script, path: "f/t/b" }), 201);
    expectStatus(await ws.post("scripts/delete/p/f/t/b"), 200);
    expect((await outbox()).slice(2)).toEqual([
      { type: "DeleteScript", object: first },
      { type: "DeleteScript", object: "f/t/a" },
      { type: "CreateScript", object: "f/t/b" },
      { type: "DeleteScriptPath", object: "f/t/b" },
    ]);
  });

  it("a new folder writes one event", async () => {
    expectStatus(await ws.post("folders/create", { name: "ops" }), 201);
    expect(await outbox()).toEqual([{ type: "CreateFolder", object: "ops" }]);
  });

  it("a call that changes nothing writes no event: rejected, lost a race, or equal content", async () => {
    const first = expectStatus(await ws.post("scripts/create", script), 201).text;
    const racers = await Promise.all(
      [1, 2, 3].map((n) => ws.post("scripts/create", { ...script, parent_hash: first, content: `echo ${n}` })),
    );
    expect(racers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const refused of [
      await ws.post("scripts/create", script),
      await ws.post("scripts/create", { ...script, path: "f/nowhere/a" }),
      await ws.post("scripts/delete/p/f/t/none"),
      await ws.post("scripts/archive/p/f/t/none"),
      await ws.post("folders/create", { name: "t" }),
    ]) {
      expect(refused.status).toBeGreaterThanOrEqual(400);
    }
    const winner = racers.findIndex(({ status }) => status === 201) + 1;
    const same = { ...script, auto_parent: true, content: `echo ${winner}` };
    expectStatus(await ws.post("scripts/create", same, { skip_if_noop: true }), 201);
    expect(await outbox()).toEqual([
      { type: "CreateScript", object: "f/t/a" },
      { type: "UpdateScript", object: "f/t/a" },
    ]);
  });

  it("runs and builds write no event", async () => {
    await ws.saveScript({ ...script });
    expectStatus(await ws.runWait("f/t/a"), 200);
    expect(await outbox()).toEqual([{ type: "CreateScript", object: "f/t/a" }]);
  });
});
