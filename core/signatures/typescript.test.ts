import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../test/builders/any-text.ts";
import { toArgumentsSchema } from "./parse-source.ts";
import type { ParsedSignature } from "./parsed-signature.ts";
import { parseSignature } from "./signature.ts";

function read(source: string): ParsedSignature {
  const signature = parseSignature("bun", source);
  if (!signature.ok) throw new Error(signature.error);
  return signature;
}

/** The schema of the only parameter of a main whose parameter list is given. */
function typeOf(parameter: string, before = ""): unknown {
  return read(`${before}\nexport async function main(${parameter}) {}`).params[0]?.type;
}

describe("the signature of a TypeScript script", () => {
  it("reads names, types, defaults and what is required", () => {
    const { params } = read("export async function main(a: string, b?: number, c = 3, d: boolean = false, e: string | undefined, f) {}");
    expect(params).toEqual([
      { name: "a", type: { type: "string" }, hasDefault: false, required: true },
      { name: "b", type: { type: "number" }, hasDefault: false, required: false },
      { name: "c", type: { type: "number" }, hasDefault: true, default: 3, required: false },
      { name: "d", type: { type: "boolean" }, hasDefault: true, default: false, required: false },
      { name: "e", type: { type: "string" }, hasDefault: false, required: false },
      { name: "f", type: {}, hasDefault: false, required: true },
    ]);
  });

  it.each([
    ["x: string[]", { type: "array", items: { type: "string" } }],
    ["x: readonly (string | number)[]", { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } }],
    ["x: Array<boolean>", { type: "array", items: { type: "boolean" } }],
    ['x: "a" | "b"', { type: "string", enum: ["a", "b"] }],
    ['x: "a" | null', { type: ["string", "null"], enum: ["a", null] }],
    ["x: 1 | -2", { type: "number", enum: [1, -2] }],
    ["x: true | false", { type: "boolean" }],
    ["x: Date", { type: "string", format: "date-time" }],
    ["x: bigint", { type: "integer" }],
    ["x: Uint8Array", { type: "string", contentEncoding: "base64" }],
    ["x: wmill.Base64", { type: "string", contentEncoding: "base64" }],
    ["x: RT.Postgresql", { type: "object", format: "resource-postgresql" }],
    ["x: Postgresql", { type: "object", format: "resource-postgresql" }],
    ["x: S3Object", { type: "object", format: "resource-s3_object" }],
    ['x: Resource<"postgresql">', { type: "object", format: "resource-postgresql" }],
    ["x: any", {}],
    ["x: string | any", {}],
    ["x: object", { type: "object" }],
    ["x: Record<string, number>", { type: "object", additionalProperties: { type: "number" } }],
    [
      "x: { a: string; b?: { c: number[] } }",
      {
        type: "object",
        properties: {
          a: { type: "string" },
          b: { type: "object", properties: { c: { type: "array", items: { type: "number" } } }, required: ["c"], order: ["c"] },
        },
        required: ["a"],
        order: ["a", "b"],
      },
    ],
    ["x = [1, 2]", { type: "array", items: { type: "number" } }],
    ["x: (a: string) => void", {}],
  ])("reads %s", (parameter, schema) => {
    expect(typeOf(parameter)).toEqual(schema);
  });

  it("expands types that the file declares, and stops at types that refer to themselves", () => {
    const before = 'type Row = Base & { id: number }; interface Base { name?: Color } enum Color { Red = "red", Blue = "blue" }';
    expect(typeOf("x: Row", before)).toEqual({
      type: "object",
      properties: { name: { type: "string", enum: ["red", "blue"] }, id: { type: "number" } },
      required: ["id"],
      order: ["name", "id"],
    });
    expect(typeOf("x: Tree", "type Tree = { children: Tree[] }")).toMatchObject({ type: "object" });
    expect(typeOf("x: Postgresql", "type Postgresql = object")).toEqual({ type: "object", format: "resource-postgresql" });
  });

  it("ends early for types that expand endlessly", () => {
    const fields = (next: string) => Array.from({ length: 10 }, (_, at) => `f${at}: ${next}`).join("; ");
    const types = Array.from({ length: 12 }, (_, at) => `type T${at} = { ${fields(`T${at + 1}`)} };`).join("\n");
    expect(JSON.stringify(typeOf("x: T0", types)).length).toBeLessThan(1_000_000);
  });

  it.each([
    ["export const main = async (a: string) => {};"],
    ["export const main = function (a: string) {};"],
    ["const main = (a: string) => a;\nexport { main };"],
    ["async function run(a: string) {}\nexport { run as main };"],
    ["export function main(a: number): void;\nexport function main(a: string) {}"],
    ["const Page = () => <div>{1}</div>;\nexport function main(a: string) { return <Page /> }"],
  ])("finds main in %j", (source) => {
    expect(read(source)).toMatchObject({ hasMain: true, params: [{ name: "a", type: { type: "string" } }] });
  });

  it.each([["function main(a: string) {}"], ["export default function main() {}"], ["export const x = 1"], [""]])(
    "finds no main in %j",
    (source) => {
      expect(read(source)).toMatchObject({ hasMain: false, params: [] });
    },
  );

  it("recognises a preprocessor, a rest parameter and a destructured parameter", () => {
    expect(read("export function preprocessor(event: unknown) {}\nexport function main(...all: string[]) {}")).toMatchObject({
      hasPreprocessor: true,
      preprocessorParams: ["event"],
      variadic: true,
      params: [{ name: "all", required: false }],
    });
    expect(read("export function main({ a, b = 2, c: { d } }: { a: string; b?: number; c: object }) {}")).toMatchObject({
      destructured: true,
      params: [
        { name: "a", type: { type: "string" }, required: true },
        { name: "b", type: { type: "number" }, default: 2, required: false },
        { name: "c", required: true },
      ],
    });
    expect(read("export function main(first: string, { a }: { a: string }, [b]: string[]) {}").params.map(({ name }) => name)).toEqual([
      "first",
      "anon2",
      "anon3",
    ]);
  });

  it("names the parameters that the wrapper converts to dates and bytes", () => {
    const { paramTypes } = read(
      "export function main(a: Date, b?: Date | null, c: Uint8Array, d: Buffer, e: string, f: Date[], g: ArrayBuffer, h: Blob) {}",
    );
    expect(paramTypes).toEqual({ a: "date", b: "date", c: "bytes", d: "buffer", f: { items: "date" }, g: "arrayBuffer", h: "blob" });
  });

  it.each<[string, object | undefined]>([
    ["readonly Array<Date>[]", { items: { items: "date" } }],
    ["Record<string, Date | null>", { values: "date" }],
    ["{ at: Date; name: string; parts?: Blob[] }", { fields: { at: "date", parts: { items: "blob" } } }],
    ["Row", { fields: { at: "date", rows: { items: { fields: { days: { items: "date" } } } } } }],
    ["Tree", { fields: { at: "date" } }],
    ["(Date | string)[]", undefined],
    ["{ name: string }[]", undefined],
    ["Page<Date>", undefined],
    ["Set<Date>", undefined],
    ["Own", undefined],
  ])("names the values in %s that the wrapper converts to dates and bytes", (type, expected) => {
    const declared = `type Day = Date;
      interface Row { at: Date }
      interface Row { rows: { days: Day[] }[] }
      interface Tree { at: Date; children: Tree[] }
      type Page<T> = { items: T[] };
      class Blob {}
      type Own = { file: Blob };\n`;
    const source = type === "Own" ? declared : declared.replace("class Blob {}", "");
    expect(read(`${source}export function main(a: ${type}) {}`).paramTypes).toEqual(expected ? { a: expected } : {});
  });

  it("uses literals as defaults and omits values that are known only at run time", () => {
    const { params } = read(
      "export function main(a = { x: [1, 'a\\n'], 'y-z': null } as const, b = `t`, c = new Date(), d = -1_000, e = [f()]) {}",
    );
    expect(params.map(({ hasDefault, default: value }) => [hasDefault, value])).toEqual([
      [true, { x: [1, "a\n"], "y-z": null }],
      [true, "t"],
      [true, undefined],
      [true, -1000],
      [true, undefined],
    ]);
  });

  it("reads doc comments", () => {
    const signature = read("/**\n * Says hello.\n * @param name - who to greet\n */\nexport function main(name: string) {}");
    expect(signature).toMatchObject({ docs: "Says hello.", params: [{ doc: "who to greet" }] });
  });

  it("becomes a JSON Schema", () => {
    expect(toArgumentsSchema(read('export function main(b: string, a: "x" | "y" = "x") {}'))).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { b: { type: "string" }, a: { type: "string", enum: ["x", "y"], default: "x" } },
      required: ["b"],
      order: ["b", "a"],
    });
  });
});

