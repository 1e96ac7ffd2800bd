import type { SyntaxNode } from "@lezer/common";
import { parser } from "@lezer/javascript";
import type { Param, ParsedSignature } from "./parsed-signature.ts";
import { inferSchema } from "./schema.ts";
import { TypescriptTypes } from "./typescript-types.ts";
import { NOT_LITERAL, readLiteral, readStringText } from "./typescript-values.ts";

const typescript = parser.configure({ dialect: "ts" });
const typescriptJsx = parser.configure({ dialect: "ts jsx" });

/** Parses the parameters of `main` in a TypeScript script. */
export function parseTypescriptSignature(source: string): ParsedSignature {
  const found = read(typescript.parse(source).topNode, source);
  // `<T>x` is a cast in TypeScript and an element in TSX. The dialect in which `main` is found counts.
  return found.hasMain ? found : read(typescriptJsx.parse(source).topNode, source);
}

interface Callable {
  params: SyntaxNode | null;
  /** The statement whose preceding comment documents the function. */
  statement: SyntaxNode;
}

function read(root: SyntaxNode, source: string): ParsedSignature {
  const { exported, types } = declarations(root, source);
  const main = exported.get("main");
  const docs = main ? docComment(main.statement, source) : undefined;
  const signature: ParsedSignature = {
    ok: true,
    params: [],
    hasMain: main !== undefined,
    hasPreprocessor: exported.has("preprocessor"),
    preprocessorParams: plainNames(exported.get("preprocessor")?.params ?? null, source),
    variadic: false,
    destructured: false,
    paramTypes: {},
    ...(docs?.text && { docs: docs.text }),
  };
  if (main?.params) readParams(main.params, source, types, docs?.params ?? new Map(), signature);
  return signature;
}

/** Returns the names of the parameters, or `null` if one is a pattern or a rest parameter. */
function plainNames(list: SyntaxNode | null, source: string): string[] | null {
  const parts = list ? partsOf(list) : undefined;
  if (!parts?.every(({ target, rest }) => target.name === "VariableDefinition" && !rest)) return null;
  return parts.map(({ target }) => source.slice(target.from, target.to));
}

/** Functions by the name they are exported under. */
function declarations(root: SyntaxNode, source: string): { exported: Map<string, Callable>; types: TypescriptTypes } {
  const local = new Map<string, Callable>();
  const exported = new Map<string, Callable>();
  const types = new TypescriptTypes(source);
  const renamed: [local: string, exported: string][] = [];
  for (let statement = root.firstChild; statement; statement = statement.nextSibling) {
    const isExport = statement.name === "ExportDeclaration";
    if (isExport && statement.getChild("default")) continue;
    const declaration = isExport ? (statement.firstChild?.nextSibling ?? statement) : statement;
    for (const [name, callable] of callablesIn(declaration, statement, source)) {
      local.set(name, callable);
      if (isExport) exported.set(name, callable);
    }
    if (isExport && !statement.getChild("from")) renamed.push(...exportedNames(statement.getChild("ExportGroup"), source));
    types.declare(declaration);
  }
  for (const [name, as] of renamed) {
    const callable = local.get(name);
    if (callable) exported.set(as, callable);
  }
  return { exported, types };
}

function callablesIn(declaration: SyntaxNode, statement: SyntaxNode, source: string): [string, Callable][] {
  const text = (node: SyntaxNode) => source.slice(node.from, node.to);
  if (declaration.name === "FunctionDeclaration") {
    const name = declaration.getChild("VariableDefinition");
    // An overload has no body. The implementation has the parameters.
    return name && declaration.getChild("Block") ? [[text(name), { params: declaration.getChild("ParamList"), statement }]] : [];
  }
  if (declaration.name !== "VariableDeclaration") return [];
  const found: [string, Callable][] = [];
  let name = "";
  for (let child = declaration.firstChild; child; child = child.nextSibling) {
    if (child.name === "VariableDefinition") name = text(child);
    if (child.prevSibling?.name !== "Equals" || name === "") continue;
    const isFunction = child.name === "ArrowFunction" || child.name === "FunctionExpression";
    // The parameters of `main = wrap(async (a) => …)` are unknown, but it can be called.
    if (isFunction) found.push([name, { params: child.getChild("ParamList"), statement }]);
    else if (child.name === "CallExpression") found.push([name, { params: null, statement }]);
  }
  return found;
}

