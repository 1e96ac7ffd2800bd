import type { SyntaxNode } from "@lezer/common";
import { readGoParams } from "../builds/go-source.ts";
import { go } from "../builds/parsers/go.ts";
import type { ParsedSignature } from "./parsed-signature.ts";
import { createObjectSchema, type Field, listFields, MAX_DEPTH, MAX_TYPES, type Schema } from "./schema.ts";

/** Parses the parameters of `main` in a Go script. */
export function parseGoSignature(source: string): ParsedSignature {
  const root = go.parse(source).topNode;
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
    lines.push(source.slice(node.from, node.to).replace(/^\/\/ ?/, ""));
  }
  return lines.reverse().join("\n").trim();
}

class GoTypes {
  private readonly declared = new Map<string, SyntaxNode>();
  /** Paths of packages by the names under which the file imports them. */
  private readonly packages = new Map<string, string>();
  /** Types that read themselves from JSON, with the schema of that JSON. */
  private readonly decoding = new Map<string, Schema>();
  /** Types that contain the current type, so that a recursive type terminates. */
  private readonly open = new Set<string>();
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
    for (const declaration of root.getChildren("ImportDecl")) {
      for (const spec of [
        ...declaration.getChildren("ImportSpec"),
        ...(declaration.getChild("SpecList")?.getChildren("ImportSpec") ?? []),
      ]) {
        const [name, path] = [spec.getChild("DefName"), spec.getChild("String")];
        const text = path ? this.text(path).slice(1, -1) : "";
        this.packages.set(name ? this.text(name) : text.replace(/^.*\//, ""), text);
      }
    }
    for (const method of root.getChildren("MethodDecl")) {
      const [receiver, name] = [method.getChild("Parameters")?.getChild("Parameter")?.lastChild, method.getChild("FieldName")];
      const type = receiver ? this.text(receiver).replace(/^\*\s*/, "") : "";
      if (name && this.text(name) === "UnmarshalJSON") this.decoding.set(type, {});
      if (name && this.text(name) === "UnmarshalText" && !this.decoding.has(type)) this.decoding.set(type, { type: "string" });
    }
  }

  private text(node: SyntaxNode): string {
    return this.source.slice(node.from, node.to);
  }

  schemaOf(type: SyntaxNode, depth: number): Schema {
    if (depth > MAX_DEPTH || ++this.read > MAX_TYPES) return {};
    const text = this.text(type);
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
        return this.qualifiedName(text) === "time.Time" ? { type: "string", format: "date-time" } : {};
      default:
        return {};
    }
  }

  private named(name: string, depth: number): Schema {
    const declared = this.declared.get(name);
    const decoded = this.decoding.get(name);
    if (decoded) return decoded;
    if (this.open.has(name)) return {};
    if (declared) {
      this.open.add(name);
      const schema = this.schemaOf(declared, depth + 1);
      this.open.delete(name);
      return schema;
    }
    if (name === "string" || name === "rune") return { type: name === "rune" ? "integer" : "string" };
    if (name === "bool") return { type: "boolean" };
    if (/^u?int(8|16|32|64|ptr)?$|^byte$/.test(name)) return { type: "integer" };
    return /^float(32|64)$/.test(name) ? { type: "number" } : {};
  }

  private qualifiedName(text: string): string {
    const [base = "", name = ""] = text.split(".");
    return `${this.packages.get(base) ?? base}.${name}`;
  }

  /** Returns the fields that `encoding/json` uses: exported fields under the names of their tags, and those of embedded structs that they do not hide. */
  private fieldsOf(struct: SyntaxNode, depth: number): Field[] {
    const ownFields: Field[] = [];
    const embedded: Field[] = [];
    for (const declaration of struct.getChild("StructBody")?.getChildren("FieldDecl") ?? []) {
      const tagNode = declaration.getChild("String");
      const tag = tagNode ? readTag(this.text(tagNode)) : undefined;
      const [renamed = "", ...options] = tag?.split(",") ?? [];
      const names = declaration.getChildren("FieldName").map((node) => this.text(node));
      const type = tagNode ? tagNode.prevSibling : declaration.lastChild;
      if (tag === "-" || !type) continue;
      const written = this.schemaOf(type, depth + 1);
      if (names.length === 0 && renamed === "" && written.properties) {
        embedded.push(...listFields(written));
        continue;
      }
      const schema: Schema = options.includes("string") ? { type: "string" } : written;
      const isPointer = type.name === "PointerType" || declaration.getChild("*") !== null;
      const optional = isPointer || options.some((option) => option === "omitempty" || option === "omitzero");
      // An embedded type has its own name.
      const fields = names.length > 0 ? names : [this.text(type).replace(/^.*[.*\s]/s, "")];
      for (const name of fields) if (/^\p{Lu}/u.test(name)) ownFields.push({ name: renamed || name, schema, optional });
    }
    const hidden = new Set(ownFields.map(({ name }) => name));
    return [...embedded.filter(({ name }) => !hidden.has(name)), ...ownFields];
  }
}

/** Returns the value of the key `json` of a tag. */
function readTag(text: string): string | undefined {
  const tag = text.startsWith("`") ? text.slice(1, -1) : text.slice(1, -1).replace(/\\(["\\])/g, "$1");
  return /(?:^|\s)json:"([^"]*)"/.exec(tag)?.[1];
}
