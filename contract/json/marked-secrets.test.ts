import { describe, expect, it } from "vitest";
import { replaceMarkedSecrets } from "./marked-secrets.ts";

const secret = { type: "string", password: true };
const login = { type: "object", properties: { user: { type: "string" }, key: secret } };

describe("a value that a schema marks as a secret", () => {
  it.each<[string, object, unknown]>([
    ["by password", { properties: { a: secret } }, { a: "s-1" }],
    ["by its format", { properties: { a: { type: "string", format: "password" } } }, { a: "s-1" }],
    ["inside an object", { properties: { a: login } }, { a: { key: "s-1" } }],
    ["inside a list", { properties: { a: { type: "array", items: login } } }, { a: [{ key: "s-1" }, { key: "s-2" }] }],
    ["as an item of a list", { properties: { a: { type: "array", items: secret } } }, { a: ["s-1", "s-2"] }],
    ["as an item at a position", { properties: { a: { type: "array", prefixItems: [{}, secret] } } }, { a: ["s-1"] }],
    ["in one of several schemas", { properties: { a: { oneOf: [{ type: "object" }, login] } } }, { a: { key: "s-1" } }],
    ["in all of several schemas", { allOf: [{ anyOf: [{ properties: { a: secret } }] }] }, { a: "s-1" }],
    ["by a condition", { if: {}, else: { properties: { a: secret } } }, { a: "s-1" }],
    ["by a definition", { $defs: { "a/b": login }, properties: { a: { $ref: "#/$defs/a~1b" } } }, { a: { key: "s-1" } }],
    ["under any name", { additionalProperties: secret }, { a: "s-1" }],
    ["under names of a pattern", { patternProperties: { "^a": secret } }, { a: "s-1" }],
  ])("is replaced %s", (_, schema, value) => {
    const shown = replaceMarkedSecrets(value, schema as Record<string, unknown>, { replace: () => "hidden" });
    expect(JSON.stringify(shown)).not.toMatch(/s-\d/);
    expect(JSON.stringify(shown)).toContain("hidden");
  });

  it("is left out if nothing replaces it, and all other values stay", () => {
    const schema = { properties: { a: secret, b: login, c: { items: secret } } };
    const value = { a: "s", b: { user: "ann", key: "s" }, c: ["s"], d: [1, { e: null }], ["__proto__"]: 1, toString: 2 };
    expect(replaceMarkedSecrets(value, schema, { replace: () => undefined })).toEqual({
      ...{ b: { user: "ann" }, c: [], d: [1, { e: null }], ["__proto__"]: 1, toString: 2 },
    });
  });

  it("is found in a schema that refers to itself", () => {
    const tree = { $ref: "#/$defs/tree" };
    const schema = { $defs: { tree: { ...tree, properties: { key: secret, next: tree } } }, ...tree };
    expect(replaceMarkedSecrets({ next: { next: { key: "s" } } }, schema, { replace: () => undefined })).toEqual({ next: { next: {} } });
  });
});
