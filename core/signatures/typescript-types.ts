import type { SyntaxNode } from "@lezer/common";
import { createObjectSchema, createResourceSchema, createUnionSchema, type Field, MAX_DEPTH, MAX_TYPES, type Schema } from "./schema.ts";
import { NOT_LITERAL, readLiteral, readStringText } from "./typescript-values.ts";

const BASE64: Schema = { type: "string", contentEncoding: "base64" };
const NAMED: Record<string, Schema> = {
  string: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  bigint: { type: "integer" },
  object: { type: "object" },
  Object: { type: "object" },
  any: {},
  unknown: {},
  undefined: {},
  null: { type: "null" },
  String: { type: "string" },
  Number: { type: "number" },
  Boolean: { type: "boolean" },
  Date: { type: "string", format: "date-time" },
  URL: { type: "string", format: "uri" },
  Uint8Array: BASE64,
  ArrayBuffer: BASE64,
  Buffer: BASE64,
  Base64: BASE64,
  Email: { type: "string", format: "email" },
  Sql: { type: "string", format: "sql" },
};
/** Generic types of the language, whose arguments are irrelevant for forms. */
const OPAQUE = new Set([
  "Record",
  "Map",
  "WeakMap",
  "Pick",
  "Omit",
  "Function",
  "Error",
  "RegExp",
  "Iterable",
  "AsyncIterable",
  "ReadableStream",
  "Response",
  "Request",
]);
/** Types that are equivalent to their first argument. */
const TRANSPARENT = new Set(["Promise", "Readonly", "Required", "NonNullable", "Awaited"]);

/** The meaning of a parameter's annotation. */
export interface Annotated {
  schema: Schema;
  /** The type includes `undefined`. */
  optional: boolean;
  wrapped: "date" | "bytes" | undefined;
}

/** Reads type annotations of one file, with the types that the file declares. */
export class TypescriptTypes {
  private readonly declared = new Map<string, SyntaxNode>();
  private readonly source: string;
  private read = 0;

  constructor(source: string) {
    this.source = source;
  }

  /** Registers a `type`, `interface` or `enum` of the file. */
  declare(declaration: SyntaxNode): void {
    if (!["TypeAliasDeclaration", "InterfaceDeclaration", "EnumDeclaration"].includes(declaration.name)) return;
    const name = declaration.getChild("TypeDefinition");
    if (name) this.declared.set(this.text(name), declaration);
  }

  annotated(annotation: SyntaxNode | null): Annotated {
    const type = annotation?.firstChild?.nextSibling;
    if (!type) return { schema: {}, optional: false, wrapped: undefined };
    const members = this.membersOf(type, 0);
    const names = members.map((member) => this.text(member));
    const given = names.filter((name) => name !== "undefined" && name !== "null");
    const only = given.length === 1 ? given[0]?.replace(/<.*$/s, "") : undefined;
    const wrapped = only === "Date" ? "date" : only === "Uint8Array" || only === "Buffer" ? "bytes" : undefined;
    return { schema: this.schemaOf(type, 0), optional: names.includes("undefined"), wrapped };
  }

  private text(node: SyntaxNode): string {
    return this.source.slice(node.from, node.to);
  }

  /** Returns the members of a union, or the type itself. */
  private membersOf(type: SyntaxNode, depth: number): SyntaxNode[] {
    if (type.name === "ParenthesizedType" && depth < MAX_DEPTH) return children(type).flatMap((child) => this.membersOf(child, depth + 1));
    if (type.name !== "UnionType" || depth >= MAX_DEPTH) return [type];
    return children(type).flatMap((child) => this.membersOf(child, depth + 1));
  }

  private schemaOf(type: SyntaxNode, depth: number): Schema {
    if (depth > MAX_DEPTH || ++this.read > MAX_TYPES) return {};
    const inner = (node: SyntaxNode | null | undefined) => (node ? this.schemaOf(node, depth + 1) : {});
    switch (type.name) {
      case "TypeName":
        return this.named(this.text(type), depth);
      case "NullType":
        return { type: "null" };
      case "LiteralType":
        return this.literal(type);
      case "TemplateType":
        return { type: "string" };
      case "ArrayType":
        return { type: "array", items: inner(type.firstChild) };
      case "ReadonlyType":
        return inner(type.lastChild);
      case "ParenthesizedType":
        return inner(type.firstChild?.nextSibling);
      case "TupleType":
        return { type: "array", items: createUnionSchema(children(type).map(inner)) };
      case "ObjectType":
        return createObjectSchema(this.fieldsOf(type, depth));
      case "UnionType": {
        const members = this.membersOf(type, depth).filter((member) => this.text(member) !== "undefined");
        return createUnionSchema(members.map(inner));
      }
      case "IntersectionType":
        return intersectionOf(children(type).map(inner));
      case "ParameterizedType":
        return this.generic(type, depth);
      case "IndexedType":
        return this.qualified(type);
      default:
        return {};
    }
  }

  private literal(type: SyntaxNode): Schema {
    const value = this.literalValue(type);
    const kind = typeof value;
    return kind === "string" || kind === "number" ? { type: kind, enum: [value] } : kind === "boolean" ? { type: "boolean" } : {};
  }

