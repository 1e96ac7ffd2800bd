import type { SyntaxNode } from "@lezer/common";
import { python } from "../../builds/parsers/python.ts";
import type { Param, ParsedSignature } from "../parsed-signature.ts";
import { inferSchema, MAX_DEPTH, type Schema } from "../schema.ts";
import { PythonModule } from "./module.ts";
import { argumentsOf, membersOf } from "./syntax.ts";
import { PythonTypes } from "./types.ts";
import { isPythonInteger, NOT_LITERAL, readPythonLiteral, readPythonString } from "./values.ts";

/** Parses the parameters of `main` in a Python script. */
export function parsePythonSignature(source: string): ParsedSignature {
  const module = new PythonModule(python.parse(source).topNode, source);
  const types = new PythonTypes(module);
  const main = findCallable(module, "main");
  const docs = main?.documented ? docstring(main.documented, module) : "";
  const { params, variadic } = main ? readCallable(main, types, module, paramDocs(docs)) : { params: [], variadic: false };
  const preprocessor = findCallable(module, "preprocessor");
  const before = preprocessor && readCallable(preprocessor, types, module, new Map());
  return {
    ok: true,
    params,
    hasMain: main !== undefined,
    // A value that is known only at run time may be a function.
    hasPreprocessor: preprocessor !== undefined || module.mayDefine("preprocessor"),
    preprocessorParams: before && !before.variadic ? before.params.map(({ name }) => name) : null,
    variadic,
    destructured: false,
    paramTypes: {},
    ...(docs && { docs }),
  };
}

/** A function whose parameters the source shows. */
interface Callable {
  list: SyntaxNode | null;
  documented: SyntaxNode | undefined;
  /** The number of positional arguments that `functools.partial` supplies, and its keyword arguments. */
  supplied: number;
  keywords: Map<string, SyntaxNode>;
}

/**
 * Finds a function under a name: a definition, a lambda, another name of a function, or what a call returns that receives one function, as in
 * `main = functools.partial(run, 1)` and `main = retry(run)`. Wrappers pass their arguments on.
 */
function findCallable(module: PythonModule, name: string, depth = 0, callables: KnownCallables = new Map()): Callable | undefined {
  const definition = module.functionOf(name);
  if (definition) return { list: definition.getChild("ParamList"), documented: definition, supplied: 0, keywords: new Map() };
  const value = module.assignedTo(name);
  if (!value || depth >= MAX_DEPTH) return undefined;
  if (!callables.has(name)) {
    // Breaks the cycle of a name that refers to itself.
    callables.set(name, undefined);
    callables.set(name, callableOf(value, module, depth, callables));
  }
  return callables.get(name);
}

/** The functions of names that were already resolved, because several calls may receive the same function. */
type KnownCallables = Map<string, Callable | undefined>;

function callableOf(value: SyntaxNode, module: PythonModule, depth: number, callables: KnownCallables): Callable | undefined {
  if (depth > MAX_DEPTH) return;
  if (value.name === "LambdaExpression")
    return { list: value.getChild("ParamList"), documented: undefined, supplied: 0, keywords: new Map() };
  if (value.name === "VariableName") return findCallable(module, module.text(value), depth + 1, callables);
  if (value.name !== "CallExpression" || !value.firstChild) return;
  const args = argumentsOf(value.getChild("ArgList"), module);
  const inner = args.flatMap(({ key, value: argument }) =>
    key === undefined ? (callableOf(argument, module, depth + 1, callables) ?? []) : [],
  );
  const [only] = inner;
  if (!only || inner.length > 1) return;
  if (module.nameOf(module.text(value.firstChild)) !== "partial") return only;
  const positional = args.filter(({ key }) => key === undefined);
  if (args.some(({ spread }) => spread) || positional[0]?.value.name === "CallExpression") return;
  const keywords = args.flatMap(({ key, value: argument }): [string, SyntaxNode][] => (key === undefined ? [] : [[key, argument]]));
  return { ...only, supplied: only.supplied + positional.length - 1, keywords: new Map([...only.keywords, ...keywords]) };
}

