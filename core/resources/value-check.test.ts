import { describe, expect, it } from "vitest";
import { catalogue } from "./catalogue/catalogue.ts";
import { toBuiltInTypeJson } from "./type.ts";
import { describeSchemaProblem, findValueIssues } from "./value-check.ts";

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
    expect(findValueIssues(schema, { port: 1, mode: "a", inner: null })).toEqual([]);
    const issues = findValueIssues(schema, { port: "secret-1", mode: "secret-2", inner: "secret-3" });
    expect(issues).toContainEqual({ path: "value.port", reason: "must be number" });
    expect(issues).toContainEqual({ path: "value.mode", reason: "must be one of a, b" });
    expect(JSON.stringify(issues)).not.toContain("secret");
    expect(findValueIssues(schema, {})).toEqual([{ path: "value", reason: "must have required property 'port'" }]);
  });

  it("takes a reference for any value, at any depth", () => {
    expect(findValueIssues(schema, { port: "$var:f/a/port", mode: "$var:f/a/mode", inner: { x: 1 } })).toEqual([]);
    expect(findValueIssues(schema, { port: 1, inner: "$res:f/a/inner" })).toEqual([]);
    expect(findValueIssues(schema, "$res:f/a/whole")).toEqual([]);
  });

  it("does not change what it checks", () => {
    const value = Object.freeze({ port: 1, other: Object.freeze({}) });
    expect(findValueIssues({ ...schema, properties: { ...schema.properties, mode: { default: "a" } } }, value)).toEqual([]);
  });
});

describe("schemaProblem", () => {
  it("takes JSON Schemas with the keywords of forms, and says what is wrong with others", () => {
    expect(
      describeSchemaProblem({ type: "object", order: ["a"], properties: { a: { type: "string", format: "resource-s3", password: true } } }),
    ).toBeUndefined();
    expect(describeSchemaProblem({ type: "nonsense" })).toContain("type");
    expect(describeSchemaProblem({ $ref: "https://example.com/elsewhere" })).toBeDefined();
    expect(describeSchemaProblem({ properties: { a: { pattern: "(" } } })).toBeDefined();
  });
});

describe("the catalogue", () => {
  it("has names, descriptions and schemas that can be used", () => {
    const names = catalogue.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(25);
    for (const type of catalogue) {
      expect(type.description).toMatch(/\.$/);
      const { schema: of } = toBuiltInTypeJson(type);
      if (of === undefined) expect(["any", "state"]).toContain(type.name);
      else {
        expect([type.name, describeSchemaProblem(of)]).toEqual([type.name, undefined]);
        expect(Object.keys(type.schema?.properties ?? {})).toEqual(expect.arrayContaining([...(type.schema?.required ?? [])]));
      }
    }
  });
});
