import { expect, it } from "vitest";
import { buildDocument, type DocumentContent } from "../../../../../core/openapi/document.ts";
import { checkDocument } from "./check-document.ts";

const operation = { operationId: "order", summary: "Order", responses: { "200": { description: "Done." } } };
const check = (paths: object, more: object = {}) => checkDocument({ openapi: "3.1.0", paths, ...more });

it("a document of the service has no findings if its scripts have summaries", () => {
  const schema = { type: "object", properties: { id: { type: "string" } } };
  const webhooks = [
    { kind: "script", path: "f/shop/order", summary: "Order", description: "Takes an order.", schema, hasPreprocessor: false },
  ];
  const content = { workspace: "demo", baseUrl: "https://svc.example", routes: [], webhooks } as unknown as DocumentContent;
  const { operations, findings } = checkDocument(buildDocument({ info: undefined, url: undefined }, content));
  expect(operations).toBeGreaterThan(0);
  expect(findings).toEqual([]);
});

it.each<[string, object, string]>([
  [
    "a missing summary",
    { "/a": { post: { ...operation, summary: "" } } },
    "POST /a has no summary. Enter one in the route, the script or the flow.",
  ],
  ["a missing id", { "/a": { get: { ...operation, operationId: undefined } } }, "GET /a has no operationId."],
  ["missing replies", { "/a": { get: { ...operation, responses: undefined } } }, "GET /a has no responses."],
  ["a missing parameter", { "/a/{id}": { get: operation } }, "GET /a/{id} does not declare the parameter id."],
  [
    "a parameter that the path lacks",
    { "/a": { parameters: [{ name: "id", in: "path" }], get: operation } },
    "GET /a declares the parameter id, which its path does not contain.",
  ],
  [
    "a missing scheme",
    { "/a": { get: { ...operation, security: [{ bearer: [] }] } } },
    "GET /a names the security scheme bearer, which is not defined.",
  ],
  [
    "a broken reference",
    { "/a": { get: { ...operation, requestBody: { $ref: "#/components/schemas/none" } } } },
    "The reference #/components/schemas/none has no target.",
  ],
])("a check of a document finds %s", (_, paths, finding) => {
  expect(check(paths)).toEqual({ operations: 1, findings: [finding] });
});

it("a check of a document finds an operationId that two operations have", () => {
  expect(check({ "/a": { get: operation, post: operation } }).findings).toEqual([
    "GET /a has the operationId order of another operation.",
    "POST /a has the operationId order of another operation.",
  ]);
});

it("a text that is no document has no operations", () => {
  for (const document of [undefined, null, "text", []]) expect(checkDocument(document)).toEqual({ operations: 0, findings: [] });
});
