import { describe, expect, it } from "vitest";
import type { ParsedSignature } from "./parsed-signature.ts";
import { parseSignature } from "./signature.ts";

function read(language: "python3" | "go" | "bash", source: string): ParsedSignature {
  const signature = parseSignature(language, source);
  if (!signature.ok) throw new Error(signature.error);
  return signature;
}

describe("the signature of a Python script", () => {
  const typeOf = (annotation: string, before = "") => read("python3", `${before}\ndef main(x: ${annotation}): pass`).params[0]?.type;

  it("reads names, defaults and what is required", () => {
    const source = "async def main(a: str, b: int = 3, /, *, c=None, d='x' 'y', e=[1, {'k': True}], f=-1.5, g=now(), **rest): pass";
    const { params, variadic } = read("python3", source);
    expect(variadic).toBe(true);
    expect(params).toEqual([
      { name: "a", type: { type: "string" }, hasDefault: false, required: true },
      { name: "b", type: { type: "integer" }, hasDefault: true, default: 3, required: false },
      { name: "c", type: {}, hasDefault: true, default: null, required: false },
      { name: "d", type: { type: "string" }, hasDefault: true, default: "xy", required: false },
      { name: "e", type: expect.objectContaining({ type: "array" }), hasDefault: true, default: [1, { k: true }], required: false },
      { name: "f", type: { type: "number" }, hasDefault: true, default: -1.5, required: false },
      { name: "g", type: {}, hasDefault: true, required: false },
    ]);
  });

  it.each([
    ["float", { type: "number" }],
    ["bool", { type: "boolean" }],
    ["list[int]", { type: "array", items: { type: "integer" } }],
    ["List[Dict[str, float]]", { type: "array", items: { type: "object", additionalProperties: { type: "number" } } }],
    ["dict", { type: "object" }],
    ["datetime", { type: "string", format: "date-time" }],
    ["datetime.datetime", { type: "string", format: "date-time" }],
    ["bytes", { type: "string", contentEncoding: "base64" }],
    ['Literal["a", "b"]', { type: "string", enum: ["a", "b"] }],
    ["Optional[str]", { type: ["string", "null"] }],
    ["str | None", { type: ["string", "null"] }],
    ["int | str", { anyOf: [{ type: "integer" }, { type: "string" }] }],
    ["Any", {}],
    ['"str"', { type: "string" }],
    ['"list[str]"', { type: "array", items: { type: "string" } }],
    ["Annotated[int, 'x']", { type: "integer" }],
    ["Postgresql", { type: "object", format: "resource-postgresql" }],
    ["Callable[[int], int]", {}],
  ])("reads %s", (annotation, schema) => {
    expect(typeOf(annotation)).toEqual(schema);
  });

  it("expands classes with annotated fields", () => {
    const before =
      "class Color(Enum):\n  RED = 'red'\n@dataclass\nclass Row:\n  id: int\n  name: str = 'x'\n  color: Color\nclass Part(TypedDict, total=False):\n  a: int\n";
    expect(typeOf("Row", before)).toEqual({
      type: "object",
      properties: { id: { type: "integer" }, name: { type: "string" }, color: { type: "string", enum: ["red"] } },
      required: ["id", "color"],
      order: ["id", "name", "color"],
    });
    expect(typeOf("Part", before)).toMatchObject({ required: [] });
    expect(typeOf("postgresql", "postgresql = dict")).toEqual({ type: "object", format: "resource-postgresql" });
    expect(typeOf("T", 'T = TypedDict("T", {"a": int})')).toMatchObject({ properties: { a: { type: "integer" } } });
  });

  it("takes the last main of the module, decorated or not, and its docstring", () => {
    const source = 'def main(a): pass\n@wrap\ndef main(b: int):\n  """Adds.\n\n  Args:\n    b: how much\n  """\n';
    expect(read("python3", source)).toMatchObject({ params: [{ name: "b", doc: "how much" }], docs: expect.stringContaining("Adds.") });
    expect(read("python3", "class A:\n  def main(self): pass\n").hasMain).toBe(false);
  });
});

describe("the signature of a Go script", () => {
  it("reads parameters that share a type, slices, pointers and the rest", () => {
    const source =
      "package inner\n// Adds.\nfunc main(a, b int, c *string, d []byte, e map[string]bool, when time.Time, raw any, more ...float64) (int, error) { return 0, nil }";
    const { params, variadic, docs } = read("go", source);
    expect(variadic).toBe(true);
    expect(docs).toBe("Adds.");
    expect(params.map(({ name, type, required }) => [name, type, required])).toEqual([
      ["a", { type: "integer" }, true],
      ["b", { type: "integer" }, true],
      ["c", { type: "string" }, false],
      ["d", { type: "string", contentEncoding: "base64" }, true],
      ["e", { type: "object", additionalProperties: { type: "boolean" } }, true],
      ["when", { type: "string", format: "date-time" }, true],
      ["raw", {}, true],
      ["more", { type: "array", items: { type: "number" } }, false],
    ]);
  });

  it("expands structs as encoding/json does", () => {
    const source =
      'package inner\ntype Base struct { Id int `json:"id"` }\ntype Row struct {\n\tBase\n\tName string `json:"name,omitempty"`\n\tHidden int `json:"-"`\n\town int\n\tTags []string\n}\nfunc Main(row Row) {}';
    expect(read("go", source).params[0]?.type).toEqual({
      type: "object",
      properties: { id: { type: "integer" }, name: { type: "string" }, Tags: { type: "array", items: { type: "string" } } },
      required: ["id", "Tags"],
      order: ["id", "name", "Tags"],
    });
  });
});

describe("the signature of a Bash script", () => {
  it("reads the names of positional arguments in their order, and defaults", () => {
    const source =
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's syntax.
      '#!/bin/bash\nname="${2:-world}"\nlocal greeting="$1" # how\ncount=${4-3}\necho "$name"\n# x="$9"\nwhere="${5:-$HOME}"\n';
    const { params } = read("bash", source);
    expect(params).toEqual([
      { name: "greeting", type: { type: "string" }, hasDefault: false, required: true },
      { name: "name", type: { type: "string" }, hasDefault: true, default: "world", required: false },
      { name: "arg3", type: { type: "string" }, hasDefault: false, required: false },
      { name: "count", type: { type: "string" }, hasDefault: true, default: "3", required: false },
      { name: "where", type: { type: "string" }, hasDefault: true, required: false },
    ]);
  });
});
