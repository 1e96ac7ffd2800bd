import type { SyntaxNode } from "@lezer/common";
import { parser } from "@lezer/go";
import { readGoParams } from "../builds/go-source.ts";
import type { ParsedSignature } from "./parsed-signature.ts";
import { createObjectSchema, type Field, MAX_DEPTH, MAX_TYPES, type Schema } from "./schema.ts";

/** Parses the parameters of `main` in a Go script. */
export function parseGoSignature(source: string): ParsedSignature {
  const root = parser.parse(source).topNode;
  const functions = new Map<string, SyntaxNode>();
  for (const declaration of root.getChildren("FunctionDecl")) {
    const name = declaration.getChild("DefName");
    if (name) functions.set(source.slice(name.from, name.to), declaration);
  }
  const main = functions.get("main") ?? functions.get("Main");
  const list = main?.getChild("Parameters");
  const types = new GoTypes(root, source);
  const declared = list ? readGoParams(list, source) : [];
  const nodes = list ? typeNodesOf(list) : [];
  const docs = main ? docComment(main, source) : "";
  return {
    ok: true,
    params: declared.map(({ name, type }, at) => {
      const node = nodes[at];
      const schema = node ? types.schemaOf(node, 0) : {};
      // An absent argument has the zero value, so only pointers and variadic parameters count as optional.
      const optional = type.startsWith("...") || type.startsWith("*");
      return { name, type: type.startsWith("...") ? { type: "array", items: schema } : schema, hasDefault: false, required: !optional };
    }),
    hasMain: main !== undefined,
    hasPreprocessor: functions.has("preprocessor"),
    preprocessorParams: null,
    variadic: declared.at(-1)?.type.startsWith("...") ?? false,
    destructured: false,
    paramTypes: {},
    ...(docs && { docs }),
  };
}

/** The type of each parameter, in the order of `readGoParams`. */
function typeNodesOf(list: SyntaxNode): (SyntaxNode | null)[] {
  return list.getChildren("Parameter").flatMap((parameter) => {
    const names = parameter.getChildren("DefName").length;
    return Array<SyntaxNode | null>(Math.max(1, names)).fill(parameter.lastChild);
  });
}

function docComment(declaration: SyntaxNode, source: string): string {
  const lines: string[] = [];
  for (let node = declaration.prevSibling; node?.name === "LineComment"; node = node.prevSibling) {
    lines.unshift(source.slice(node.from, node.to).replace(/^\/\/ ?/, ""));
  }
  return lines.join("\n").trim();
}

class GoTypes {
  private readonly declared = new Map<string, SyntaxNode>();
  private readonly source: string;
  private read = 0;

  constructor(root: SyntaxNode, source: string) {
    this.source = source;
    for (const declaration of root.getChildren("TypeDecl")) {
      for (const spec of [...declaration.getChildren("TypeSpec"), ...(declaration.getChild("SpecList")?.getChildren("TypeSpec") ?? [])]) {
        const name = spec.getChild("DefName");
        if (name && spec.lastChild && spec.lastChild !== name) this.declared.set(source.slice(name.from, name.to), spec.lastChild);
      }
    }
  }

  schemaOf(type: SyntaxNode, depth: number): Schema {
    if (depth > MAX_DEPTH || ++this.read > MAX_TYPES) return {};
    const text = this.source.slice(type.from, type.to);
    switch (type.name) {
      case "TypeName":
        return this.named(text, depth);
      case "PointerType":
        return type.lastChild ? this.schemaOf(type.lastChild, depth + 1) : {};
      case "SliceType":
      case "ArrayType":
        if (/^\[\]\s*(byte|uint8)$/.test(text)) return { type: "string", contentEncoding: "base64" };
        return { type: "array", items: type.lastChild ? this.schemaOf(type.lastChild, depth + 1) : {} };
      case "MapType":
        return { type: "object", additionalProperties: type.lastChild ? this.schemaOf(type.lastChild, depth + 1) : {} };
      case "StructType":
        return createObjectSchema(this.fieldsOf(type, depth));
      case "QualifiedType":
        return text === "time.Time" ? { type: "string", format: "date-time" } : text === "json.RawMessage" ? {} : { type: "object" };
      default:
        return {};
    }
  }

  private named(name: string, depth: number): Schema {
    const declared = this.declared.get(name);
    if (declared) return this.schemaOf(declared, depth + 1);
    if (name === "string" || name === "rune") return { type: name === "rune" ? "integer" : "string" };
    if (name === "bool") return { type: "boolean" };
    if (/^u?int(8|16|32|64|ptr)?$|^byte$/.test(name)) return { type: "integer" };
    return /^float(32|64)$/.test(name) ? { type: "number" } : {};
  }

  /** Returns the fields that `encoding/json` uses: exported fields under the names of their tags, including those of embedded structs. */
  private fieldsOf(struct: SyntaxNode, depth: number): Field[] {
    const declarations = struct.getChild("StructBody")?.getChildren("FieldDecl") ?? [];
    return declarations.flatMap((declaration): Field[] => {
      const tagNode = declaration.getChild("String");
      const tag = tagNode ? /json:"([^"]*)"/.exec(this.source.slice(tagNode.from, tagNode.to))?.[1] : undefined;
      const [renamed = "", ...options] = tag?.split(",") ?? [];
      const names = declaration.getChildren("FieldName").map((node) => this.source.slice(node.from, node.to));
      const type = tagNode ? tagNode.prevSibling : declaration.lastChild;
      if (tag === "-" || !type) return [];
      const schema = this.schemaOf(type, depth + 1);
      if (names.length === 0) return embeddedFields(schema);
      const optional = options.some((option) => option === "omitempty" || option === "omitzero") || type.name === "PointerType";
      return names.filter((name) => /^\p{Lu}/u.test(name)).map((name) => ({ name: renamed || name, schema, optional }));
    });
  }
}

function embeddedFields({ properties = {}, required = [], order = [] }: Schema): Field[] {
  return order.map((name) => ({ name, schema: properties[name] ?? {}, optional: !required.includes(name) }));
}
