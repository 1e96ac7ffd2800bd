import { beforeAll, describe, expect, it } from "vitest";
import { resourceRoutes as routes } from "../../../contract/routes/stored/resources.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { addOutboxReader, outboxOf } from "../../support/engine/outbox.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});
const database = {
  host: "db",
  port: 5432,
  user: "u",
  dbname: "d",
  sslmode: "require",
  password: "$var:f/t/password",
  root_certificate_pem: "",
};
const save = async (path: string, more: object = {}) =>
  expectStatus(await ws.post("resources/create", { path, value: { a: 1 }, resource_type: "c_mine", ...more }), 201);

describe("resources", () => {
  it("a resource is saved, read and deleted, and its value is returned as it was sent", async () => {
    const value = `{"text":"$var:f/t/password","n":1.5,"deep":{"__proto__":{"x":1},"constructor":[null,true]}}`;
    const body = `{"path":"f/t/whole","resource_type":"c_mine","description":"d","labels":["l"],"value":${value}}`;
    expectStatus(await ws.post("resources/create", body), 201);
    const answer = expectStatus(await ws.get("resources/get/f/t/whole"), 200);
    expect(answer.json).toMatchObject({
      workspace_id: ws.id,
      path: "f/t/whole",
      resource_type: "c_mine",
      description: "d",
      labels: ["l"],
      is_oauth: false,
    });
    expect(answer.text).toContain(value);
    expect(expectStatus(await ws.get("resources/get_value/f/t/whole"), 200).text).toBe(value);
    expect((await ws.get("resources/exists/f/t/whole")).json).toBe(true);
    expectStatus(await ws.call("DELETE", "resources/delete/f/t/whole"), 200);
    for (const route of ["get", "get_value", "get_value_interpolated"]) {
      const missing = await ws.get(`resources/${route}/f/t/whole`);
      expect([missing.status, missing.text]).toEqual([404, "There is no resource at f/t/whole."]);
    }
  });

  it("a resource is overwritten only with update_if_exists", async () => {
    await save("f/t/over", { description: "kept" });
    expect((await ws.post("resources/create", { path: "f/t/over", value: 2, resource_type: "c_mine" })).status).toBe(409);
    expectStatus(await ws.post("resources/create", { path: "f/t/over", value: 2, resource_type: "any" }, { update_if_exists: true }), 201);
    expect((await ws.get("resources/get/f/t/over")).json).toMatchObject({ value: 2, resource_type: "any", description: "kept" });
    expectStatus(await ws.post("resources/create", { path: "f/t/over2", value: 2, resource_type: "any" }, { update_if_exists: true }), 201);
  });

  it("a resource changes field by field, is renamed by path, and accepts any value, including null", async () => {
    await save("f/t/first", { value: { a: 1 }, description: "d" });
    expectStatus(await ws.post("resources/update/f/t/first", { value: null }), 200);
    expect((await ws.get("resources/get/f/t/first")).json).toMatchObject({ value: null, description: "d" });
    expectStatus(await ws.post("resources/update_value/f/t/first", { value: ["x"] }), 200);
    expectStatus(await ws.post("resources/update/f/t/first", { path: "f/t/second", description: "e" }), 200);
    expect((await ws.get("resources/get/f/t/second")).json).toMatchObject({ value: ["x"], description: "e" });
    expect((await ws.get("resources/exists/f/t/first")).json).toBe(false);
    await save("f/t/taken");
    expect((await ws.post("resources/update/f/t/second", { path: "f/t/taken" })).status).toBe(409);
    expect((await ws.post("resources/update_value/f/t/nothing", { value: 1 })).status).toBe(404);
    expect((await ws.post("resources/update_value/f/t/second", {})).status).toBe(422);
  });

  it("a missing folder, a path outside folders, and a value that is too large are rejected", async () => {
    const create = (path: string, value: unknown = 1) => ws.post("resources/create", { path, value, resource_type: "any" });
    expect((await create("f/nowhere/x")).status).toBe(400);
    expect((await create("f/t/../x")).status).toBe(422);
    expect((await create("f/t/large", "x".repeat(400_000))).status).toBe(413);
    expect((await ws.get("resources/exists/f/t/large")).json).toBe(false);
  });

  it("replies have the shapes in the contract", async () => {
    await save("f/t/shape", { value: database, resource_type: "postgresql", description: "d", labels: ["l"], ws_specific: true });
    for (const [route, at] of [
      [routes.getResource, "get/f/t/shape"],
      [routes.listResources, "list"],
      [routes.listResourceNames, "list_names/postgresql"],
      [routes.searchResources, "list_search"],
      [routes.listChatResources, "list_chats"],
      [routes.fileResourceTypes, "file_resource_type_to_file_ext_map"],
      [routes.listResourceTypes, "type/list"],
      [routes.listResourceTypeNames, "type/listnames"],
      [routes.getResourceType, "type/get/postgresql"],
    ] as const) {
      const { json } = expectStatus(await ws.get(`resources/${at}`), 200);
      expect([at, route.reply.json.parse(json)]).toEqual([at, json]);
    }
  });
});