describe("the signature of a script in any language", () => {
  const fragments = fc.constantFrom(
    ..."export|async|function|main|(|)|{|}|[|]|<|>|:|,|=|?|...|=>|const|type|interface|enum|string|'a'|\"|`|/*|*/|//|#|def|class|Literal|None|**|*|\n|  |package|struct|func|json|$1|${|:-|import|from|@|1|-|.|&|\\".split(
      "|",
    ),
    "|",
  );
  const garbage = fc.oneof(
    anyText({ maxLength: 200 }),
    fc.array(fragments, { maxLength: 60 }).map((parts) => parts.join(" ")),
  );

  it("never throws on garbage, and returns a schema that is valid JSON", () => {
    fc.assert(
      fc.property(fc.constantFrom("bun" as const, "python3" as const, "go" as const, "bash" as const), garbage, (language, source) => {
        const schema = toArgumentsSchema(parseSignature(language, source));
        expect(JSON.parse(JSON.stringify(schema))).toHaveProperty("properties");
      }),
      { numRuns: 2000 },
    );
  });

  it("survives deep nesting", () => {
    const deep = "[".repeat(20_000);
    for (const source of [
      `export function main(a: ${deep}`,
      `export function main(a = ${deep}`,
      `export function main(a: ${"(".repeat(20_000)}`,
    ]) {
      expect(read(source).hasMain).toBeDefined();
    }
    expect(parseSignature("python3", `def main(a: ${deep}`).ok).toBe(true);
    expect(parseSignature("go", `package inner\nfunc main(a ${"[]".repeat(20_000)}int) {}`).ok).toBe(true);
  });

  it("reports languages without parameters", () => {
    expect(parseSignature("postgresql", "select 1")).toEqual({ ok: false, error: expect.stringContaining("postgresql") });
  });
});
