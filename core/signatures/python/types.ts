import type { SyntaxNode } from "@lezer/common";
import { python } from "../../builds/parsers/python.ts";
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
import type { PythonModule } from "./module.ts";
import { argumentsOf, bodyOf, membersOf, type PythonText } from "./syntax.ts";
import { NOT_LITERAL, readPythonLiteral, readPythonString } from "./values.ts";

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
  frozenset: { type: "array" },
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
const TRANSPARENT = new Set(["Annotated", "Required", "NotRequired", "Final", "ReadOnly"]);
/** Names of the language that are not resource types. */
const NOT_RESOURCES = new Set(["Callable", "Type", "type", "callable", "complex", "Generator", "Coroutine", "Awaitable", "self", "AnyStr"]);
/** Modules whose names may be resource types, in addition to undefined names. */
const CLIENTS = /^(wmill|svc)(\.|$)/;
/** Bases that add no fields. A class with another base may have fields that its own text does not show. */
const EMPTY_BASES = new Set(["object", "TypedDict", "NamedTuple", "BaseModel", "Protocol", "ABC", "Generic", "dict", "Dict"]);

/** Reads the annotations of one module. */
export class PythonTypes {
  private readonly module: PythonModule;
  /** Classes and aliases that contain the current type, so that a recursive type terminates. */
  private readonly open = new Set<string>();
  private read = 0;
  private searched = 0;
  private readonly totals = new WeakMap<SyntaxNode, boolean>();

  constructor(module: PythonModule) {
    this.module = module;
  }

  schemaOf(type: SyntaxNode, depth = 0, text: PythonText = this.module): Schema {
    if (depth > MAX_DEPTH || ++this.read > MAX_TYPES) return {};
    switch (type.name) {
      case "VariableName":
        return this.named(text.text(type), depth);
      case "None":
        return { type: "null" };
      case "ParenthesizedExpression": {
        const [inner] = membersOf(type);
        return inner ? this.schemaOf(inner, depth + 1, text) : {};
      }
      case "BinaryExpression":
        return text.text(type).includes("|")
          ? createUnionSchema(alternativesOf(type, depth).map((member) => this.schemaOf(member, depth + 1, text)))
          : {};
      case "String": {
        const quoted = this.quoted(type, text);
        return quoted ? this.schemaOf(quoted.type, depth + 1, quoted.text) : {};
      }
      case "MemberExpression":
        return this.member(type, depth, text);
      case "CallExpression":
        return this.call(type, depth, text);
      default:
        return {};
    }
  }

  /** Returns whether a type allows `None`, so that an argument may be absent. */
  allowsNone(type: SyntaxNode, depth = 0, text: PythonText = this.module): boolean {
    if (depth > MAX_DEPTH || ++this.searched > MAX_SEARCHED) return false;
    const allows = (node: SyntaxNode | undefined) => node !== undefined && this.allowsNone(node, depth + 1, text);
    switch (type.name) {
      case "None":
        return true;
      case "ParenthesizedExpression":
        return membersOf(type).some(allows);
      case "BinaryExpression":
        return alternativesOf(type, 0).some(allows);
      case "String": {
        const quoted = this.quoted(type, text);
        return quoted !== undefined && this.allowsNone(quoted.type, depth + 1, quoted.text);
      }
      case "VariableName": {
        const alias = this.module.assigned.get(text.text(type));
        return alias !== undefined && this.allowsNone(alias, depth + 1);
      }
      case "MemberExpression": {
        const { name, parameters } = parametersOf(type, text);
        if (name === "Optional") return true;
        if (name === "Union" || name === "Literal") return parameters.some(allows);
        return TRANSPARENT.has(name) && allows(parameters[0]);
      }
      default:
        return false;
    }
  }

  /** A forward reference is a type in quotes. */
  private quoted(type: SyntaxNode, text: PythonText): { type: SyntaxNode; text: PythonText } | undefined {
    const source = readPythonString(type, text);
    if (typeof source !== "string" || source.length > 1000) return;
    const expression = python.parse(source).topNode.firstChild?.firstChild;
    if (!expression) return;
    const { module } = this;
    const quotedText: PythonText = {
      text: (node) => source.slice(node.from, node.to),
      nameOf: (name) => module.nameOf(name),
      // The expressions of a type in quotes are not evaluated.
      resolve: () => NOT_LITERAL,
    };
    return { type: expression, text: quotedText };
  }

