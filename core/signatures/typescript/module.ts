import type { SyntaxNode } from "@lezer/common";
import { readEnum } from "./enums.ts";
import { NOT_LITERAL, readLiteral, readStringText, type TypescriptText } from "./values.ts";

/** The declarations at the top level of one TypeScript file. */
export class TypescriptModule implements TypescriptText {
  readonly source: string;
  /** Declarations of types by name. Several interfaces or enums of one name are one type. */
  readonly types = new Map<string, SyntaxNode[]>();
  /** Functions, and values of variables, by name, with the statement that declares them. */
  readonly values = new Map<string, { node: SyntaxNode; statement: SyntaxNode; isConstant: boolean; isTyped: boolean }>();
  /** Names of this file by the names under which it exports them. */
  readonly exported = new Map<string, string>();
  /** Modules by the names that are imported from them. */
  readonly imported = new Map<string, string>();
  /** Names of classes and namespaces, whose members are not read. */
  readonly opaque = new Set<string>();
  private readonly enums = new Map<string, Map<string, unknown> | undefined>();
  /** Values by their name and the depth at which they are read, so that names that refer to each other several times are read once. */
  private readonly constants = new Map<string, unknown>();

  constructor(root: SyntaxNode, source: string) {
    this.source = source;
    for (let statement = root.firstChild; statement; statement = statement.nextSibling) this.readStatement(statement);
  }

  text(node: SyntaxNode): string {
    return this.source.slice(node.from, node.to);
  }

  /** Returns the values of an enum by the names of its members, in their order. `undefined`: not an enum. An unknown value is `NOT_LITERAL`. */
  enumOf(name: string): Map<string, unknown> | undefined {
    if (!this.enums.has(name)) {
      // Breaks the cycle of two enums that refer to each other.
      this.enums.set(name, undefined);
      const declarations = (this.types.get(name) ?? []).filter((node) => node.name === "EnumDeclaration");
      const members = declarations.map((declaration) => readEnum(name, declaration, this));
      this.enums.set(name, members.length > 0 ? new Map(members.flatMap((one) => [...one])) : undefined);
    }
    return this.enums.get(name);
  }

  /** Returns the value of a constant, or of a member of an enum: `limit`, `Color.Red`, `Color["Red"]`. */
  resolve(node: SyntaxNode, depth: number): unknown {
    if (node.name === "VariableName") return this.constant(this.text(node), depth);
    const base = node.firstChild;
    const members = base?.name === "VariableName" ? this.enumOf(this.text(base)) : undefined;
    const property = node.getChild("PropertyName");
    const index = node.getChild("[")?.nextSibling;
    const name = property ? this.text(property) : index?.name === "String" ? readStringText(index, this.source) : undefined;
    return members && name !== undefined && members.has(name) ? members.get(name) : NOT_LITERAL;
  }

  private constant(name: string, depth: number): unknown {
    const key = `${name} ${depth}`;
    if (!this.constants.has(key)) {
      const declared = this.values.get(name);
      const value = declared?.isConstant ? readLiteral(declared.node, this, depth + 1) : NOT_LITERAL;
      // An object may have other members when `main` is called.
      this.constants.set(key, typeof value === "object" && value !== null ? NOT_LITERAL : value);
    }
    return this.constants.get(key);
  }

  private readStatement(statement: SyntaxNode): void {
    if (statement.name === "ImportDeclaration") this.readImport(statement);
    const isExport = statement.name === "ExportDeclaration";
    if (isExport && statement.getChild("default")) return;
    const declaration = isExport || statement.name === "AmbientDeclaration" ? (statement.firstChild?.nextSibling ?? statement) : statement;
    const names = this.readDeclaration(declaration, statement);
    if (isExport) for (const name of names) this.exported.set(name, name);
    if (isExport && !statement.getChild("from")) this.readExports(statement.getChild("ExportGroup"));
  }

  /** Returns the names that a declaration gives to values. */
  private readDeclaration(declaration: SyntaxNode, statement: SyntaxNode): string[] {
    const name = declaration.getChild("TypeDefinition") ?? declaration.getChild("VariableDefinition");
    switch (declaration.name) {
      case "AmbientDeclaration":
        return declaration.firstChild?.nextSibling ? this.readDeclaration(declaration.firstChild.nextSibling, statement) : [];
      case "TypeAliasDeclaration":
      case "InterfaceDeclaration":
      case "EnumDeclaration":
        if (name) this.declareType(this.text(name), declaration);
        return [];
      case "ClassDeclaration":
      case "NamespaceDeclaration":
        if (name) this.opaque.add(this.text(name));
        return [];
      case "FunctionDeclaration":
        // An overload has no body. The implementation has the parameters.
        if (!name || !declaration.getChild("Block")) return [];
        this.values.set(this.text(name), { node: declaration, statement, isConstant: false, isTyped: false });
        return [this.text(name)];
      case "VariableDeclaration":
        return this.readVariables(declaration, statement);
      default:
        return [];
    }
  }

  private declareType(name: string, declaration: SyntaxNode): void {
    const declarations = this.types.get(name);
    if (declarations) declarations.push(declaration);
    else this.types.set(name, [declaration]);
  }

  private readVariables(declaration: SyntaxNode, statement: SyntaxNode): string[] {
    const names: string[] = [];
    const isConstant = declaration.getChild("const") !== null;
    let [name, isTyped] = ["", false];
    for (let child = declaration.firstChild; child; child = child.nextSibling) {
      if (child.name === "VariableDefinition") [name, isTyped] = [this.text(child), false];
      if (child.name === "TypeAnnotation") isTyped = true;
      if (child.prevSibling?.name !== "Equals" || name === "") continue;
      this.values.set(name, { node: child, statement, isConstant, isTyped });
      names.push(name);
    }
    return names;
  }

  private readImport(statement: SyntaxNode): void {
    const source = statement.getChild("String");
    const from = source ? readStringText(source, this.source) : "";
    statement.cursor().iterate((node) => {
      if (node.name === "VariableDefinition") this.imported.set(this.text(node.node), from);
    });
  }

  private readExports(group: SyntaxNode | null): void {
    const pairs: [string, string][] = [];
    let renaming = false;
    for (let child = group?.firstChild; child; child = child.nextSibling) {
      const text = this.text(child);
      const last = pairs.at(-1);
      if (child.name === "as") renaming = true;
      else if (child.name === ",") renaming = false;
      else if (child.name === "VariableName" && renaming && last) last[1] = text;
      else if (child.name === "VariableName") pairs.push([text, text]);
    }
    for (const [local, name] of pairs) this.exported.set(name, local);
  }
}
