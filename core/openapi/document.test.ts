import { Validator } from "@seriousme/openapi-schema-validator";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type HttpFields, httpFieldsSchema } from "../../contract/routes/triggers/http-fields.ts";
import { openapiRequestSchema } from "../../contract/routes/triggers/openapi-documents.ts";
import { buildDocument } from "./document.ts";
import { buildOperationId } from "./operation-id.ts";
import type { DocumentedRunnable } from "./parts.ts";
import type { DocumentedRoute } from "./route-operations.ts";
import { readSelection } from "./select.ts";
import { formatYaml } from "./yaml.ts";

const schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  order: ["id", "item"],
  properties: { id: { type: "string", description: "The order." }, item: { $ref: "#/$defs/item" }, raw_string: { type: "string" } },
  required: ["id", "item"],
  $defs: { item: { type: "object", properties: { n: { type: "integer" } } } },
};
const aRunnable = (path = "f/shop/order", more: Partial<DocumentedRunnable> = {}): DocumentedRunnable => ({
  ...{ kind: "script", path, summary: "Order", description: "Takes an order.", schema, hasPreprocessor: false },
  ...more,
});
const aRoute = (address: string, own: object = {}, more: Partial<DocumentedRoute> = {}): DocumentedRoute => ({
  path: `f/shop/${address.replaceAll(/[^a-z0-9]/g, "")}`,
  address,
  fields: httpFieldsSchema.parse({ route_path: address, http_method: "post", ...own }) as HttpFields,
  runnable: aRunnable(),
  ...more,
});
const build = (routes: DocumentedRoute[], webhooks: DocumentedRunnable[] = [], request = {}) =>
  // The document in the form that clients read.
  JSON.parse(JSON.stringify(buildDocument(request, { workspace: "demo", baseUrl: "https://svc.example", routes, webhooks })));
const operationsOf = (document: { paths: object }) =>
  Object.values(document.paths).flatMap((item) => Object.values(item)) as { operationId: string }[];

async function expectValid(document: Record<string, unknown>): Promise<void> {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect([valid, errors ?? []]).toEqual([true, []]);
}

