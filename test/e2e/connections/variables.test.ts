import { beforeAll, describe, expect, it } from "vitest";
import { variableRoutes as routes } from "../../../contract/routes/stored/variables.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { addOutboxReader, outboxOf } from "../../support/engine/outbox.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const value = async (path: string) => expectStatus(await ws.get(`variables/get_value/${path}`), 200).json;
const save = async (path: string, more: object = {}) =>
  expectStatus(await ws.post("variables/create", { path, value: "v", is_secret: false, description: "", ...more }), 201);

describe("variables", () => {
  it("a variable is saved, read and deleted, plain or secret", async () => {
    for (const is_secret of [false, true]) {
      const path = `f/t/simple_${is_secret}`;
      await save(path, { value: "päss\u0000word 🔑", is_secret, description: "what for", labels: ["a"] });
      const { json } = expectStatus(await ws.get(`variables/get/${path}`), 200);
      expect(routes.getVariable.reply.json.parse(json)).toEqual(json);
      expect(json).toMatchObject({
        workspace_id: ws.id,
        path,
        value: "päss\u0000word 🔑",
        is_secret,
        description: "what for",
        labels: ["a"],
      });
      expect(await value(path)).toBe("päss\u0000word 🔑");
      expect((await ws.get(`variables/exists/${path}`)).json).toBe(true);
      expectStatus(await ws.call("DELETE", `variables/delete/${path}`), 200);
      expect((await ws.get(`variables/exists/${path}`)).json).toBe(false);
      for (const [method, route] of [
        ["GET", "get"],
        ["GET", "get_value"],
        ["DELETE", "delete"],
      ] as const) {
        const answer = await ws.call(method, `variables/${route}/${path}`);
        expect([answer.status, answer.text]).toEqual([404, `There is no variable at ${path}.`]);
      }
    }
  });

  it("an update preserves the fields of a linked account, and fields that it does not name", async () => {
    await save("f/t/linked", {
      is_secret: true,
      account: 7,
      is_oauth: true,
      expires_at: "2030-01-01T00:00:00Z",
      ws_specific: true,
      value: "first",
    });
    expectStatus(await ws.post("variables/update/f/t/linked", { description: "changed" }), 200);
    expect((await ws.get("variables/get/f/t/linked")).json).toMatchObject({
      value: "first",
      account: 7,
      is_oauth: true,
      expires_at: "2030-01-01T00:00:00Z",
      is_expired: false,
      ws_specific: true,
      description: "changed",
    });
    expectStatus(await ws.post("variables/update/f/t/linked", { value: "second" }), 200);
    expect((await ws.get("variables/get/f/t/linked")).json).toMatchObject({ value: "second", account: 7, description: "changed" });
  });

  it("a variable becomes secret and plain again, and its value stays the same", async () => {
    await save("f/t/turn", { value: "turned" });
    expectStatus(await ws.post("variables/update/f/t/turn", { is_secret: true }), 200);
    expect((await ws.get("variables/get/f/t/turn", { decrypt_secret: false })).json).not.toHaveProperty("value");
    expect(await value("f/t/turn")).toBe("turned");
    expectStatus(await ws.post("variables/update/f/t/turn", { is_secret: false }), 200);
    expect((await ws.get("variables/get/f/t/turn", { decrypt_secret: false })).json).toMatchObject({ value: "turned", is_secret: false });
  });

  it("a variable is renamed by path, and a secret opens at its new path", async () => {
    await save("f/t/old", { value: "kept", is_secret: true });
    await save("f/t/taken");
    expect((await ws.post("variables/update/f/t/old", { path: "f/t/taken" })).status).toBe(409);
    expect((await ws.post("variables/update/f/t/old", { path: "f/nowhere/x" })).status).toBe(400);
    expect(await value("f/t/old")).toBe("kept");
    expectStatus(await ws.post("variables/update/f/t/old", { path: "f/t/new", description: "moved" }), 200);
    expect(await value("f/t/new")).toBe("kept");
    expect((await ws.get("variables/exists/f/t/old")).json).toBe(false);
  });

  it("a used path, a missing folder, a path outside folders, and a value that is too large are rejected, and nothing is stored", async () => {
    await save("f/t/once");
    const create = (path: string, more: object = {}) =>
      ws.post("variables/create", { path, value: "v", is_secret: true, description: "", ...more });
    expect((await create("f/t/once")).status).toBe(409);
    expect((await create("f/nowhere/x")).status).toBe(400);
    for (const path of ["x", "f/t", "f/t/../x", "g/t/x", "f//x", "f/t/x y"])
      expect([path, (await create(path)).status]).toEqual([path, 422]);
    const large = await create("f/t/large", { value: "x".repeat(200_000) });
    expect([large.status, large.text.includes("0.1 MB")]).toEqual([413, true]);
    expect((await ws.get("variables/exists/f/t/large")).json).toBe(false);
    expect((await create("u/admin/own")).status).toBe(201);
    for (const body of [{}, { path: "f/t/x" }, { path: "f/t/x", value: 1, is_secret: true }]) {
      expect((await ws.post("variables/create", body)).status).toBe(422);
    }
  });

  it("concurrent writers lose no change", async () => {
    await save("f/t/busy", { is_secret: true });
    await Promise.all([
      ws.post("variables/update/f/t/busy", { value: "new" }),
      ws.post("variables/update/f/t/busy", { description: "told" }),
      ws.post("variables/update/f/t/busy", { labels: ["l"] }),
    ]);
    expect((await ws.get("variables/get/f/t/busy")).json).toMatchObject({ value: "new", description: "told", labels: ["l"] });
  });

  it("contextual variables describe the environment of a job", async () => {
    const { json } = expectStatus(await ws.get("variables/list_contextual"), 200);
    expect(json).toContainEqual({ name: "OV_WORKSPACE", value: ws.id, description: "Id of the workspace", is_custom: false });
    for (const { value: shown, name } of json as { name: string; value: string }[]) if (name.endsWith("_TOKEN")) expect(shown).toBe("");
  });
});

