import type { SyntaxNode } from "@lezer/common";
import type { ParamType } from "../../../runners/protocol.ts";
import {
  createEnumSchema,
  createObjectSchema,
  createResourceSchema,
  createUnionSchema,
  type Field,
  listFields,
  MAX_DEPTH,
  MAX_SEARCHED,
  MAX_TYPES,
  type Schema,
} from "../schema.ts";
import { ConvertedTypes } from "./converted-types.ts";
import type { TypescriptModule } from "./module.ts";
import { NOT_LITERAL, readLiteral, readStringText } from "./values.ts";

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
  Blob: BASE64,
  Base64: BASE64,
  Email: { type: "string", format: "email" },
  Sql: { type: "string", format: "sql" },
};
/** Types of the language that are neither resource types nor JSON types. */
const UNKNOWN = new Set(
  `AbortController AbortSignal AggregateError AsyncGenerator AsyncIterable AsyncIterator Awaited BigInt64Array BigUint64Array Capitalize
  ConstructorParameters DataView DOMException Error EvalError Event EventTarget Exclude Extract File FinalizationRegistry Float32Array
  Float64Array FormData Function Generator Headers InstanceType Int16Array Int32Array Int8Array Intl Iterable Iterator Lowercase NoInfer
  OmitThisParameter Parameters Promise PromiseLike Proxy RangeError ReadableStream ReferenceError RegExp Request Response ReturnType
  SharedArrayBuffer Symbol SyntaxError ThisParameterType ThisType TransformStream TypeError URLSearchParams Uint16Array Uint32Array
  Uint8ClampedArray Uncapitalize Uppercase WeakMap WeakRef WeakSet WebSocket WritableStream`.split(/\s+/),
);
const LISTS = new Set(["Array", "ReadonlyArray", "Set", "ReadonlySet"]);
const OBJECTS = new Set(["Record", "Map", "ReadonlyMap"]);
/** Modules whose types may be resource types, in addition to undefined names. */
const CLIENTS = /(^|[:/])(windmill-client|svc-client)\b/;

/** The meaning of a parameter's annotation. */
export interface Annotated {
  schema: Schema;
  /** The type includes `undefined`. */
  optional: boolean;
  converted: ParamType | undefined;
}

/** Reads type annotations of one file, with the types that the file declares. */
export class TypescriptTypes {
  private readonly module: TypescriptModule;
  /** Types that contain the current type, so that a recursive type terminates. */
  private readonly open = new Set<string>();
  /** The types that a generic type receives, by the name of its parameter. */
  private readonly bound = new Map<string, Schema>();
  private readonly converted: ConvertedTypes;
  private read = 0;
  private searched = 0;

  constructor(module: TypescriptModule, parameters: readonly string[] = []) {
    this.module = module;
    this.converted = new ConvertedTypes(module, (type) => this.membersOf(type, 0));
    for (const name of parameters) this.bound.set(name, {});
  }

  annotated(annotation: SyntaxNode | null): Annotated {
    const type = annotation?.firstChild?.nextSibling;
    if (!type) return { schema: {}, optional: false, converted: undefined };
    return { schema: this.schemaOf(type, 0), optional: this.allowsUndefined(type), converted: this.converted.find(type) };
  }

  /** Returns the annotations of the fields of an object type, or of an alias or interface of one. */
  annotationsOf(annotation: SyntaxNode | null): Map<string, SyntaxNode> {
    const written = annotation?.firstChild?.nextSibling;
    const declared = written?.name === "TypeName" ? (this.module.types.get(this.text(written)) ?? []) : [];
    const bodies = declared.map((one) => one.getChild("ObjectType") ?? one.getChild("Equals")?.nextSibling);
    const found = new Map<string, SyntaxNode>();
    for (const body of [written, ...bodies]) {
      for (const property of body?.name === "ObjectType" ? body.getChildren("PropertyType") : []) {
        const [key, fieldType] = [property.getChild("PropertyDefinition"), property.getChild("TypeAnnotation")];
        if (key && fieldType) found.set(this.text(key), fieldType);
      }
    }
    return found;
  }

  private text(node: SyntaxNode): string {
    return this.module.text(node);
  }

