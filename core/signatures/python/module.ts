import type { SyntaxNode } from "@lezer/common";
import { MAX_DEPTH } from "../schema.ts";
import { readEnumClass, readEnumMembers } from "./enums.ts";
import { argumentsOf, bodyOf, childrenOf, type PythonText, readAssignments } from "./syntax.ts";
import { NOT_LITERAL, readPythonLiteral } from "./values.ts";

/** The source of an imported name: `from typing import Optional as Opt` is `{ from: "typing", name: "Optional" }`. */
interface Imported {
  from: string;
  name: string;
}

/** Bases whose subclasses are enums. */
const ENUM_BASES = new Set(["Enum", "IntEnum", "StrEnum", "ReprEnum", "Flag", "IntFlag"]);

/** Conditions whose bodies only type checkers and programs on a command line run. */
const NEVER_RUNS = /^((typing\.)?TYPE_CHECKING|__name__\s*==\s*["']__main__["'])$/;

/** The definitions at the top level of one Python module. If several have the same name, the last one counts, as in Python. */
export class PythonModule implements PythonText {
  readonly source: string;
  readonly classes = new Map<string, SyntaxNode>();
  readonly functions = new Map<string, SyntaxNode>();
  /** Values by the name to which they are assigned. */
  readonly assigned = new Map<string, SyntaxNode>();
  private readonly imports = new Map<string, Imported>();
  /** Names of functions whose definition is known only at run time. */
  private readonly ambiguous = new Set<string>();
  /** Names whose value changes, so that their first value is not the one of a default. */
  private readonly changing = new Set<string>();
  private readonly enums = new Map<string, Map<string, unknown> | undefined>();
  /** The first member of each value, for enums of which all values are known. */
  private readonly membersByValue = new WeakMap<Map<string, unknown>, Map<unknown, string> | undefined>();
  /** Values by their name and the depth at which they are read, so that names that refer to each other several times are read once. */
  private readonly constants = new Map<string, unknown>();
  private readonly enumClasses = new Map<string, boolean>();
  private readonly bases = new WeakMap<SyntaxNode, readonly string[]>();

  constructor(root: SyntaxNode, source: string) {
    this.source = source;
    for (const statement of childrenOf(root)) this.register(statement);
  }

  text(node: SyntaxNode): string {
    return this.source.slice(node.from, node.to);
  }

  /** Returns the name that an imported name has in its module, or the name itself. Dots before the last part are dropped: `t.Optional` is `Optional`. */
  nameOf(text: string): string {
    const name = text.replace(/^.*\./s, "");
    return text === name ? (this.imports.get(name)?.name ?? name) : name;
  }

  /** Returns the definition of a function, unless several are possible. */
  functionOf(name: string): SyntaxNode | undefined {
    return this.ambiguous.has(name) ? undefined : this.functions.get(name);
  }

  /** Returns the value of a name, unless it may be a function that is defined elsewhere. */
  assignedTo(name: string): SyntaxNode | undefined {
    return this.ambiguous.has(name) ? undefined : this.assigned.get(name);
  }

  /** Returns whether a name may be a function that the source does not show. */
  mayDefine(name: string): boolean {
    return this.ambiguous.has(name) || this.assigned.has(name);
  }

  /** Returns the module from which a name is imported. */
  sourceOf(name: string): string | undefined {
    return this.imports.get(name)?.from;
  }

  /** Returns the values of an enum by the names of its members, in their order. `undefined`: not an enum. An unknown value is `NOT_LITERAL`. */
  enumOf(name: string): Map<string, unknown> | undefined {
    if (!this.enums.has(name)) {
      // Breaks the cycle of an enum whose members refer to itself.
      this.enums.set(name, undefined);
      const definition = this.classes.get(name);
      const call = this.assigned.get(name);
      const members = definition ? this.enumOfClass(definition) : call?.name === "CallExpression" ? this.enumOfCall(call) : undefined;
      this.enums.set(name, members);
    }
    return this.enums.get(name);
  }

  /** Returns the names of the bases of a class, each once. */
  basesOf(definition: SyntaxNode): readonly string[] {
    const cachedBases = this.bases.get(definition);
    if (cachedBases) return cachedBases;
    const args = argumentsOf(definition.getChild("ArgList"), this);
    const bases = [...new Set(args.flatMap(({ key, value }) => (key === undefined ? [this.text(value)] : [])))];
    this.bases.set(definition, bases);
    return bases;
  }

  /** Returns the value of a constant, or of a member of an enum: `LIMIT`, `Color.RED`, `Color.RED.value`, `Color("red")`, `Color["RED"]`. */
  resolve(node: SyntaxNode, depth: number): unknown {
    if (depth > MAX_DEPTH) return NOT_LITERAL;
    if (node.name === "VariableName") return this.constant(this.text(node), depth);
    const base = node.firstChild;
    if (base?.name === "MemberExpression" && node.name === "MemberExpression") {
      const property = node.lastChild ? this.text(node.lastChild) : "";
      const member = this.memberOf(base);
      if (!member) return NOT_LITERAL;
      return property === "value" ? member.value : property === "name" ? member.name : NOT_LITERAL;
    }
    return this.memberOf(node)?.value ?? NOT_LITERAL;
  }

  private memberOf(node: SyntaxNode): { name: string; value: unknown } | undefined {
    const base = node.firstChild;
    const members = base?.name === "VariableName" ? this.enumOf(this.text(base)) : undefined;
    const byValue = members && this.namesByValue(members);
    if (!byValue) return;
    if (node.name === "CallExpression") {
      const [first] = argumentsOf(node.getChild("ArgList"), this);
      const value = first ? readPythonLiteral(first.value, this) : NOT_LITERAL;
      const name = byValue.get(value);
      return name === undefined ? undefined : { name, value };
    }
    if (node.name !== "MemberExpression") return;
    const index = node.getChild("[")?.nextSibling;
    const property = node.getChild("PropertyName");
    const name = index ? readPythonLiteral(index, this) : property ? this.text(property) : undefined;
    return typeof name === "string" && members.has(name) ? { name, value: members.get(name) } : undefined;
  }

  /** Returns `undefined` for an enum with a member whose value is unknown. */
  private namesByValue(members: Map<string, unknown>): Map<unknown, string> | undefined {
    if (!this.membersByValue.has(members)) {
      const names = new Map<unknown, string>();
      for (const [name, value] of members) if (!names.has(value)) names.set(value, name);
      this.membersByValue.set(members, names.has(NOT_LITERAL) ? undefined : names);
    }
    return this.membersByValue.get(members);
  }

  private constant(name: string, depth: number): unknown {
    const key = `${name} ${depth}`;
    if (!this.constants.has(key)) {
      const value = this.changing.has(name) ? undefined : this.assigned.get(name);
      const read = value ? readPythonLiteral(value, this, depth + 1) : NOT_LITERAL;
      // A list or a dictionary may have other members when `main` is defined.
      this.constants.set(key, typeof read === "object" && read !== null ? NOT_LITERAL : read);
    }
    return this.constants.get(key);
  }

  private register(statement: SyntaxNode): void {
    const definition =
      statement.name === "DecoratedStatement"
        ? (statement.getChild("FunctionDefinition") ?? statement.getChild("ClassDefinition") ?? statement)
        : statement;
    const name = definition.getChild("VariableName");
    switch (definition.name) {
      case "StatementGroup":
        for (const inner of childrenOf(definition)) this.register(inner);
        break;
      case "ImportStatement":
        this.readImport(definition);
        break;
      case "FunctionDefinition":
        if (name) this.define(this.text(name), this.functions, definition);
        break;
      case "ClassDefinition":
        if (name) this.define(this.text(name), this.classes, definition);
        break;
      case "TypeDefinition":
        if (name && definition.lastChild && definition.lastChild !== name)
          this.define(this.text(name), this.assigned, definition.lastChild);
        break;
      case "AssignStatement":
        for (const { target, value } of readAssignments(definition)) {
          if (target.name !== "VariableName" || !value) continue;
          const assigned = this.text(target);
          if (this.assigned.has(assigned)) this.changing.add(assigned);
          this.define(assigned, this.assigned, value);
        }
        break;
      case "UpdateStatement":
        if (name) this.changing.add(this.text(name));
        break;
      case "WithStatement":
        for (const inner of bodyOf(definition)) this.register(inner);
        break;
      default:
        this.registerConditional(definition);
    }
  }

  /** A name that a condition, a loop or `try` assigns has several possible values. */
  private registerConditional(statement: SyntaxNode): void {
    statement.cursor().iterate(({ name, node }) => {
      switch (name) {
        case "FunctionDefinition":
          this.defineConditionally(node);
          return false;
        case "ClassDefinition": {
          // The source does not show the class of its fields.
          const defined = node.getChild("VariableName");
          if (defined && !this.classes.has(this.text(defined)))
            this.imports.set(this.text(defined), { from: ".", name: this.text(defined) });
          return false;
        }
        case "ImportStatement":
          this.readImport(node);
          return false;
        case "AssignStatement":
          for (const { target } of readAssignments(node)) {
            if (target.name !== "VariableName") continue;
            this.changing.add(this.text(target));
            if (this.functions.has(this.text(target))) this.ambiguous.add(this.text(target));
          }
          return;
        case "Body":
          // The body of a condition that is false at run time.
          return NEVER_RUNS.test(this.text(node.prevSibling ?? node)) ? this.readImports(node) : undefined;
      }
      return;
    });
  }

  private readImports(body: SyntaxNode): false {
    for (const statement of body.getChildren("ImportStatement")) this.readImport(statement);
    return false;
  }

  /** The first definition counts if the others have the same parameters. */
  private defineConditionally(definition: SyntaxNode): void {
    const name = this.text(definition.getChild("VariableName") ?? definition);
    const earlierDefinition = this.functions.get(name);
    const parametersOf = (node: SyntaxNode | undefined) => node && this.text(node.getChild("ParamList") ?? node);
    if (!earlierDefinition && !this.assigned.has(name)) this.define(name, this.functions, definition);
    else if (parametersOf(earlierDefinition) !== parametersOf(definition)) this.ambiguous.add(name);
  }

  private define(name: string, kind: Map<string, SyntaxNode>, definition: SyntaxNode): void {
    for (const definitions of [this.classes, this.functions, this.assigned]) definitions.delete(name);
    this.ambiguous.delete(name);
    kind.set(name, definition);
  }

  private readImport(statement: SyntaxNode): void {
    // With single spaces, the pattern can match in only one way.
    const text = this.text(statement)
      .replace(/#.*|[\\()]/g, " ")
      .replace(/\s+/g, " ");
    const [, from = "", names = ""] = /^from ([.\w ]+?) import (.*)$/.exec(text) ?? [];
    for (const [, name = "", as] of names.matchAll(/(\w+)(?:\s+as\s+(\w+))?/g)) this.imports.set(as ?? name, { from, name });
  }

  private isEnum(baseText: string, depth = 0): boolean {
    const definition = this.classes.get(baseText);
    if (!definition) return ENUM_BASES.has(this.nameOf(baseText));
    const cachedResult = this.enumClasses.get(baseText);
    if (cachedResult !== undefined || depth > MAX_DEPTH) return cachedResult ?? false;
    // Breaks the cycle of a class that inherits from itself.
    this.enumClasses.set(baseText, false);
    const found = this.basesOf(definition).some((base) => this.isEnum(base, depth + 1));
    this.enumClasses.set(baseText, found);
    return found;
  }

  private enumOfClass(definition: SyntaxNode): Map<string, unknown> | undefined {
    const bases = this.basesOf(definition);
    if (!bases.some((base) => this.isEnum(base))) return;
    const ancestors = new Set<SyntaxNode>();
    const roots = new Set<string>();
    const collect = (names: readonly string[], depth: number) => {
      for (const base of names) {
        const parent = this.classes.get(base);
        if (!parent) roots.add(this.nameOf(base));
        else if (depth < MAX_DEPTH && !ancestors.has(parent)) {
          ancestors.add(parent);
          collect(this.basesOf(parent), depth + 1);
        }
      }
    };
    collect(bases, 0);
    return readEnumClass(definition, [...ancestors], [...roots], this);
  }

  private enumOfCall(call: SyntaxNode): Map<string, unknown> | undefined {
    const callee = call.firstChild ? this.nameOf(this.text(call.firstChild)) : "";
    return ENUM_BASES.has(callee) ? readEnumMembers(callee, argumentsOf(call.getChild("ArgList"), this), this) : undefined;
  }
}