  private literalValue(type: SyntaxNode): unknown {
    const last = type.lastChild;
    const value = last ? readLiteral(last, this.source) : NOT_LITERAL;
    return typeof value === "number" && this.text(type).startsWith("-") ? -value : value;
  }

  private named(name: string, depth: number): Schema {
    const declaration = this.declared.get(name);
    if (declaration) return this.declaredSchema(name, declaration, depth);
    if (Object.hasOwn(NAMED, name)) return NAMED[name] ?? {};
    if (name === "Array" || name === "Set" || name === "ReadonlyArray") return { type: "array" };
    if (OPAQUE.has(name)) return { type: "object" };
    // A name that is neither built in nor declared in the file is a resource type, written with a capital. A single letter is a type
    // parameter.
    return /^[A-Z]\w/.test(name) ? createResourceSchema(name) : {};
  }

  private declaredSchema(name: string, declaration: SyntaxNode, depth: number): Schema {
    if (declaration.name === "EnumDeclaration") return this.enumSchema(declaration);
    if (declaration.name === "InterfaceDeclaration") {
      const body = declaration.getChild("ObjectType");
      const own = body ? this.schemaOf(body, depth + 1) : {};
      // The types after `extends` are siblings of the interface's name.
      const parents = declaration.getChildren("TypeName").map((parent) => this.schemaOf(parent, depth + 1));
      return intersectionOf([...parents.filter((parent) => parent.properties), own]);
    }
    const type = declaration.getChild("Equals")?.nextSibling;
    // `type Postgresql = object` defines a resource type.
    if (type && this.text(type) === "object") return createResourceSchema(name);
    return type ? this.schemaOf(type, depth + 1) : {};
  }

  private enumSchema(declaration: SyntaxNode): Schema {
    const values: unknown[] = [];
    for (let child = declaration.getChild("EnumBody")?.firstChild; child; child = child.nextSibling) {
      if (child.name === "PropertyName") values.push(values.length);
      else if (child.prevSibling?.name === "Equals" && values.length > 0) values[values.length - 1] = readLiteral(child, this.source);
    }
    const kinds = new Set(values.map((value) => typeof value));
    const [kind] = kinds;
    return kinds.size === 1 && (kind === "string" || kind === "number") ? { type: kind, enum: values } : {};
  }

  private fieldsOf(type: SyntaxNode, depth: number): Field[] {
    return type.getChildren("PropertyType").flatMap((property) => {
      const key = property.getChild("PropertyDefinition") ?? property.getChild("String");
      const annotation = property.getChild("TypeAnnotation")?.firstChild?.nextSibling;
      if (!key) return [];
      const name = key.name === "String" ? readStringText(key, this.source) : this.text(key);
      const optional = property.getChild("Optional") !== null || this.mayBeUndefined(annotation);
      return [{ name, schema: annotation ? this.schemaOf(annotation, depth + 1) : {}, optional }];
    });
  }

  private mayBeUndefined(type: SyntaxNode | null | undefined): boolean {
    return type ? this.membersOf(type, 0).some((member) => this.text(member) === "undefined") : false;
  }

  private generic(type: SyntaxNode, depth: number): Schema {
    const name = type.firstChild ? this.text(type.firstChild) : "";
    const [first] = children(type.getChild("TypeArgList"));
    const argument = first ? this.schemaOf(first, depth + 1) : {};
    if (name === "Array" || name === "ReadonlyArray" || name === "Set") return { type: "array", items: argument };
    if (name === "Partial") return argument.required ? { ...argument, required: [] } : argument;
    if (TRANSPARENT.has(name)) return argument;
    const [, value] = children(type.getChild("TypeArgList"));
    if (name === "Record") return value ? { type: "object", additionalProperties: this.schemaOf(value, depth + 1) } : { type: "object" };
    if (/(^|\.)Resource$/.test(name)) {
      const kind = first?.name === "LiteralType" ? this.literalValue(first) : undefined;
      return typeof kind === "string" ? { type: "object", format: `resource-${kind}` } : { type: "object" };
    }
    return type.firstChild ? this.schemaOf(type.firstChild, depth + 1) : {};
  }

  /** `RT.Postgresql` is a resource type, `wmill.Base64` a type of the client. `Row["id"]` is not resolved. */
  private qualified(type: SyntaxNode): Schema {
    const [, name] = /^[\w$]+\s*\.\s*([\w$]+)$/.exec(this.text(type)) ?? [];
    if (!name) return {};
    return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? {}) : createResourceSchema(name);
  }
}

/** Types among the children of a type, without its punctuation. */
function children(node: SyntaxNode | null): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node?.firstChild; child; child = child.nextSibling) {
    if (/^[A-Z]\w*Type$|^TypeName$|Signature$/.test(child.name)) found.push(child);
  }
  return found;
}

function intersectionOf(members: Schema[]): Schema {
  const objects = members.filter((member) => member.properties);
  if (objects.length === 0) return members[0] ?? {};
  const fields = objects.flatMap(({ properties = {}, required = [], order = [] }) =>
    order.map((name) => ({ name, schema: properties[name] ?? {}, optional: !required.includes(name) })),
  );
  return createObjectSchema(fields.filter(({ name }, at) => fields.findLastIndex((field) => field.name === name) === at));
}