describe("lists of variables", () => {
  let own: Workspace;
  beforeAll(async () => {
    own = await newWorkspace();
    for (let index = 0; index < 7; index += 1) {
      const variable = {
        path: `f/t/v${index}`,
        value: `findme-${index}`,
        is_secret: index % 2 === 0,
        description: `number ${index}`,
        labels: [`l${index % 3}`],
      };
      expectStatus(await own.post("variables/create", variable), 201);
    }
  });
  const paths = async (query: Record<string, string | number>) =>
    (expectStatus(await own.get("variables/list", query), 200).json as { path: string }[]).map(({ path }) => path.slice(4));

  it("a list never contains the value of a secret, and no filter reveals it", async () => {
    const { json, text } = expectStatus(await own.get("variables/list"), 200);
    expect(routes.listVariables.reply.json.parse(json)).toEqual(json);
    for (const { is_secret, value: shown } of json as { is_secret: boolean; value?: string }[]) expect(shown === undefined).toBe(is_secret);
    expect(text).not.toContain("findme-2");
    expect(await paths({ value: "findme" })).toEqual(["v1", "v3", "v5"]);
    expect(await paths({ broad_filter: "findme-2" })).toEqual([]);
  });

  it("a list is filtered by path and paged", async () => {
    expect(await paths({ per_page: 3 })).toEqual(["v0", "v1", "v2"]);
    expect(await paths({ per_page: 3, page: 0 })).toEqual(["v0", "v1", "v2"]);
    expect(await paths({ per_page: 3, page: 3 })).toEqual(["v6"]);
    expect(await paths({ path_start: "f/t/v4" })).toEqual(["v4"]);
    expect(await paths({ path: "f/t/v5" })).toEqual(["v5"]);
    expect(await paths({ description: "NUMBER 6" })).toEqual(["v6"]);
    expect(await paths({ label: "l1" })).toEqual(["v1", "v4"]);
    expect(await paths({ broad_filter: "v3" })).toEqual(["v3"]);
  });
});