describe("lists of resources", () => {
  let own: Workspace;
  beforeAll(async () => {
    own = await newWorkspace();
    const all = [
      {
        path: "f/t/a",
        value: { host: "one", password: "planted-in-a-value" },
        resource_type: "c_one",
        description: "First",
        labels: ["x"],
      },
      { path: "f/t/b", value: { host: "two" }, resource_type: "c_two" },
      { path: "f/t/c", value: [3], resource_type: "state" },
    ];
    for (const resource of all) expectStatus(await own.post("resources/create", resource), 201);
    expectStatus(await own.post("variables/create", { path: "f/t/b", value: "linked", is_secret: true, description: "", account: 3 }), 201);
  });
  const names = async (query: Record<string, string | number>) =>
    (expectStatus(await own.get("resources/list", query), 200).json as { path: string }[]).map(({ path }) => path.slice(4)).join("");

  it("a list contains no values, and marks resources with a linked variable", async () => {
    const { json, text } = expectStatus(await own.get("resources/list"), 200);
    expect(text).not.toContain("planted-in-a-value");
    expect(json).toEqual([
      expect.objectContaining({ path: "f/t/a", is_linked: false, is_oauth: false }),
      expect.objectContaining({ path: "f/t/b", is_linked: true, account: 3, is_oauth: true }),
      expect.objectContaining({ path: "f/t/c", is_linked: false }),
    ]);
  });

  it("a list is filtered by type, path, text, value and label, and is paged", async () => {
    expect(await names({ resource_type: "c_one,c_two" })).toBe("ab");
    expect(await names({ resource_type_exclude: "state,c_two" })).toBe("a");
    expect(await names({ path_start: "f/t/b" })).toBe("b");
    expect(await names({ path: "f/t/c" })).toBe("c");
    expect(await names({ description: "first" })).toBe("a");
    expect(await names({ value: '{"host":"two"}' })).toBe("b");
    expect(await names({ broad_filter: "c_two" })).toBe("b");
    expect(await names({ label: "x" })).toBe("a");
    expect(await names({ per_page: 2, page: 2 })).toBe("c");
    expect((await own.get("resources/list_names/c_one")).json).toEqual([{ name: "a", path: "f/t/a" }]);
    expect((await own.get("resources/list_search")).json).toContainEqual({ path: "f/t/c", value: [3] });
  });
});