function readCallable(
  { list, supplied, keywords }: Callable,
  types: PythonTypes,
  module: PythonModule,
  docs: Map<string, string>,
): { params: Param[]; variadic: boolean } {
  const { params, variadic } = readParams(list, types, module, docs);
  const free = params.slice(supplied).map((param): Param => {
    const node = keywords.get(param.name);
    if (!node) return param;
    const { default: _, ...rest } = param;
    const value = readPythonLiteral(node, module);
    return { ...rest, hasDefault: true, ...(value !== NOT_LITERAL && { default: value }), required: false };
  });
  return { params: free, variadic };
}

function readParams(
  list: SyntaxNode | null,
  types: PythonTypes,
  module: PythonModule,
  docs: Map<string, string>,
): { params: Param[]; variadic: boolean } {
  const params: Param[] = [];
  let stars = "";
  let variadic = false;
  for (let child = list?.firstChild; child; child = child.nextSibling) {
    if (child.name === "*" || child.name === "**") stars = child.name;
    else if (child.name === ",") stars = "";
    // A default may be a name too.
    if (child.name !== "VariableName" || child.prevSibling?.name === "AssignOp") continue;
    // `*args` receives no argument by name. `**kwargs` receives all arguments without a parameter.
    variadic ||= stars === "**";
    if (stars === "") params.push(readParam(child, types, module, docs));
  }
  return { params, variadic };
}

function readParam(nameNode: SyntaxNode, types: PythonTypes, module: PythonModule, docs: Map<string, string>): Param {
  const name = module.text(nameNode);
  let next = nameNode.nextSibling;
  const annotation = next?.name === "TypeDef" ? membersOf(next)[0] : undefined;
  if (next?.name === "TypeDef") next = next.nextSibling;
  const hasDefault = next?.name === "AssignOp";
  const valueNode = hasDefault ? next?.nextSibling : undefined;
  const value = valueNode ? readPythonLiteral(valueNode, module) : NOT_LITERAL;
  const isLiteral = value !== NOT_LITERAL;
  const inferred = isLiteral && valueNode ? schemaOfPython(value, module.text(valueNode)) : {};
  const type = annotation ? types.schemaOf(annotation) : inferred;
  const doc = docs.get(name);
  const required = !hasDefault && !(annotation && types.allowsNone(annotation));
  return { name, type, hasDefault, ...(isLiteral && { default: value }), required, ...(doc && { doc }) };
}

/** Returns the schema of a default. */
function schemaOfPython(value: unknown, text: string): Schema {
  return typeof value === "number" && isPythonInteger(text) ? { type: "integer" } : inferSchema(value);
}

function docstring(definition: SyntaxNode, module: PythonModule): string {
  const first = definition.getChild("Body")?.firstChild?.nextSibling;
  const text = first?.name === "ExpressionStatement" ? first.firstChild : null;
  if (text?.name !== "String" && text?.name !== "ContinuedString") return "";
  const value = readPythonString(text, module);
  return typeof value === "string" ? withoutIndent(value) : "";
}

function withoutIndent(text: string): string {
  const [first = "", ...rest] = text.trim().split("\n");
  const indents = rest.filter((line) => line.trim()).map((line) => line.length - line.trimStart().length);
  const indent = indents.reduce((least, width) => Math.min(least, width), Number.POSITIVE_INFINITY);
  return [first, ...rest.map((line) => line.slice(indent))].join("\n");
}

/** `name: text` and `name (type): text` below `Args:`, and `:param name: text`. */
function paramDocs(docs: string): Map<string, string> {
  const found = new Map<string, string>();
  // A name after its type is found in a second step: one pattern for both would try every division of a line of spaces.
  for (const [, declared = "", text = ""] of docs.matchAll(/^[ \t]*:param[ \t]([\w[\], \t.]+):(.*)$/gm)) {
    const name = declared.trim().split(/\s/).at(-1) ?? "";
    if (/^\w+$/.test(name)) found.set(name, text.trim());
  }
  const block = /^(?:Args|Arguments|Parameters):[ \t]*\n((?:[ \t]+.*\n?|\n)*)/m.exec(docs)?.[1] ?? "";
  for (const [, name = "", text = ""] of block.matchAll(/^[ \t]+(\w+)(?:[ \t]*\([^)\n]*\))?:[ \t]*(.*)$/gm)) found.set(name, text.trim());
  return found;
}
