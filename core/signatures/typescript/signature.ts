import type { SyntaxNode } from "@lezer/common";
import { typescript, typescriptJsx } from "../../builds/parsers/typescript.ts";
import type { Param, ParsedSignature } from "../parsed-signature.ts";
import { inferSchema } from "../schema.ts";
import { type Callable, findCallable, mayBeFunction } from "./callables.ts";
import { TypescriptModule } from "./module.ts";
import { parseTypescript } from "./quoted-names.ts";
import { TypescriptTypes } from "./types.ts";
import { NOT_LITERAL, readLiteral, readStringText } from "./values.ts";

/** Parses the parameters of `main` in a TypeScript script. */
export function parseTypescriptSignature(source: string): ParsedSignature {
  const found = read(parseTypescript(typescript, source), source);
  // `<T>x` is a cast in TypeScript and an element in TSX. The dialect in which `main` is found counts.
  return found.hasMain ? found : read(parseTypescript(typescriptJsx, source), source);
}

function read(root: SyntaxNode, source: string): ParsedSignature {
  const module = new TypescriptModule(root, source);
  const main = findCallable(module, "main");
  const preprocessor = findCallable(module, "preprocessor");
  const docs = main ? docComment(main.statement, source) : undefined;
  const signature: ParsedSignature = {
    ok: true,
    params: [],
    hasMain: main !== undefined,
    // A value that is known only at run time may be a function.
    hasPreprocessor: preprocessor !== undefined || mayBeFunction(module, "preprocessor"),
    preprocessorParams: plainNames(preprocessor?.params ?? null, source),
    variadic: false,
    destructured: false,
    paramTypes: {},
    ...(docs?.text && { docs: docs.text }),
  };
  if (main?.params) readParams(main, module, docs?.params ?? new Map(), signature);
  return signature;
}

/** Returns the names of the parameters, or `null` if one is a pattern or a rest parameter. */
function plainNames(list: SyntaxNode | null, source: string): string[] | null {
  const parts = list ? partsOf(list) : undefined;
  if (!parts?.every(({ target, rest }) => target.name === "VariableDefinition" && !rest)) return null;
  return parts.map(({ target }) => source.slice(target.from, target.to));
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

function readParams(callable: Callable, module: TypescriptModule, docs: Map<string, string>, signature: ParsedSignature): void {
  const { params: list, bound, isTyped, typeParameters } = callable;
  const types = new TypescriptTypes(module, typeParameters);
  const parts = list ? partsOf(list).slice(bound) : [];
  const [only] = parts;
  if (parts.length === 1 && only?.target.name === "ObjectPattern") {
    signature.destructured = true;
    signature.params = patternParams(only, module, types);
    for (const [name, annotation] of types.annotationsOf(only.annotation)) {
      const { converted } = types.annotated(annotation);
      if (converted) signature.paramTypes[name] = converted;
    }
    return;
  }
  parts.forEach((part, at) => {
    const name = part.target.name === "VariableDefinition" ? module.text(part.target) : `anon${at + 1}`;
    const type = types.annotated(part.annotation);
    const value = part.value ? readLiteral(part.value, module) : undefined;
    const isLiteral = part.value !== null && value !== NOT_LITERAL && value !== undefined;
    const doc = docs.get(name);
    signature.variadic ||= part.rest;
    if (type.converted) signature.paramTypes[name] = type.converted;
    // The type of the variable may make a parameter without an annotation optional.
    const optional = part.optional || part.rest || part.value !== null || type.optional || (isTyped && !part.annotation);
    signature.params.push({
      name,
      type: part.annotation || !isLiteral ? type.schema : inferSchema(value),
      hasDefault: part.value !== null,
      ...(isLiteral && { default: value }),
      required: !optional,
      ...(doc && { doc }),
    });
  });
}

/** The parameters of `main({ a, b = 2 }: { a: string; b?: number })` are the properties of the pattern, typed by the annotation. */
function patternParams(part: Parts, module: TypescriptModule, types: TypescriptTypes): Param[] {
  const declared = types.annotated(part.annotation).schema;
  return part.target.getChildren("PatternProperty").flatMap((property) => {
    const key = property.firstChild;
    if (!key || !["PropertyName", "String", "VariableDefinition"].includes(key.name)) return [];
    const name = key.name === "String" ? readStringText(key, module.source) : module.text(key);
    const valueNode = property.getChild("Equals")?.nextSibling;
    const value = valueNode ? readLiteral(valueNode, module) : undefined;
    const isLiteral = valueNode !== undefined && valueNode !== null && value !== NOT_LITERAL && value !== undefined;
    const type = declared.properties?.[name] ?? (isLiteral ? inferSchema(value) : {});
    const required = !valueNode && part.value === null && (declared.required ?? [name]).includes(name);
    return [{ name, type, hasDefault: Boolean(valueNode), ...(isLiteral && { default: value }), required }];
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
