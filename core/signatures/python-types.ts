import type { SyntaxNode } from "@lezer/common";
import { parser } from "@lezer/python";
import { NOT_LITERAL, readPythonLiteral, readPythonString } from "./python-values.ts";
import { createObjectSchema, createResourceSchema, createUnionSchema, type Field, MAX_DEPTH, MAX_TYPES, type Schema } from "./schema.ts";

const NAMED: Record<string, Schema> = {
  str: { type: "string" },
  int: { type: "integer" },
  float: { type: "number" },
  bool: { type: "boolean" },
  bytes: { type: "string", contentEncoding: "base64" },
  bytearray: { type: "string", contentEncoding: "base64" },
  dict: { type: "object" },
  Dict: { type: "object" },
  Mapping: { type: "object" },
  list: { type: "array" },
  List: { type: "array" },
  tuple: { type: "array" },
  set: { type: "array" },
  datetime: { type: "string", format: "date-time" },
  date: { type: "string", format: "date" },
  time: { type: "string", format: "time" },
  Decimal: { type: "number" },
  UUID: { type: "string", format: "uuid" },
  None: { type: "null" },
  Any: {},
  object: {},
};
const LISTS = new Set(["list", "List", "tuple", "Tuple", "set", "Set", "frozenset", "FrozenSet", "Sequence", "Iterable", "Collection"]);
const DICTIONARIES = new Set(["dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict"]);
const TRANSPARENT = new Set(["Annotated", "Required", "NotRequired", "Final", "ReadOnly", "ClassVar"]);

/** Reads the annotations of one module, with its classes and aliases. */
export class PythonTypes {
  private readonly classes = new Map<string, SyntaxNode>();
  private readonly aliases = new Map<string, SyntaxNode>();
  private readonly source: string;
  private read = 0;

  constructor(root: SyntaxNode, source: string) {
    this.source = source;
    for (let statement = root.firstChild; statement; statement = statement.nextSibling) {
      const definition = statement.name === "DecoratedStatement" ? (statement.getChild("ClassDefinition") ?? statement) : statement;
      const [name, , value] = [definition.getChild("VariableName"), null, definition.lastChild];
      if (!name || !value) continue;
      if (definition.name === "ClassDefinition") this.classes.set(this.text(name), definition);
      else if (definition.name === "AssignStatement" && definition.firstChild?.name === "VariableName")
        this.aliases.set(this.text(name), value);
      else if (definition.name === "TypeDefinition" && value !== name) this.aliases.set(this.text(name), value);
    }
  }

  schemaOf(type: SyntaxNode, depth: number): Schema {
    if (depth > MAX_DEPTH || ++this.read > MAX_TYPES) return {};
    switch (type.name) {
      case "VariableName":
        return this.named(this.text(type), depth);
      case "None":
        return { type: "null" };
      case "ParenthesizedExpression":
        return type.firstChild?.nextSibling ? this.schemaOf(type.firstChild.nextSibling, depth + 1) : {};
      case "BinaryExpression":
        return this.text(type).includes("|")
          ? createUnionSchema(this.membersOf(type, depth).map((member) => this.schemaOf(member, depth + 1)))
          : {};
      case "String":
        return this.quoted(type, depth);
      case "MemberExpression":
        return this.member(type, depth);
      case "CallExpression":
        return this.call(type, depth);
      default:
        return {};
    }
  }

  private text(node: SyntaxNode): string {
    return this.source.slice(node.from, node.to);
  }

  private membersOf(type: SyntaxNode, depth: number): SyntaxNode[] {
    const { firstChild: left, lastChild: right } = type;
    if (type.name !== "BinaryExpression" || !left || !right || depth > MAX_DEPTH * 4) return [type];
    return [...this.membersOf(left, depth + 1), right];
  }

  /** A forward reference is a type in quotes. */
  private quoted(type: SyntaxNode, depth: number): Schema {
    const text = readPythonString(type, this.source);
    if (typeof text !== "string" || text.length > 1000) return {};
    const expression = parser.parse(text).topNode.firstChild?.firstChild;
    if (!expression) return {};
    // Names of this module are valid in quotes. The parsed nodes belong to another text, so only names are looked up.
    if (expression.name === "VariableName") return this.named(text.trim(), depth + 1);
    return depth < MAX_DEPTH ? new PythonTypes(parser.parse("").topNode, text).schemaOf(expression, depth + 1) : {};
  }

  private named(name: string, depth: number): Schema {
    const definition = this.classes.get(name);
    if (definition) return this.classSchema(definition, depth);
    const alias = this.aliases.get(name);
    if (alias) return this.alias(name, alias, depth);
    if (Object.hasOwn(NAMED, name)) return NAMED[name] ?? {};
    if (LISTS.has(name)) return { type: "array" };
    if (DICTIONARIES.has(name)) return { type: "object" };
    // An unknown name is a resource type, in the style of a class or of a resource type such as `postgresql`.
    return /^[A-Z]\w|^[a-z]\w+$/.test(name) && !NOT_RESOURCES.has(name) ? createResourceSchema(name) : {};
  }