describe("buildDocument", () => {
  it("describes a route with its path parameters, and a body without them", async () => {
    const document = build([aRoute("shop/orders/:id")]);
    await expectValid(document);
    expect(document).toMatchObject({ openapi: "3.1.0", servers: [{ url: "https://svc.example" }], info: { title: "API of demo" } });
    expect(document.paths["/api/r/shop/orders/{id}"].post).toMatchObject({
      operationId: "route_f_shop_shopordersid",
      summary: "Order",
      description: "Takes an order.",
      security: [],
      parameters: [{ name: "id", in: "path", required: true, description: "The order.", schema: { type: "string" } }],
      requestBody: {
        required: true,
        content: { "application/json": { schema: { required: ["item"], properties: { raw_string: { type: "string" } } } } },
      },
      responses: { "200": { content: { "application/json": {} } } },
    });
    const body = document.paths["/api/r/shop/orders/{id}"].post.requestBody.content["application/json"].schema;
    expect(body.properties).toEqual({
      item: { $ref: "#/components/schemas/script_f_shop_order/$defs/item" },
      raw_string: { type: "string" },
    });
    expect(document.components.schemas.script_f_shop_order).toMatchObject({ properties: { id: {} } });
    expect(document.components.schemas.script_f_shop_order).not.toHaveProperty("$schema");
  });

  it("has the labels of routes, scripts and flows as tags, or their folder, and selects by them", async () => {
    const labelled = aRoute("a", {}, { labels: ["public"], runnable: aRunnable("f/shop/order", { labels: ["orders"] }) });
    const content = [
      [labelled, aRoute("b")],
      [aRunnable("f/ops/report", { labels: ["orders"] }), aRunnable("u/ann/x")],
    ] as const;
    const document = build([...content[0]], [...content[1]]);
    await expectValid(document);
    expect(document.tags).toEqual([{ name: "f/shop" }, { name: "orders" }, { name: "public" }, { name: "u/ann" }]);
    expect(document.paths["/api/r/a"].post.tags).toEqual(["public", "orders"]);
    const selected = build([...content[0]], [...content[1]], { tags: ["orders"] });
    expect(Object.keys(selected.paths)).toEqual([
      "/api/r/a",
      "/api/w/demo/jobs/run/p/f/ops/report",
      "/api/w/demo/jobs/run_wait_result/p/f/ops/report",
    ]);
    expect(build([...content[0]], [...content[1]], { tags: ["none"] }).paths).toEqual({});
  });

  it("lets a GET request send its arguments in the query", async () => {
    const document = build([aRoute("a", { http_method: "get", summary: "Mine" })]);
    await expectValid(document);
    const { summary, parameters, requestBody } = document.paths["/api/r/a"].get;
    expect([summary, requestBody]).toEqual(["Mine", undefined]);
    expect(parameters).toMatchObject([{ name: "payload", in: "query", schema: { contentMediaType: "application/json" } }]);
  });

  it.each([
    ["none", {}, [], {}],
    ["signature", {}, [], {}],
    ["custom_script", {}, [], {}],
    ["basic_http", {}, [{ basic: [] }], { basic: { type: "http", scheme: "basic" } }],
    ["api_key", {}, [{ "apiKey-X-API-Key": [] }], { "apiKey-X-API-Key": { type: "apiKey", in: "header", name: "X-API-Key" } }],
    [
      "api_key",
      { apiKeyHeader: "X-Shop" },
      [{ "apiKey-X-Shop": [] }],
      { "apiKey-X-Shop": { type: "apiKey", in: "header", name: "X-Shop" } },
    ],
    ["api_key", { apiKeyHeader: "$var:f/a/b" }, [{ "apiKey-X-API-Key": [] }], {}],
    ["jwt", {}, [{ bearer: [] }], { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" } }],
    ["svc", {}, [{ bearer: [] }], {}],
    ["windmill", {}, [{ bearer: [] }], {}],
  ])("describes the authentication %s with %j", async (authentication_method, more, security, schemes) => {
    const document = build([aRoute("a", { authentication_method }, more)]);
    await expectValid(document);
    expect(document.paths["/api/r/a"].post.security).toEqual(security);
    expect(document.components.securitySchemes ?? {}).toMatchObject(schemes);
  });

  it("describes both forms of a webhook, which share the shape of their arguments", async () => {
    const document = build([], [aRunnable(), aRunnable("f/shop/flow", { kind: "flow" })]);
    await expectValid(document);
    expect(Object.keys(document.paths)).toEqual([
      "/api/w/demo/jobs/run/f/f/shop/flow",
      "/api/w/demo/jobs/run_wait_result/f/f/shop/flow",
      "/api/w/demo/jobs/run/p/f/shop/order",
      "/api/w/demo/jobs/run_wait_result/p/f/shop/order",
    ]);
    for (const form of ["run", "run_wait_result"]) {
      const { security, requestBody } = document.paths[`/api/w/demo/jobs/${form}/p/f/shop/order`].post;
      expect(security).toEqual([{ bearer: [] }]);
      expect(requestBody.content["application/json"].schema).toEqual({ $ref: "#/components/schemas/script_f_shop_order" });
    }
    expect(Object.keys(document.paths["/api/w/demo/jobs/run/p/f/shop/order"].post.responses)).toEqual(["201", "default"]);
  });

  it("accepts any body for a preprocessor, and the wrapped argument with wrap_body", () => {
    const any = build([aRoute("a", {}, { runnable: aRunnable("f/a/b", { hasPreprocessor: true }) })]);
    expect(any.paths["/api/r/a"].post.requestBody.content["application/json"].schema).toEqual({});
    const withBody = aRunnable("f/a/b", { schema: { type: "object", properties: { body: { type: "array" } }, required: ["body"] } });
    const wrapped = build([aRoute("a", { wrap_body: true }, { runnable: withBody })]);
    expect(wrapped.paths["/api/r/a"].post.requestBody).toEqual({
      required: true,
      content: { "application/json": { schema: { $ref: "#/components/schemas/script_f_a_b/properties/body" } } },
    });
  });

  it("gives routes of the same shape one path, so that the document stays valid", async () => {
    const document = build([aRoute("a/:id", { http_method: "get" }), aRoute("a/:order"), aRoute("a/*rest")]);
    await expectValid(document);
    expect(Object.keys(document.paths)).toEqual(["/api/r/a/{id}"]);
    expect(document.paths["/api/r/a/{id}"].post.parameters).toMatchObject([{ name: "id", in: "path" }]);
    expect(document.paths["/api/r/a/{id}"].post.description).toContain("f/shop/arest");
  });

  it("leaves out references to other documents and to nothing, and keywords that no schema can have", async () => {
    const hostile = {
      type: "object",
      properties: {
        a: { $ref: "file:///etc/passwd" },
        b: { $ref: "#/nowhere" },
        c: { required: true },
        d: { type: "object", default: { $ref: "x" } },
        e: { $ref: "#" },
      },
    };
    const document = build([], [aRunnable("f/a/b", { schema: hostile })]);
    await expectValid(document);
    const place = "#/components/schemas/script_f_a_b";
    expect(document.components.schemas.script_f_a_b.properties).toEqual({ a: {}, b: {}, c: {}, d: { type: "object" }, e: { $ref: place } });
  });

  it("is the same for any order of what it contains", () => {
    const routes = ["b", "a/:x", "a/y"].map((address) => aRoute(address));
    const webhooks = [aRunnable("f/b/c"), aRunnable("f/a/c"), aRunnable("f/a/c", { kind: "flow" })];
    expect(JSON.stringify(build(routes.toReversed(), webhooks.toReversed()))).toBe(JSON.stringify(build(routes, webhooks)));
  });

  it("names the domain of routes, if they have one and the request names no address", () => {
    const content = {
      workspace: "demo",
      baseUrl: "https://svc.example",
      routesUrl: "https://routes.example",
      routes: [aRoute("a")],
      webhooks: [aRunnable()],
    };
    const of = (request: Parameters<typeof buildDocument>[0]) =>
      buildDocument(request, content)["paths"] as Record<string, { servers?: unknown }>;
    const [route = "", ...webhooks] = Object.keys(of({}));
    expect(of({})[route]?.servers).toEqual([{ url: "https://routes.example" }]);
    expect(webhooks.map((path) => of({})[path]?.servers)).toEqual(webhooks.map(() => undefined));
    expect(of({ url: "https://proxy.example" })[route]?.servers).toBeUndefined();
  });

  it("contains each of 500 routes and 500 webhooks, as YAML", () => {
    const numbers = Array.from({ length: 500 }, (_, index) => index);
    const routes = numbers.map((n) => aRoute(`r${n}/:id`, {}, { runnable: aRunnable(`f/shop/s${n}`) }));
    const webhooks = numbers.map((n) => aRunnable(`f/shop/s${n}`));
    const text = formatYaml(build(routes, webhooks));
    expect(operationsOf(parse(text)).length).toBe(1500);
  });
});

describe("operationId", () => {
  const path = fc.stringMatching(/^[uf]\/[A-Za-z0-9_-]{1,6}(\/[A-Za-z0-9_][A-Za-z0-9_.-]{0,6}){1,3}$/);
  it("is unique, and does not depend on other operations", () => {
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 2, maxLength: 30 }), (paths) => {
        const routes = paths.map((one, index) => aRoute(`r${index}`, {}, { path: one }));
        const webhooks = paths.map((one) => aRunnable(one));
        const ids = operationsOf(build(routes, webhooks)).map(({ operationId }) => operationId);
        expect(new Set(ids).size).toBe(3 * paths.length);
        const alone = operationsOf(build([], [aRunnable(paths[0])])).map(({ operationId }) => operationId);
        expect(ids).toEqual(expect.arrayContaining(alone));
      }),
    );
  });
  it.each([
    ["f/a/b-c", "f/a/b_c"],
    ["f/a_b/c", "f/a/b_c"],
    ["f/a/B", "f/a/b"],
  ])("keeps %s and %s apart", (a, b) => {
    expect(buildOperationId("route", a).toLowerCase()).not.toBe(buildOperationId("route", b).toLowerCase());
  });
});

