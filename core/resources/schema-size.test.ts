import { describe, expect, it } from "vitest";
import { countEvaluations, EVALUATIONS_MOST } from "./evaluation-work.ts";
import { describeSchemaProblem, findValueIssues as findIssues } from "./value-check.ts";

/** The issues without the parts of their places. */
const findValueIssues = (...checked: Parameters<typeof findIssues>) => findIssues(...checked).map(({ path, reason }) => ({ path, reason }));

const list = <T>(length: number, make: (index: number) => T) => Array.from({ length }, (_, index) => make(index));
/** Builds a schema in which each definition refers twice to the next. */
const doubling = (keyword: string, levels: number) => ({
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries([
    ...list(levels, (level) => [`d${level}`, { [keyword]: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] }]),
    [`d${levels}`, { type: "number" }],
  ]),
});
/** A tree of comments, whose schema refers to itself through its parts. */
const tree = {
  $defs: {
    comment: {
      type: "object",
      required: ["text"],
      properties: { text: { type: "string" }, replies: { type: "array", items: { $ref: "#/$defs/comment" } } },
    },
  },
  $ref: "#/$defs/comment",
};

describe("a schema is refused on save, with the place and the next step,", () => {
  const nested = (levels: number): object => (levels === 0 ? { type: "string" } : { properties: { a: nested(levels - 1) } });
  it.each<[string, object, RegExp]>([
    [
      "if alternatives multiply",
      doubling("anyOf", 30),
      /^the schema at \$defs\.\w+ evaluates more than 1000 schemas on one value, .* Remove some$/,
    ],
    ["if conditions multiply", doubling("allOf", 30), /evaluates more than 1000 schemas/],
    ["if exclusive alternatives multiply", doubling("oneOf", 30), /evaluates more than 1000 schemas/],
    ["if it refers to itself", { $ref: "#" }, /^the schema at the top refers to itself endlessly/],
    [
      "if its references are a circle",
      { $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { not: { $ref: "#/$defs/a" } } }, items: { $ref: "#/$defs/a" } },
      /refers to itself endlessly/,
    ],
    ["if a condition on properties refers to itself", { dependentSchemas: { a: { $ref: "#" } } }, /refers to itself endlessly/],
    [
      "if it is very large",
      { properties: Object.fromEntries(list(2000, (n) => [`p${n}`, { type: "string" }])) },
      /^it consists of more than 500 schemas/,
    ],
    ["if it has very many exclusive alternatives", { oneOf: list(8000, () => ({})) }, /more than 1000 schemas/],
    [
      "if it has very many dependencies",
      { dependentRequired: Object.fromEntries(list(2000, (n) => [`p${n}`, ["a"]])) },
      /^it consists of more than 500 schemas/,
    ],
    [
      "if references to its parts repeat them in the code",
      { properties: { a: nested(45) }, anyOf: list(45, (n) => ({ items: { $ref: `#${"/properties/a".repeat(n + 1)}` } })) },
      /^it consists of more than 500 schemas, with its references followed/,
    ],
    [
      "if it has very many choices",
      { enum: list(30_000, (n) => ({ n })) },
      /^it contains more than 20000 values\. Remove choices or fields$/,
    ],
    ["if it has very many types", { type: list(30_000, (n) => `${n}`) }, /more than 20000 values/],
    ["if it is nested deeply", nested(200), /^it has more than 100 levels/],
    ["if a part has its own name", { items: { $id: "x" } }, /^it contains \$id at items\. Remove it, /],
    ["if a reference changes with the value", { $dynamicRef: "#x" }, /^it contains \$dynamicRef at the top/],
    ["if its check would answer later", { $async: true }, /^it contains \$async/],
    [
      "if a reference leads to another schema",
      { items: { $ref: "http://json-schema.org/draft-07/schema#" } },
      /^the \$ref at items is not a place in the same schema\. Refer to .* such as #\/\$defs\/address$/,
    ],
    ["if a reference leads nowhere", { $ref: "#/$defs/a" }, /names a place that does not exist/],
    ["if a reference leads to no schema", { $ref: "#/title", title: "A" }, /names a place that is not a schema/],
  ])("%s", (_, schema, problem) => {
    expect(describeSchemaProblem(schema as Record<string, unknown>)).toMatch(problem);
    // An earlier release may have stored it; no value is accepted without a check.
    expect(findValueIssues(schema as Record<string, unknown>, { a: [1] })).toEqual([
      { path: "value", reason: expect.stringMatching(/^cannot be checked, because /) },
    ]);
  });

  it.each<[string, object]>([
    ["a tree", tree],
    ["a name", { $id: "https://example.com/form", type: "object" }],
    ["a reference with an escaped name", { $defs: { "a/b": { type: "number" } }, $ref: "#/$defs/a~1b" }],
    ["many fields and choices", { properties: Object.fromEntries(list(200, (n) => [`p${n}`, { enum: list(50, (m) => `c${m}`) }])) }],
    [
      "draft 7",
      { $schema: "http://json-schema.org/draft-07/schema#", definitions: { a: { type: "number" } }, items: { $ref: "#/definitions/a" } },
    ],
    ["a few alternatives that multiply", doubling("anyOf", 5)],
  ])("and %s is accepted", (_, schema) => {
    expect(describeSchemaProblem(schema as Record<string, unknown>)).toBeUndefined();
  });
});