describe("exported secrets", () => {
  const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  const exported = async (path: string, of = ws) =>
    (expectStatus(await of.get(`variables/get/${path}`, { decrypt_secret: false, include_encrypted: true }), 200).json as { value: string })
      .value;

  it("an exported secret is standard base64 of a multiple of 16 bytes, and changes only with the value", async () => {
    await save("f/t/out", { value: "out of here", is_secret: true });
    const first = await exported("f/t/out");
    expect(first).toMatch(BASE64);
    expect(Buffer.from(first, "base64").length % 16).toBe(0);
    expectStatus(await ws.post("variables/update/f/t/out", { description: "touched" }), 200);
    expect(await exported("f/t/out")).toBe(first);
    expectStatus(await ws.post("variables/update/f/t/out", { value: "out of here" }), 200);
    expect(await exported("f/t/out")).not.toBe(first);
  });

  it("an exported secret is imported at any path, and in another workspace with the same key", async () => {
    await save("f/t/source", { value: "carried", is_secret: true });
    const cipher = await exported("f/t/source");
    expectStatus(
      await ws.post("variables/create", { path: "f/t/copy", value: cipher, is_secret: true, description: "" }, { already_encrypted: true }),
      201,
    );
    expect(await value("f/t/copy")).toBe("carried");
    expect(await exported("f/t/copy")).toBe(cipher);

    const other = await newWorkspace();
    const body = { path: "f/t/copy", value: cipher, is_secret: true, description: "" };
    const refused = await other.post("variables/create", body, { already_encrypted: true });
    expect([refused.status, refused.text.includes("f/t/copy"), refused.text.includes(cipher)]).toEqual([422, true, false]);
    const { key } = (await ws.get("workspaces/encryption_key")).json as { key: string };
    expectStatus(await other.post("workspaces/encryption_key", { new_key: key, skip_reencrypt: true }), 200);
    expectStatus(await other.post("variables/create", body, { already_encrypted: true }), 201);
    expect((await other.get("variables/get_value/f/t/copy")).json).toBe("carried");
  });

  it("variables/encrypt returns a different text for each call", async () => {
    const [a, b] = [
      (await ws.post("variables/encrypt", JSON.stringify("plain"))).text,
      (await ws.post("variables/encrypt", JSON.stringify("plain"))).text,
    ];
    expect(a).toMatch(BASE64);
    expect(a).not.toBe(b);
    await save("f/t/made", { is_secret: true });
    for (const cipher of [a, b]) {
      expectStatus(await ws.post("variables/update/f/t/made", { value: cipher }, { already_encrypted: true }), 200);
      expect(await value("f/t/made")).toBe("plain");
    }
  });

  it("an invalid exported secret is rejected", async () => {
    for (const bad of ["plain text", "AAAA", Buffer.alloc(48).toString("base64"), ""]) {
      const body = { path: "f/t/none", value: bad, is_secret: true, description: "" };
      expect([bad, (await ws.post("variables/create", body, { already_encrypted: true })).status]).toEqual([bad, 422]);
    }
    expect((await ws.get("variables/exists/f/t/none")).json).toBe(false);
  });
});

describe("events of variables", () => {
  it("every change of a variable writes exactly one event, and a rejected one writes none", async () => {
    const own = await newWorkspace();
    await addOutboxReader(own.id);
    const body = { path: "f/t/a", value: "v", is_secret: true, description: "" };
    expectStatus(await own.post("variables/create", body), 201);
    expect((await own.post("variables/create", body)).status).toBe(409);
    expectStatus(await own.post("variables/update/f/t/a", { value: "w" }), 200);
    expectStatus(await own.post("variables/update/f/t/a", { path: "f/t/b" }), 200);
    expectStatus(await own.call("DELETE", "variables/delete/f/t/b"), 200);
    expect((await own.call("DELETE", "variables/delete/f/t/b")).status).toBe(404);
    expect(await outboxOf(own.id)).toEqual([
      "CreateVariable f/t/a",
      "UpdateVariable f/t/a",
      "UpdateVariable f/t/b",
      "DeleteVariable f/t/b",
    ]);
  });
});