function exportedNames(group: SyntaxNode | null, source: string): [string, string][] {
  const pairs: [string, string][] = [];
  let renaming = false;
  for (let child = group?.firstChild; child; child = child.nextSibling) {
    const text = source.slice(child.from, child.to);
    const last = pairs.at(-1);
    if (child.name === "as") renaming = true;
    else if (child.name === ",") renaming = false;
    else if (child.name === "VariableName" && renaming && last) last[1] = text;
    else if (child.name === "VariableName") pairs.push([text, text]);
  }
  return pairs;
}

/** The nodes of one parameter. */
interface Parts {
  target: SyntaxNode;
  rest: boolean;
  optional: boolean;
  annotation: SyntaxNode | null;
  value: SyntaxNode | null;
}

function partsOf(list: SyntaxNode): Parts[] {
  const all: Parts[] = [];
  let rest = false;
  let current: Parts | undefined;
  for (let child = list.firstChild; child; child = child.nextSibling) {
    if (child.name === ",") {
      current = undefined;
      rest = false;
    } else if (child.name === "Spread") rest = true;
    else if (child.prevSibling?.name === "Equals" && current) current.value = child;
    else if (child.name === "Optional" && current) current.optional = true;
    else if (child.name === "TypeAnnotation" && current) current.annotation = child;
    else if (["VariableDefinition", "ObjectPattern", "ArrayPattern", "this"].includes(child.name) && !current) {
      current = { target: child, rest, optional: false, annotation: null, value: null };
      all.push(current);
    }
  }
  return all.filter(({ target }) => target.name !== "this");
}

function readParams(list: SyntaxNode, source: string, types: TypescriptTypes, docs: Map<string, string>, signature: ParsedSignature): void {
  const parts = partsOf(list);
  const [only] = parts;
  if (parts.length === 1 && only?.target.name === "ObjectPattern") {
    signature.destructured = true;
    signature.params = patternParams(only, source, types);
    return;
  }
  parts.forEach((part, at) => {
    const name = part.target.name === "VariableDefinition" ? source.slice(part.target.from, part.target.to) : `anon${at + 1}`;
    const type = types.annotated(part.annotation);
    const value = part.value ? readLiteral(part.value, source) : undefined;
    const known = part.value !== null && value !== NOT_LITERAL && value !== undefined;
    const doc = docs.get(name);
    signature.variadic ||= part.rest;
    if (type.wrapped) signature.paramTypes[name] = type.wrapped;
    signature.params.push({
      name,
      type: part.annotation || !known ? type.schema : inferSchema(value),
      hasDefault: part.value !== null,
      ...(known && { default: value }),
      required: !part.optional && !part.rest && part.value === null && !type.optional,
      ...(doc && { doc }),
    });
  });
}

/** The parameters of `main({ a, b = 2 }: { a: string; b?: number })` are the properties of the pattern, typed by the annotation. */
function patternParams(part: Parts, source: string, types: TypescriptTypes): Param[] {
  const declared = types.annotated(part.annotation).schema;
  return part.target.getChildren("PatternProperty").flatMap((property) => {
    const key = property.getChild("PropertyName") ?? property.getChild("VariableDefinition") ?? property.getChild("String");
    if (!key || property.getChild("Spread")) return [];
    const name = key.name === "String" ? readStringText(key, source) : source.slice(key.from, key.to);
    const valueNode = property.getChild("Equals")?.nextSibling;
    const value = valueNode ? readLiteral(valueNode, source) : undefined;
    const known = valueNode !== undefined && valueNode !== null && value !== NOT_LITERAL && value !== undefined;
    const type = declared.properties?.[name] ?? (known ? inferSchema(value) : {});
    const required = !valueNode && part.value === null && (declared.required ?? [name]).includes(name);
    return [{ name, type, hasDefault: Boolean(valueNode), ...(known && { default: value }), required }];
  });
}

/** Returns the JSDoc comment directly before a statement: its text and its `@param`s. */
function docComment(statement: SyntaxNode, source: string): { text: string; params: Map<string, string> } | undefined {
  const comment = statement.prevSibling;
  if (comment?.name !== "BlockComment") return;
  const raw = source.slice(comment.from, comment.to);
  if (!raw.startsWith("/**")) return;
  const body = raw.slice(3, -2).replace(/^[ \t]*\* ?/gm, "");
  const params = new Map<string, string>();
  for (const [, name = "", text = ""] of body.matchAll(/^[ \t]*@param[ \t]+(?:\{[^}\n]*\}[ \t]*)?\[?([\w$]+)\S*[ \t]*-?[ \t]*(.*)$/gm))
    params.set(name, text.trim());
  const end = body.search(/^[ \t]*@\w/m);
  return { text: (end === -1 ? body : body.slice(0, end)).trim(), params };
}