  /** `postgresql = dict` defines a resource type. */
  private alias(name: string, value: SyntaxNode, depth: number): Schema {
    return ["dict", "Dict", "TypedDict"].includes(this.text(value)) ? createResourceSchema(name) : this.schemaOf(value, depth + 1);
  }

  private classSchema(definition: SyntaxNode, depth: number): Schema {
    const bases = definition.getChild("ArgList");
    const baseNames = bases ? this.text(bases) : "";
    const body = definition.getChild("Body");
    const assignments = body?.getChildren("AssignStatement") ?? [];
    if (/\b(Str|Int)?Enum\b/.test(baseNames)) return enumOf(assignments.map((assignment) => this.assigned(assignment)));
    const allOptional = /\btotal\s*=\s*False\b/.test(baseNames);
    const fields = assignments.flatMap((assignment): Field[] => {
      const name = assignment.firstChild;
      const annotation = assignment.getChild("TypeDef")?.firstChild?.nextSibling;
      if (name?.name !== "VariableName" || !annotation) return [];
      const optional = allOptional || assignment.getChild("AssignOp") !== null || /^(\w+\.)?NotRequired\b/.test(this.text(annotation));
      return [{ name: this.text(name), schema: this.schemaOf(annotation, depth + 1), optional }];
    });
    // A class with fields is described by its fields, even if its name is a resource type.
    const inherited = (bases?.getChildren("VariableName") ?? []).flatMap((base) => {
      const parent = this.classes.get(this.text(base));
      return parent && depth < MAX_DEPTH ? fieldsOf(this.classSchema(parent, depth + 1)) : [];
    });
    return fields.length + inherited.length > 0 ? createObjectSchema([...inherited, ...fields]) : { type: "object" };
  }

  private assigned(assignment: SyntaxNode): unknown {
    const value = assignment.getChild("AssignOp")?.nextSibling;
    return value ? readPythonLiteral(value, this.source) : NOT_LITERAL;
  }

  /** `datetime.datetime`, `Literal["a", "b"]`, `list[int]`, `Optional[str]`. */
  private member(type: SyntaxNode, depth: number): Schema {
    const base = type.firstChild;
    const bracket = type.getChild("[");
    if (!bracket || !base) return this.named(/\.(\w+)$/.exec(this.text(type))?.[1] ?? "", depth);
    const name = this.text(base).replace(/^.*\./, "");
    const given: SyntaxNode[] = [];
    for (let child = bracket.nextSibling; child && child.name !== "]"; child = child.nextSibling) if (child.name !== ",") given.push(child);
    const [first, second] = given;
    const inner = (node: SyntaxNode | undefined) => (node ? this.schemaOf(node, depth + 1) : {});
    if (name === "Literal") return enumOf(given.map((node) => readPythonLiteral(node, this.source)));
    if (name === "Optional") return createUnionSchema([inner(first), { type: "null" }]);
    if (name === "Union") return createUnionSchema(given.map(inner));
    if (LISTS.has(name)) return { type: "array", items: inner(first) };
    if (DICTIONARIES.has(name)) return second ? { type: "object", additionalProperties: inner(second) } : { type: "object" };
    return TRANSPARENT.has(name) ? inner(first) : this.schemaOf(base, depth + 1);
  }

  /** `TypedDict("Row", {"id": int})` */
  private call(type: SyntaxNode, depth: number): Schema {
    const dictionary = /^(\w+\.)?TypedDict\b/.test(this.text(type)) ? type.getChild("ArgList")?.getChild("DictionaryExpression") : null;
    const fields: Field[] = [];
    for (let key = dictionary?.firstChild; key; key = key.nextSibling) {
      const value = key.nextSibling?.name === ":" ? key.nextSibling.nextSibling : null;
      const name = key.name === "String" ? readPythonString(key, this.source) : undefined;
      if (value && typeof name === "string") fields.push({ name, schema: this.schemaOf(value, depth + 1), optional: false });
    }
    return dictionary ? createObjectSchema(fields) : {};
  }
}

const NOT_RESOURCES = new Set(["Callable", "Type", "type", "callable", "complex", "Generator", "Coroutine", "Awaitable", "self"]);

function enumOf(values: unknown[]): Schema {
  const known = values.filter((value) => value !== NOT_LITERAL);
  const kinds = new Set(known.map((value) => typeof value));
  const [kind] = kinds;
  if (kinds.size !== 1) return known.length > 0 ? { enum: known } : {};
  return kind === "string" || kind === "number" ? { type: kind, enum: known } : kind === "boolean" ? { type: "boolean" } : {};
}

function fieldsOf({ properties = {}, required = [], order = [] }: Schema): Field[] {
  return order.map((name) => ({ name, schema: properties[name] ?? {}, optional: !required.includes(name) }));
}