describe("readSelection", () => {
  const read = (sent: object) => readSelection(openapiRequestSchema.parse(sent));
  const any = { folder_regex: "*", path_regex: "*", route_path_regex: "*" };
  it.each([
    [{}, "f/shop/order", true],
    [{ folder_regex: "shop" }, "f/shop/order", true],
    [{ folder_regex: "sho" }, "f/shop/order", false],
    [{ folder_regex: "s.*|x" }, "f/shop/order", true],
    [{ folder_regex: "ann" }, "u/ann/order", false],
    [{ path_regex: "order" }, "f/shop/order", true],
    [{ path_regex: "f/shop/.*" }, "f/shop/order", true],
    [{ path_regex: "ord" }, "f/shop/order", false],
    [{ route_path_regex: "shop/orders/.*" }, "f/shop/order", true],
    [{ route_path_regex: "orders" }, "f/shop/order", false],
  ])("the filter of routes %j on %s: %s", (filter, path, expected) => {
    const { matchesRoute, matchesWebhook } = read({ http_route_filters: [{ ...any, ...filter }] });
    expect(matchesRoute?.(path, "shop/orders/:id")).toBe(expected);
    expect(matchesWebhook).toBeUndefined();
  });
  it.each([
    [{}, "script", "f/shop/order", true],
    [{}, "flow", "f/shop/order", false],
    [{ user_or_folder_regex: "u" }, "script", "f/shop/order", false],
    [{ user_or_folder_regex: "f", user_or_folder_regex_value: "sh.p" }, "script", "f/shop/order", true],
    [{ user_or_folder_regex: "f", user_or_folder_regex_value: "hop" }, "script", "f/shop/order", false],
    [{ path: "orders?" }, "script", "f/shop/order", true],
    [{ path: "rder" }, "script", "f/shop/order", false],
  ] as const)("the filter of webhooks %j on the %s %s: %s", (filter, kind, path, expected) => {
    const { matchesRoute, matchesWebhook } = read({ webhook_filters: [{ runnable_kind: "script", ...filter }] });
    expect(matchesWebhook?.(kind, path)).toBe(expected);
    expect(matchesRoute).toBeUndefined();
  });
  it("selects everything without filters", () => {
    const { matchesRoute, matchesWebhook } = read({});
    expect([matchesRoute?.("u/a/b", "x"), matchesWebhook?.("flow", "u/a/b")]).toEqual([true, true]);
  });
  it.each(["(", "a)|(b", "[", "(?=a)", "(a)\\1", "a{2000}"])("refuses the expression %s with its place", (path_regex) => {
    const filters = [any, { ...any, path_regex }];
    expect(() => read({ http_route_filters: filters })).toThrow(/http_route_filters\.1\.path_regex/);
  });
  it("takes linear time for an expression that would backtrack", () => {
    const { matchesRoute } = read({ http_route_filters: [{ ...any, path_regex: "(a+)+b" }] });
    expect(matchesRoute?.(`f/a/${"a".repeat(240)}`, "x")).toBe(false);
  });
});

describe("formatYaml", () => {
  it("quotes texts that some parsers interpret as a number or a boolean", () => {
    for (const text of ["E0", "e12", "no", "Null", "NaN"]) expect(formatYaml(text)).toBe(`"${text}"\n`);
    expect(formatYaml("e0x")).toBe("e0x\n");
  });

  it("writes what parsers of YAML 1.1 and 1.2 read as the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // JSON has no -0.
        const expected = JSON.parse(JSON.stringify(value)) as unknown;
        for (const version of ["1.1", "1.2"] as const) expect(parse(formatYaml(value), { version })).toEqual(expected);
      }),
    );
  });
  it.each(["yes", "NO", "on", "null", "~", "1e3", "0x1f", "2020-01-01", "a: b", "- a", "a #b", "", " a", "\u2028", "\u0085", "=", "<<"])(
    "keeps the text %j",
    (text) => {
      for (const version of ["1.1", "1.2"] as const) expect(parse(formatYaml({ [text]: [text] }), { version })).toEqual({ [text]: [text] });
    },
  );
});
