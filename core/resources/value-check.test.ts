import { describe, expect, it } from "vitest";
import { catalogue } from "./catalogue/catalogue.ts";
import { toBuiltInTypeJson } from "./type.ts";
import { describeSchemaProblem, findArgumentIssues, findValueIssues as findIssues } from "./value-check.ts";

/** The issues without the parts of their places. */
const findValueIssues = (...checked: Parameters<typeof findIssues>) => findIssues(...checked).map(({ path, reason }) => ({ path, reason }));

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

  it("accepts a reference in place of any value, at any depth", () => {
    expect(findValueIssues(schema, { port: "$var:f/a/port", mode: "$var:f/a/mode", inner: { x: 1 } })).toEqual([]);
    expect(findValueIssues(schema, { port: 1, inner: "$res:f/a/inner" })).toEqual([]);
    expect(findValueIssues(schema, "$res:f/a/whole")).toEqual([]);
  });

  it("does not change what it checks", () => {
    const value = Object.freeze({ port: 1, other: Object.freeze({}) });
    expect(findValueIssues({ ...schema, properties: { ...schema.properties, mode: { default: "a" } } }, value)).toEqual([]);
  });
});

describe("the place of an issue", () => {
  const named = {
    properties: { "a.b/c~d": { type: "object", required: ["x.y"], additionalProperties: false, properties: { "x.y": {} } } },
  };

  it("has its parts, which may contain any character, and ends with a missing or unexpected property", () => {
    for (const find of [findIssues, findArgumentIssues]) {
      expect(find(named, { "a.b/c~d": { z: 1 } }).map(({ at }) => at)).toEqual([
        ["a.b/c~d", "x.y"],
        ["a.b/c~d", "z"],
      ]);
      expect(find(named, { "a.b/c~d": 1 })[0]?.at).toEqual(["a.b/c~d"]);
    }
  });
});

describe("findArgumentIssues", () => {
  const args = {
    type: "object",
    properties: {
      n: { type: "integer" },
      when: { type: ["string", "null"], pattern: "^2" },
      mode: { enum: ["a", "b"] },
      db: { type: "object", format: "resource-postgresql" },
      "a/b": {
        type: "array",
        items: { type: "object", required: ["id"], additionalProperties: false, properties: { id: { minimum: 3 } } },
      },
      big: { type: "integer" },
    },
    required: ["n"],
  };
  it.each<[string, Record<string, unknown>, string[]]>([
    ["match", { n: 1, when: null, mode: "a", db: {}, "a/b": [{ id: 3 }], big: 2n ** 70n, other: true }, []],
    ["are references", { n: "$var:f/a/n", mode: "$var:f/a/m", db: "$res:f/a/db", "a/b": ["$res:f/a/item"] }, []],
    ["are missing", {}, ["n: is missing"]],
    [
      "have other types",
      { n: "secret", when: [], db: null },
      ["n: must be integer, but is string", "when: must be string or null, but is array", "db: must be object, but is null"],
    ],
    [
      "are wrong inside",
      { n: 1, "a/b": [{ secret: 1 }, { id: 2 }] },
      ["a/b.0.id: is missing", "a/b.0.secret: is not in the schema", "a/b.1.id: must be >= 3"],
    ],
    ["are other texts", { n: 1, when: "secret", mode: "secret" }, ['when: must match pattern "^2"', "mode: must be one of a, b"]],
  ])("names the place, what is expected and the type, if arguments %s", (_, given, expected) => {
    const found = findArgumentIssues(args, given).map(({ path, reason }) => `${path}: ${reason}`);
    expect(found.toSorted()).toEqual(expected.toSorted());
  });
});

describe("the patterns of a schema", () => {
  const named = (pattern: string) => ({ type: "object", properties: { name: { type: "string", pattern } } });

  it("run in linear time, also as names of properties and in references", () => {
    const hostile = `${"a".repeat(50_000)}!`;
    expect(findValueIssues(named("^(a+)+$"), { name: hostile })).toEqual([{ path: "value.name", reason: 'must match pattern "^(a+)+$"' }]);
    const byName = { patternProperties: { "^(a|aa)+$": { type: "number" } }, additionalProperties: false };
    expect(findValueIssues(byName, { [hostile]: 1, aa: 1 })).toEqual([{ path: "value", reason: "must NOT have additional properties" }]);
    const referred = { $defs: { name: { pattern: "^(a|a)*$" } }, properties: { name: { $ref: "#/$defs/name" } } };
    expect(findValueIssues(referred, { name: hostile })).toHaveLength(1);
  });

  it("are distinguished from each other", () => {
    const schema = { properties: { a: { pattern: "^a$" }, b: { pattern: "^b$" } }, patternProperties: { "^c$": { const: 1 } } };
    expect(findValueIssues(schema, { a: "a", b: "b", c: 1 })).toEqual([]);
    expect(findValueIssues(schema, { a: "b", b: "a", c: 2 }).map(({ path }) => path)).toEqual(["value.a", "value.b", "value.c"]);
  });

  it("are refused with their place if they cannot run in linear time", () => {
    expect(describeSchemaProblem(named("^(?=.*x)y"))).toMatch(/^the pattern at properties\.name\.pattern contains a look-ahead, .* Write /);
    expect(describeSchemaProblem({ patternProperties: { "(a)\\1": {} } })).toMatch(
      /^the pattern at patternProperties contains a back reference/,
    );
    expect(describeSchemaProblem({ items: { anyOf: [{}, { pattern: "(?<!a)b" }] } })).toMatch(
      /^the pattern at items\.anyOf\.1\.pattern contains a look-behind/,
    );
  });

  it("that an earlier release accepted make every value invalid, with the reason", () => {
    for (const value of [{ name: "y" }, { name: 1 }, {}, "$res:f/a/whole"]) {
      expect(findValueIssues(named("^(?=.*x)y"), value)).toEqual([
        {
          path: "value",
          reason: expect.stringMatching(/^cannot be checked, because the pattern at properties\.name\.pattern contains a look-ahead/),
        },
      ]);
    }
  });

  it("that do too much work on a value make it invalid, with the reason", () => {
    const schema = { allOf: Array.from({ length: 50 }, (_, index) => ({ pattern: `^[ab]*a[ab]{${index}}c$` })) };
    expect(findValueIssues(schema, "ab".repeat(50_000))).toEqual([
      { path: "value", reason: expect.stringContaining("takes too long on this value") },
    ]);
  });

  it("of formats are never evaluated, because formats are only hints for forms", () => {
    const formats = ["email", "uri", "uri-template", "regex", "date-time", "hostname", "ipv6", "json-pointer", "duration", "uuid", "iri"];
    for (const format of formats) expect(findValueIssues({ type: "string", format }, "a@".repeat(25_000))).toEqual([]);
  });
});

describe("schemaProblem", () => {
  it("accepts JSON Schemas with the keywords of forms, and describes the problem of others", () => {
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