describe("the work of a schema on a value", () => {
  it("is counted for every alternative, and the value is refused with the next step if it is too much", () => {
    const alternatives = { items: doubling("anyOf", 7), $defs: doubling("anyOf", 7).$defs };
    expect(describeSchemaProblem(alternatives)).toBeUndefined();
    expect(countEvaluations(alternatives, [1])).toBeGreaterThan(2 ** 8);
    expect(
      countEvaluations(
        alternatives,
        list(100, () => 1),
      ),
    ).toBeGreaterThan(100 * 2 ** 8);
    expect(
      findValueIssues(
        alternatives,
        list(50_000, () => "x"),
      ),
    ).toEqual([
      {
        path: "value",
        reason: expect.stringMatching(/^cannot be checked, because it is too large for its schema\. Enter fewer items, or /),
      },
    ]);
  });

  it("stops at its limit when a schema that refers to itself multiplies with each level of the value", () => {
    const doubled = { items: { anyOf: [{ $ref: "#" }, { $ref: "#" }] } };
    expect(describeSchemaProblem(doubled)).toBeUndefined();
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
    const work = countEvaluations(doubled, deep(60));
    expect(work).toBeGreaterThan(EVALUATIONS_MOST);
    expect(work).toBeLessThan(EVALUATIONS_MOST + 1000);
    expect(findValueIssues(doubled, deep(60))).toHaveLength(1);
    expect(findValueIssues(doubled, deep(5))).toEqual([]);
  });

  it("contains the names, choices, texts, properties and items that are read", () => {
    const work = (schema: object, value: unknown) => countEvaluations(schema as Record<string, unknown>, value);
    expect(work({ enum: list(500, (n) => ({ n })) }, 1)).toBeGreaterThan(1000);
    expect(work({ required: list(500, (n) => `p${n}`) }, {})).toBeGreaterThan(500);
    expect(work({ maxLength: 5 }, "a".repeat(64_000))).toBeGreaterThan(1000);
    expect(
      work(
        { contains: { type: "number" } },
        list(500, () => "x"),
      ),
    ).toBeGreaterThan(1000);
    expect(
      work(
        { uniqueItems: true },
        list(500, (n) => ({ n })),
      ),
    ).toBeGreaterThan(1000);
    const value = Object.fromEntries(list(500, (n) => [`p${n}`, n]));
    for (const schema of [
      { patternProperties: { a: {}, b: {} } },
      { propertyNames: {} },
      { additionalProperties: false },
      { unevaluatedProperties: {} },
    ]) {
      expect(work(schema, value)).toBeGreaterThan(1000);
    }
    expect(work({ dependentSchemas: { p0: { properties: Object.fromEntries(list(500, (n) => [`p${n}`, {}])) } } }, value)).toBeGreaterThan(
      1000,
    );
  });

  it("is within its limit for a large table of an ordinary form", () => {
    const row = {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string", maxLength: 50 }, n: { type: "number" }, kind: { enum: ["a", "b", "c"] } },
    };
    const rows = list(7000, (n) => ({ name: `row ${n}`, n, kind: "a" }));
    expect(JSON.stringify(rows).length).toBeGreaterThan(250_000);
    expect(findValueIssues({ type: "array", items: row, uniqueItems: true }, rows)).toEqual([]);
  });

  it("is the same for a tree, which refers to itself through its parts", () => {
    expect(findValueIssues(tree, { text: "a", replies: [{ text: "b", replies: [{ text: 1 }] }] })).toEqual([
      { path: "value.replies.0.replies.0.text", reason: "must be string" },
    ]);
  });

  it("does not grow with each fault when the value contains a reference", () => {
    const schema = { items: { anyOf: [{ type: "string" }, { items: false, minItems: 2 }] } };
    const value = [...list(20_000, () => [[1]]), ["$var:f/a/b"]];
    const issues = findValueIssues(schema, value);
    expect(issues).toHaveLength(10);
  });
});

describe("uniqueItems", () => {
  const unique = { uniqueItems: true };
  it.each<[unknown[], boolean]>([
    [[1, 2, "1"], true],
    [[1, 1], false],
    [
      [
        { a: 1, b: [{ c: 1, d: 2 }] },
        { b: [{ d: 2, c: 1 }], a: 1 },
      ],
      false,
    ],
    [
      [
        [1, 2],
        [2, 1],
      ],
      true,
    ],
    [[{}, []], true],
    [[null, "null", false, 0, ""], true],
    [
      [
        { "1": 1, a: 2 },
        { a: 2, "1": 1 },
      ],
      false,
    ],
    [[], true],
  ])("of %j is %s", (items, expected) => {
    expect(findValueIssues(unique, items)).toEqual(expected ? [] : [{ path: "value", reason: "must NOT have duplicate items" }]);
    expect(findValueIssues({ uniqueItems: false }, items)).toEqual([]);
  });

  it("reads each item once", () => {
    let reads = 0;
    const items = list(2000, (n) => ({
      get n() {
        reads += 1;
        return n;
      },
    }));
    expect(findValueIssues(unique, items)).toEqual([]);
    expect(reads).toBeLessThan(10 * items.length);
  });
});