  private named(written: string, depth: number): Schema {
    if (this.open.has(written)) return {};
    const values = this.module.enumOf(written);
    this.read += values?.size ?? 0;
    if (values) return createEnumSchema([...values.values()].map((value) => (value === NOT_LITERAL ? undefined : value)));
    const definition = this.module.classes.get(written);
    const alias = this.module.assigned.get(written);
    if (definition || alias) {
      this.open.add(written);
      const schema = definition ? this.classSchema(definition, depth) : alias ? this.alias(written, alias, depth) : {};
      this.open.delete(written);
      return schema;
    }
    return this.builtIn(written);
  }

  private builtIn(written: string): Schema {
    const name = this.module.nameOf(written);
    if (Object.hasOwn(NAMED, name)) return NAMED[name] ?? {};
    if (LISTS.has(name)) return { type: "array" };
    if (DICTIONARIES.has(name)) return { type: "object" };
    // An undefined name is a resource type, in the style of a class or of a resource type such as `postgresql`.
    const isDefined = written.includes(".") || (this.module.sourceOf(written) !== undefined && !this.isOfClient(written));
    return !isDefined && /^[A-Z]\w|^[a-z]\w+$/.test(name) && !NOT_RESOURCES.has(name) ? createResourceSchema(name) : {};
  }

  private isOfClient(name: string): boolean {
    return CLIENTS.test(this.module.sourceOf(name) ?? "");
  }

  /** `postgresql = dict` defines a resource type. */
  private alias(name: string, value: SyntaxNode, depth: number): Schema {
    return ["dict", "Dict", "TypedDict"].includes(this.module.text(value)) ? createResourceSchema(name) : this.schemaOf(value, depth + 1);
  }

  private isTotal(definition: SyntaxNode): boolean {
    const cachedTotal = this.totals.get(definition);
    if (cachedTotal !== undefined) return cachedTotal;
    const args = argumentsOf(definition.getChild("ArgList"), this.module);
    const isTotal = !args.some(({ key, value }) => key === "total" && this.module.text(value) === "False");
    this.totals.set(definition, isTotal);
    return isTotal;
  }