describe("resource types", () => {
  it("the types of the catalogue always exist, and postgresql has exactly its seven fields", async () => {
    const { schema } = (await ws.get("resources/type/get/postgresql")).json as { schema: { properties: Record<string, { type: string }> } };
    expect(Object.entries(schema.properties).map(([name, { type }]) => [name, type])).toEqual([
      ["host", "string"],
      ["port", "number"],
      ["user", "string"],
      ["dbname", "string"],
      ["sslmode", "string"],
      ["password", "string"],
      ["root_certificate_pem", "string"],
    ]);
    const names = (await ws.get("resources/type/listnames")).json;
    expect(names).toEqual(
      expect.arrayContaining(["any", "state", "postgresql", "mysql", "s3", "slack", "smtp", "openai", "github", "stripe"]),
    );
    for (const name of ["any", "state"]) expect((await ws.get(`resources/type/exists/${name}`)).json).toBe(true);
  });

  it("a value is checked against its type when it is saved: the error names the location and never the value", async () => {
    const bad = { ...database, port: "planted-port", sslmode: "planted-mode" };
    const answer = await ws.post("resources/create", { path: "f/t/pg", value: bad, resource_type: "postgresql" });
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([422, "resource.value"]);
    expect(answer.text).toContain("value.port: must be number");
    expect(answer.text).toContain("value.sslmode: must be one of disable, allow");
    expect(answer.text).not.toContain("planted");
    const { host, ...rest } = database;
    expect((await ws.post("resources/create", { path: "f/t/pg", value: rest, resource_type: "postgresql" })).text).toContain(
      "must have required property 'host'",
    );
    await save("f/t/pg", { value: { ...database, port: "$var:f/t/port" }, resource_type: "postgresql" });
    expect((await ws.post("resources/update/f/t/pg", { value: bad })).status).toBe(422);
    expect((await ws.post("resources/update_value/f/t/pg", { value: [] })).status).toBe(422);
    await save("f/t/untyped", { value: bad, resource_type: "c_unknown" });
    expect((await ws.post("resources/update/f/t/untyped", { resource_type: "postgresql" })).status).toBe(422);
    await save("f/t/by_reference", { value: "$res:f/t/pg", resource_type: "postgresql" });
  });

  it("a type is created, changed and deleted, and may replace a built-in one", async () => {
    const type = {
      name: "c_file",
      schema: { type: "object", properties: { content: { type: "string" } } },
      description: "A file",
      format_extension: "txt",
    };
    expectStatus(await ws.post("resources/type/create", type), 201);
    expect((await ws.post("resources/type/create", type)).status).toBe(409);
    expect((await ws.get("resources/type/get/c_file")).json).toMatchObject({ ...type, workspace_id: ws.id });
    expect((await ws.get("resources/file_resource_type_to_file_ext_map")).json).toEqual({ c_file: { format_extension: "txt" } });
    expectStatus(await ws.post("resources/type/update/c_file", { name: "ignored", description: "Changed" }), 200);
    expect((await ws.get("resources/type/get/c_file")).json).toMatchObject({ ...type, description: "Changed" });
    expectStatus(await ws.call("DELETE", "resources/type/delete/c_file"), 200);
    expect((await ws.get("resources/type/get/c_file")).status).toBe(404);
    expect((await ws.call("DELETE", "resources/type/delete/c_file")).status).toBe(404);

    expectStatus(await ws.post("resources/type/update/telegram", { description: "Ours" }), 200);
    expect((await ws.get("resources/type/get/telegram")).json).toMatchObject({ description: "Ours", schema: { required: ["token"] } });
    expectStatus(await ws.call("DELETE", "resources/type/delete/telegram"), 200);
    expect((await ws.get("resources/type/get/telegram")).json).not.toMatchObject({ description: "Ours" });
    expect((await ws.call("DELETE", "resources/type/delete/telegram")).status).toBe(400);
  });

  it("a type that is not a JSON Schema is rejected", async () => {
    const answer = await ws.post("resources/type/create", { name: "c_bad", schema: { type: "nonsense" } });
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([422, "resourceType.schema"]);
    expect((await ws.post("resources/type/create", { name: "c_bad", schema: { $ref: "https://example.com/x" } })).status).toBe(422);
    expect((await ws.get("resources/type/exists/c_bad")).json).toBe(false);
    for (const $schema of ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]) {
      expectStatus(await ws.post("resources/type/create", { name: "c_draft", schema: { $schema, type: "object", order: ["a"] } }), 201);
      expectStatus(await ws.call("DELETE", "resources/type/delete/c_draft"), 200);
    }
  });
});

describe("recursive resource types", () => {
  it("values of a recursive type are checked, and a type that refers to itself endlessly is rejected", async () => {
    const endless = { properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: { anyOf: [{ $ref: "#/$defs/x" }] } } };
    const made = await ws.post("resources/type/create", { name: "c_endless", schema: endless });
    expect([made.status, made.headers.get("x-svc-error")]).toEqual([422, "resourceType.schema"]);
    expect(made.text).toContain("refers to itself endlessly");
    const tree = { type: "object", properties: { next: { $ref: "#" } }, additionalProperties: false };
    expectStatus(await ws.post("resources/type/create", { name: "c_tree", schema: tree }), 201);
    const value = { next: { next: {} } };
    expectStatus(await ws.post("resources/create", { path: "f/t/tree", value, resource_type: "c_tree" }), 201);
    const bad = await ws.post("resources/create", { path: "f/t/tree2", value: { next: { other: 1 } }, resource_type: "c_tree" });
    expect(bad.status).toBe(422);
  });
});

describe("events of resources and types", () => {
  it("every change of a resource or type writes exactly one event", async () => {
    const own = await newWorkspace();
    await addOutboxReader(own.id);
    const body = { path: "f/t/a", value: 1, resource_type: "any" };
    expectStatus(await own.post("resources/create", body), 201);
    expectStatus(await own.post("resources/create", body, { update_if_exists: true }), 201);
    expectStatus(await own.post("resources/update_value/f/t/a", { value: 2 }), 200);
    expectStatus(await own.post("resources/update/f/t/a", { path: "f/t/b" }), 200);
    expectStatus(await own.call("DELETE", "resources/delete/f/t/b"), 200);
    expectStatus(await own.post("resources/type/create", { name: "c_a" }), 201);
    expectStatus(await own.post("resources/type/update/c_a", { description: "d" }), 200);
    expectStatus(await own.call("DELETE", "resources/type/delete/c_a"), 200);
    expect(await outboxOf(own.id)).toEqual([
      "CreateResource f/t/a",
      "UpdateResource f/t/a",
      "UpdateResource f/t/a",
      "UpdateResource f/t/b",
      "DeleteResource f/t/b",
      "CreateResourceType c_a",
      "UpdateResourceType c_a",
      "DeleteResourceType c_a",
    ]);
  });
});
