import type { SyntaxNode } from "@lezer/common";
import { parser } from "@lezer/python";
import type { Param, ParsedSignature } from "./parsed-signature.ts";
import { PythonTypes } from "./python-types.ts";
import { NOT_LITERAL, readPythonLiteral, readPythonString } from "./python-values.ts";
import { inferSchema, type Schema } from "./schema.ts";

/** Parses the parameters of `main` in a Python script. */
export function parsePythonSignature(source: string): ParsedSignature {
  const root = parser.parse(source).topNode;
  const functions = functionsIn(root, source);
  const main = functions.get("main");
  const docs = main ? docstring(main, source) : "";
  const types = new PythonTypes(root, source);
  const { params, variadic } = readParams(main?.getChild("ParamList") ?? null, types, source, paramDocs(docs));
  const preprocessor = functions.get("preprocessor")?.getChild("ParamList");
  const before = preprocessor && readParams(preprocessor, types, source, new Map());
  return {
    ok: true,
    params,
    hasMain: main !== undefined,
    hasPreprocessor: functions.has("preprocessor"),
    preprocessorParams: before && !before.variadic ? before.params.map(({ name }) => name) : null,
    variadic,
    destructured: false,
    paramTypes: {},
    ...(docs && { docs }),
  };
}

/** Returns the functions of the module. If several have the same name, the last one counts, as in Python. */
function functionsIn(root: SyntaxNode, source: string): Map<string, SyntaxNode> {
  const functions = new Map<string, SyntaxNode>();
  for (let statement = root.firstChild; statement; statement = statement.nextSibling) {
    const definition = statement.name === "DecoratedStatement" ? statement.getChild("FunctionDefinition") : statement;
    const name = definition?.name === "FunctionDefinition" ? definition.getChild("VariableName") : null;
    if (definition && name) functions.set(source.slice(name.from, name.to), definition);
  }
  return functions;
}

function readParams(
  list: SyntaxNode | null,
  types: PythonTypes,
  source: string,
  docs: Map<string, string>,
): { params: Param[]; variadic: boolean } {
  const params: Param[] = [];
  let stars = "";
  let variadic = false;
  for (let child = list?.firstChild; child; child = child.nextSibling) {
    if (child.name === "*" || child.name === "**") stars = child.name;
    else if (child.name === ",") stars = "";
    if (child.name !== "VariableName") continue;
    // `*args` receives no argument by name. `**kwargs` receives all arguments without a parameter.
    variadic ||= stars === "**";
    if (stars === "") params.push(readParam(child, types, source, docs));
  }
  return { params, variadic };
}

function readParam(nameNode: SyntaxNode, types: PythonTypes, source: string, docs: Map<string, string>): Param {
  const name = source.slice(nameNode.from, nameNode.to);
  let next = nameNode.nextSibling;
  const annotation = next?.name === "TypeDef" ? next.firstChild?.nextSibling : null;
  if (next?.name === "TypeDef") next = next.nextSibling;
  const hasDefault = next?.name === "AssignOp";
  const value = hasDefault && next?.nextSibling ? readPythonLiteral(next.nextSibling, source) : NOT_LITERAL;
  const known = value !== NOT_LITERAL;
  const type: Schema = annotation ? types.schemaOf(annotation, 0) : known ? schemaOfPython(value) : {};
  const doc = docs.get(name);
  return { name, type, hasDefault, ...(known && { default: value }), required: !hasDefault, ...(doc && { doc }) };
}

/** Returns the schema of a default. Python distinguishes integers from other numbers, so an integer default means an integer. */
function schemaOfPython(value: unknown): Schema {
  return typeof value === "number" && Number.isInteger(value) ? { type: "integer" } : inferSchema(value);
}

function docstring(definition: SyntaxNode, source: string): string {
  const first = definition.getChild("Body")?.firstChild?.nextSibling;
  const text = first?.name === "ExpressionStatement" ? first.firstChild : null;
  if (text?.name !== "String" && text?.name !== "ContinuedString") return "";
  const value = readPythonString(text, source);
  return typeof value === "string" ? withoutIndent(value) : "";
}

function withoutIndent(text: string): string {
  const [first = "", ...rest] = text.trim().split("\n");
  const indents = rest.filter((line) => line.trim()).map((line) => line.length - line.trimStart().length);
  const indent = indents.reduce((least, own) => Math.min(least, own), Number.POSITIVE_INFINITY);
  return [first, ...rest.map((line) => line.slice(indent))].join("\n");
}

/** `name: text` and `name (type): text` below `Args:`, and `:param name: text`. */
function paramDocs(docs: string): Map<string, string> {
  const found = new Map<string, string>();
  // A name behind its type is found in a second step: one pattern for both would try every way to divide a line of spaces.
  for (const [, declared = "", text = ""] of docs.matchAll(/^[ \t]*:param[ \t]([\w[\], \t.]+):(.*)$/gm)) {
    const name = declared.trim().split(/\s/).at(-1) ?? "";
    if (/^\w+$/.test(name)) found.set(name, text.trim());
  }
  const block = /^(?:Args|Arguments|Parameters):[ \t]*\n((?:[ \t]+.*\n?|\n)*)/m.exec(docs)?.[1] ?? "";
  for (const [, name = "", text = ""] of block.matchAll(/^[ \t]+(\w+)(?:[ \t]*\([^)\n]*\))?:[ \t]*(.*)$/gm)) found.set(name, text.trim());
  return found;
}