  private classSchema(definition: SyntaxNode, depth: number): Schema {
    const { module } = this;
    if (++this.read > MAX_TYPES) return {};
    const isTotal = this.isTotal(definition);
    const ownFields = bodyOf(definition).flatMap((statement) => this.fieldOf(statement, isTotal, depth));
    const bases = module.basesOf(definition);
    const inherited = bases.flatMap((base) => {
      const parent = module.classes.get(base);
      return parent && depth < MAX_DEPTH ? listFields(this.classSchema(parent, depth + 1)) : [];
    });
    const fields = new Map([...inherited, ...ownFields].map((field) => [field.name, field]));
    if (fields.size > 0) return createObjectSchema([...fields.values()]);
    const isComplete = bases.every((base) => module.classes.has(base) || EMPTY_BASES.has(module.nameOf(base.replace(/\[.*/s, ""))));
    return isComplete ? { type: "object" } : {};
  }

  /** The field that an annotated assignment in a class defines. */
  private fieldOf(statement: SyntaxNode, isTotal: boolean, depth: number): Field[] {
    const { module } = this;
    const [name, definition] = [statement.firstChild, statement.getChild("TypeDef")];
    const annotation = definition ? membersOf(definition)[0] : undefined;
    if (statement.name !== "AssignStatement" || name?.name !== "VariableName" || !annotation) return [];
    const { name: outer } = annotation.name === "MemberExpression" ? parametersOf(annotation, module) : { name: module.text(annotation) };
    if (module.nameOf(outer) === "ClassVar") return [];
    const value = statement.getChild("AssignOp")?.nextSibling;
    const factory = value?.name === "CallExpression" && value.firstChild ? module.nameOf(module.text(value.firstChild)) : "";
    const options = factory.toLowerCase() === "field" && value ? argumentsOf(value.getChild("ArgList"), module) : undefined;
    if (options?.some(({ key, value: option }) => key === "init" && module.text(option) === "False")) return [];
    const hasDefault = options
      ? options.some(({ key, value: option }) => /^default(_factory)?$/.test(key ?? "default") && module.text(option) !== "...")
      : Boolean(value);
    const optional = outer === "Required" ? false : hasDefault || outer === "NotRequired" || !isTotal;
    return [{ name: module.text(name), schema: this.schemaOf(annotation, depth + 1), optional }];
  }

  /** `datetime.datetime`, `Literal["a", "b"]`, `list[int]`, `Optional[str]`. */
  private member(type: SyntaxNode, depth: number, text: PythonText): Schema {
    const base = type.firstChild;
    if (!type.getChild("[") || !base) return this.builtIn(text.text(type));
    const { name, parameters } = parametersOf(type, text);
    const inner = (node: SyntaxNode | undefined) => (node ? this.schemaOf(node, depth + 1, text) : {});
    if (name === "Literal") return createUnionSchema(parameters.map((value) => this.literal(value, depth, text)));
    if (name === "Optional") return createUnionSchema([inner(parameters[0]), { type: "null" }]);
    if (name === "Union") return createUnionSchema(parameters.map(inner));
    if (LISTS.has(name)) {
      const members = parameters.filter((member) => member.name !== "Ellipsis").map(inner);
      return { type: "array", items: createUnionSchema(members) };
    }
    if (DICTIONARIES.has(name)) return parameters[1] ? { type: "object", additionalProperties: inner(parameters[1]) } : { type: "object" };
    return TRANSPARENT.has(name) ? inner(parameters[0]) : this.schemaOf(base, depth + 1, text);
  }

  private literal(node: SyntaxNode, depth: number, text: PythonText): Schema {
    const isNested = node.name === "MemberExpression" && node.getChild("[") !== null;
    if (isNested) return this.schemaOf(node, depth + 1, text);
    const value = readPythonLiteral(node, text);
    return value === null ? { type: "null" } : value === NOT_LITERAL ? {} : createEnumSchema([value]);
  }

  /** `TypedDict("Row", {"id": int})` and `NewType("Id", int)`. */
  private call(type: SyntaxNode, depth: number, text: PythonText): Schema {
    const callee = type.firstChild ? text.nameOf(text.text(type.firstChild)) : "";
    const [, second, ...options] = argumentsOf(type.getChild("ArgList"), text);
    if (callee === "NewType" && second) return this.schemaOf(second.value, depth + 1, text);
    if (callee !== "TypedDict" || second?.value.name !== "DictionaryExpression") return {};
    const isTotal = !options.some(({ key, value }) => key === "total" && text.text(value) === "False");
    const fields: Field[] = [];
    const parts = membersOf(second.value);
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const [key, value] = [parts[at], parts[at + 1]];
      const name = key?.name === "String" ? readPythonString(key, text) : undefined;
      if (!value || typeof name !== "string") continue;
      const outer = value.name === "MemberExpression" ? parametersOf(value, text).name : "";
      const optional = outer === "Required" ? false : outer === "NotRequired" || !isTotal;
      fields.push({ name, schema: this.schemaOf(value, depth + 1, text), optional });
    }
    return createObjectSchema(fields);
  }
}

/** Returns the name of a generic type and the types between its brackets. */
function parametersOf(type: SyntaxNode, text: PythonText): { name: string; parameters: SyntaxNode[] } {
  const parameters: SyntaxNode[] = [];
  for (let child = type.getChild("[")?.nextSibling; child && child.name !== "]"; child = child.nextSibling)
    if (child.name !== "," && child.name !== "Comment") parameters.push(child);
  return { name: type.firstChild ? text.nameOf(text.text(type.firstChild)) : "", parameters };
}

/** Returns the types of `a | b | c`. */
function alternativesOf(type: SyntaxNode, depth: number): SyntaxNode[] {
  const { firstChild: left, lastChild: right } = type;
  if (type.name !== "BinaryExpression" || !left || !right || depth > MAX_DEPTH * 4) return [type];
  return [...alternativesOf(left, depth + 1), right];
}