  /** Returns the members of a union, or the type itself. */
  private membersOf(type: SyntaxNode, depth: number): SyntaxNode[] {
    if (++this.searched > MAX_SEARCHED) return [type];
    if (type.name === "ParenthesizedType" && depth < MAX_DEPTH) return children(type).flatMap((child) => this.membersOf(child, depth + 1));
    const [alias] = type.name === "TypeName" ? (this.module.types.get(this.text(type)) ?? []) : [];
    const target = alias?.name === "TypeAliasDeclaration" ? alias.getChild("Equals")?.nextSibling : undefined;
    if (target?.name === "UnionType" && depth < MAX_DEPTH) return this.membersOf(target, depth + 1);
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
        return this.text(type).includes("${") ? { type: "string" } : createEnumSchema([readStringText(type, this.module.source)]);
      case "ArrayType":
        return { type: "array", items: inner(type.firstChild) };
      case "ReadonlyType":
        return inner(type.lastChild);
      case "ParenthesizedType":
        return inner(type.firstChild?.nextSibling);
      case "TupleType":
        return this.tuple(type, depth);
      case "ObjectType":
        return this.object(type, depth);
      case "UnionType": {
        const members = this.membersOf(type, depth).filter((member) => !["undefined", "never"].includes(this.text(member)));
        return createUnionSchema(members.map(inner));
      }
      case "IntersectionType":
        return intersectionOf(children(type).map(inner));
      case "ParameterizedType":
        return this.generic(type, depth);
      case "IndexedType":
        return this.qualified(type, depth);
      default:
        return {};
    }
  }

  private literal(type: SyntaxNode): Schema {
    const value = this.literalValue(type);
    return value === NOT_LITERAL ? {} : createEnumSchema([value]);
  }

  private literalValue(type: SyntaxNode): unknown {
    const last = type.lastChild;
    const value = last ? readLiteral(last, this.module) : NOT_LITERAL;
    return typeof value === "number" && this.text(type).startsWith("-") ? -value : value;
  }

  private tuple(type: SyntaxNode, depth: number): Schema {
    const members = children(type).map((member) => {
      const schema = this.schemaOf(member, depth + 1);
      return member.prevSibling?.name === "Spread" ? (schema.items ?? {}) : schema;
    });
    return { type: "array", items: createUnionSchema(members) };
  }

  private object(type: SyntaxNode, depth: number): Schema {
    // A callable value is not JSON.
    if (type.getChild("CallSignature") || type.getChild("ConstructSignature")) return {};
    const fields = this.fieldsOf(type, depth);
    const index = type.getChild("IndexSignature")?.getChildren("TypeAnnotation").at(-1)?.firstChild?.nextSibling;
    if (index && fields.length === 0) return { type: "object", additionalProperties: this.schemaOf(index, depth + 1) };
    return createObjectSchema(fields);
  }

  private named(name: string, depth: number): Schema {
    const bound = this.bound.get(name);
    if (bound) return bound;
    if (this.open.has(name) || this.module.opaque.has(name)) return {};
    const declarations = this.module.types.get(name);
    if (declarations) {
      this.open.add(name);
      const schema = this.declaredSchema(name, declarations, depth);
      this.open.delete(name);
      return schema;
    }
    if (Object.hasOwn(NAMED, name)) return NAMED[name] ?? {};
    if (LISTS.has(name)) return { type: "array" };
    if (OBJECTS.has(name)) return { type: "object" };
    return this.isForeign(name) ? {} : resourceOf(name);
  }

  /** Returns whether a name belongs to another file that does not define resource types. */
  private isForeign(name: string): boolean {
    const from = this.module.imported.get(name);
    return from !== undefined && !CLIENTS.test(from);
  }

  private declaredSchema(name: string, declarations: SyntaxNode[], depth: number): Schema {
    const members = this.module.enumOf(name);
    this.read += members?.size ?? 0;
    if (members) return enumSchema(members);
    const [first] = declarations;
    if (first?.name === "InterfaceDeclaration") return intersectionOf(declarations.flatMap((one) => this.interfaceSchemas(one, depth)));
    const type = first?.getChild("Equals")?.nextSibling;
    // `type Postgresql = object` defines a resource type.
    if (type && this.text(type) === "object") return createResourceSchema(name);
    return type ? this.schemaOf(type, depth + 1) : {};
  }

  /** Returns the types after `extends`, which are siblings of the interface's name, and then the interface itself. */
  private interfaceSchemas(declaration: SyntaxNode, depth: number): Schema[] {
    const body = declaration.getChild("ObjectType");
    const ownSchema = body ? this.schemaOf(body, depth + 1) : {};
    const parents = [...declaration.getChildren("TypeName"), ...declaration.getChildren("ParameterizedType")];
    return [...parents.map((parent) => this.schemaOf(parent, depth + 1)).filter((parent) => parent.properties), ownSchema];
  }

  private fieldsOf(type: SyntaxNode, depth: number): Field[] {
    const methods = type.getChildren("MethodType").flatMap((method): Field[] => {
      const key = method.getChild("PropertyDefinition");
      return key ? [{ name: this.text(key), schema: {}, optional: method.getChild("Optional") !== null }] : [];
    });
    const properties = type.getChildren("PropertyType").flatMap((property): Field[] => {
      const key = property.getChild("PropertyDefinition") ?? property.getChild("String") ?? property.getChild("Number");
      const annotation = property.getChild("TypeAnnotation")?.firstChild?.nextSibling;
      if (!key) return [];
      const name = key.name === "String" ? readStringText(key, this.module.source) : this.text(key);
      const optional = property.getChild("Optional") !== null || (annotation ? this.allowsUndefined(annotation) : false);
      return [{ name, schema: annotation ? this.schemaOf(annotation, depth + 1) : {}, optional }];
    });
    return [...properties, ...methods];
  }

  private allowsUndefined(type: SyntaxNode): boolean {
    return this.membersOf(type, 0).some((member) => this.text(member) === "undefined");
  }

  private generic(type: SyntaxNode, depth: number): Schema {
    const name = type.firstChild ? this.text(type.firstChild) : "";
    const args = children(type.getChild("TypeArgList"));
    const [first, second] = args;
    const inner = (node: SyntaxNode | undefined) => (node ? this.schemaOf(node, depth + 1) : {});
    if (this.module.types.has(name)) return this.withArguments(name, args.map(inner), depth);
    if (LISTS.has(name)) return { type: "array", items: inner(first) };
    if (/(^|\.)Resource$/.test(name)) {
      const kind = first?.name === "LiteralType" ? this.literalValue(first) : undefined;
      return typeof kind === "string" ? { type: "object", format: `resource-${kind}` } : { type: "object" };
    }
    switch (name) {
      case "Readonly":
        return inner(first);
      case "NonNullable":
        return first
          ? createUnionSchema(
              this.membersOf(first, depth)
                .filter((one) => !/^(null|undefined)$/.test(this.text(one)))
                .map(inner),
            )
          : {};
      case "Partial":
      case "Required":
        return withFields(inner(first), (field) => [{ ...field, optional: name === "Partial" }]);
      case "Pick":
      case "Omit": {
        const listed = inner(second).enum;
        const keys = new Set(listed);
        return listed ? withFields(inner(first), (field) => (keys.has(field.name) === (name === "Pick") ? [field] : [])) : {};
      }
      case "Record": {
        const keys = inner(first).enum;
        const schema = inner(second);
        if (!second) return { type: "object" };
        if (!keys) return { type: "object", additionalProperties: schema };
        return createObjectSchema(keys.map((key) => ({ name: String(key), schema, optional: false })));
      }
      default:
        return type.firstChild ? this.schemaOf(type.firstChild, depth + 1) : {};
    }
  }

  /** Reads a generic type of the file with its arguments. */
  private withArguments(name: string, argumentSchemas: Schema[], depth: number): Schema {
    const parameters = this.module.types.get(name)?.[0]?.getChild("TypeParamList")?.getChildren("TypeDefinition") ?? [];
    const before = parameters.map((parameter) => [this.text(parameter), this.bound.get(this.text(parameter))] as const);
    parameters.forEach((parameter, at) => {
      this.bound.set(this.text(parameter), argumentSchemas[at] ?? {});
    });
    const schema = this.named(name, depth);
    for (const [parameter, schemaBefore] of before) {
      if (schemaBefore) this.bound.set(parameter, schemaBefore);
      else this.bound.delete(parameter);
    }
    return schema;
  }

  /** `RT.Postgresql` is a resource type, `wmill.Base64` a type of the client, `Color.Red` a member of an enum. `Row["id"]` is not resolved. */
  private qualified(type: SyntaxNode, depth: number): Schema {
    const text = this.text(type);
    // The parser interprets `readonly [string]` as an index of the type `readonly`.
    if (/^readonly\s*\[/.test(text)) {
      return {
        type: "array",
        items: createUnionSchema(
          children(type)
            .slice(1)
            .map((member) => this.schemaOf(member, depth + 1)),
        ),
      };
    }
    const [, base = "", name] = /^([\w$]+)\s*\.\s*([\w$]+)$/.exec(text) ?? [];
    if (!name || this.isForeign(base) || this.module.opaque.has(base)) return {};
    const members = this.module.enumOf(base);
    if (members) return enumSchema(new Map([[name, members.has(name) ? members.get(name) : NOT_LITERAL]]));
    return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? {}) : createResourceSchema(name);
  }
}

/** A name that is neither built in nor declared in the file is a resource type, written with a capital. A single letter is a type parameter. */
function resourceOf(name: string): Schema {
  return /^[A-Z]\w/.test(name) && !UNKNOWN.has(name) ? createResourceSchema(name) : {};
}

function enumSchema(members: Map<string, unknown>): Schema {
  return createEnumSchema([...members.values()].map((value) => (value === NOT_LITERAL ? undefined : value)));
}

/** Changes the fields of an object. Other types become any value. */
function withFields(schema: Schema, change: (field: Field) => Field[]): Schema {
  return schema.properties ? createObjectSchema(listFields(schema).flatMap(change)) : {};
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
  const fields = objects.flatMap(listFields);
  return createObjectSchema([...new Map(fields.map((field) => [field.name, field])).values()]);
}
