import { describe, expect, it } from "vitest";
import { catalogue } from "./catalogue/catalogue.ts";
import { builtInJson } from "./type.ts";
import { schemaProblem, valueIssues } from "./value-check.ts";

const schema = {
  type: "object",
  properties: {
    port: { type: "number" },
    mode: { enum: ["a", "b"] },
    inner: { anyOf: [{ type: "object", required: ["x"] }, { type: "null" }] },
  },
  required: ["port"],
};

describe("valueIssues", () => {
  it("names the place and the reason, never the value", () => {
    expect(valueIssues(schema, { port: 1, mode: "a", inner: null })).toEqual([]);
    const issues = valueIssues(schema, { port: "secret-1", mode: "secret-2", inner: "secret-3" });
    expect(issues).toContainEqual({ path: "value.port", reason: "must be number" });
    expect(issues).toContainEqual({ path: "value.mode", reason: "must be one of a, b" });
    expect(JSON.stringify(issues)).not.toContain("secret");
    expect(valueIssues(schema, {})).toEqual([{ path: "value", reason: "must have required property 'port'" }]);
  });

  it("takes a reference for any value, at any depth", () => {
    expect(valueIssues(schema, { port: "$var:f/a/port", mode: "$var:f/a/mode", inner: { x: 1 } })).toEqual([]);
    expect(valueIssues(schema, { port: 1, inner: "$res:f/a/inner" })).toEqual([]);
    expect(valueIssues(schema, "$res:f/a/whole")).toEqual([]);
  });

  it("does not change what it checks", () => {
    const value = Object.freeze({ port: 1, other: Object.freeze({}) });
    expect(valueIssues({ ...schema, properties: { ...schema.properties, mode: { default: "a" } } }, value)).toEqual([]);
  });
});

describe("schemaProblem", () => {
  it("takes JSON Schemas with the keywords of forms, and says what is wrong with others", () => {
    expect(
      schemaProblem({ type: "object", order: ["a"], properties: { a: { type: "string", format: "resource-s3", password: true } } }),
    ).toBeUndefined();
    expect(schemaProblem({ type: "nonsense" })).toContain("type");
    expect(schemaProblem({ $ref: "https://example.com/elsewhere" })).toBeDefined();
    expect(schemaProblem({ properties: { a: { pattern: "(" } } })).toBeDefined();
  });
});

describe("the catalogue", () => {
  it("has names, descriptions and schemas that can be used", () => {
    const names = catalogue.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(25);
    for (const type of catalogue) {
      expect(type.description).toMatch(/\.$/);
      const { schema: of } = builtInJson(type);
      if (of === undefined) expect(["any", "state"]).toContain(type.name);
      else {
        expect([type.name, schemaProblem(of)]).toEqual([type.name, undefined]);
        expect(Object.keys(type.schema?.properties ?? {})).toEqual(expect.arrayContaining([...(type.schema?.required ?? [])]));
      }
    }
  });
});
